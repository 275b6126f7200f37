import type { CallDetail, Fault } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'
import { isEqual } from '../../../src/model/json.ts'
import { questions } from '../state/page-state.ts'
import { addresses } from '../state/addresses.ts'
import { askedOf } from './asked-of.ts'
import { Duration, Elapsed, Waited } from './amounts.tsx'
import { Button } from './button.tsx'
import { ErrorLine, Loading } from './messages.tsx'
import { ResultView } from './result-view.tsx'
import { CallMark } from './call-mark.tsx'
import { AppView } from './lazy-app.ts'

/** How a call goes, and what came out of it. */
export function CallOutcome({
  detail,
  error,
  args,
  onStop,
  onAgain,
  onArguments,
}: {
  readonly detail: CallDetail | undefined
  readonly error: Fault | undefined
  /** The arguments in the form beside it. */
  readonly args?: Json
  readonly onStop: () => void
  readonly onAgain: () => void
  readonly onArguments?: (args: Json) => void
}) {
  if (!detail) return error ? <ErrorLine error={error} /> : <Loading what="Call" />
  const { call, result, next } = detail
  const asked = askedOf(call, questions.value)
  const isOther = args !== undefined && !isEqual(args, detail.args)
  return (
    <>
      <div class="outcome" role="status">
        <CallMark call={call} />
        <Waited ms={call.waitedMs} />
        {call.state === 'running' ? <Elapsed since={call.at} /> : <Duration ms={call.ms} />}
        {call.state === 'running' && <Progress progress={call.progress} />}
        <span class="grow" />
        {isOther && onArguments && (
          <Button
            kind="plain"
            about="Fill in the arguments of this call"
            onPress={() => onArguments(detail.args)}
          >
            Use its arguments
          </Button>
        )}
        {args !== undefined && (
          <a class="small" href={addresses.call(call.id)}>
            Details
          </a>
        )}
      </div>
      {asked && (
        <div class="frame is-asking outcome-asks">
          <span>{asked.says}</span>
          <Button kind="primary" to={asked.to}>
            Look
          </Button>
          <Button onPress={onStop}>Stop</Button>
        </div>
      )}
      {detail.error && (
        <div class="outcome-error">
          {call.state !== 'cancelled' && <ErrorLine error={detail.error} />}
          <div class="buttons">
            {next.map((step) =>
              step.action === 'call-again' ? (
                <Button key={step.label} command={step.command} onPress={onAgain}>
                  {step.label}
                </Button>
              ) : (
                <Button
                  key={step.label}
                  command={step.command}
                  to={step.to ?? stepAddress(step.action, call.server)}
                >
                  {step.label}
                </Button>
              ),
            )}
          </div>
        </div>
      )}
      {detail.notes?.map((note) => (
        <p key={note} class="outcome-error tone-warn">
          {note}
        </p>
      ))}
      {detail.app !== undefined && <AppView key={call.id} call={call.id} server={call.server} />}
      {result && (
        <ResultView
          key={call.id}
          result={result}
          name={call.tool}
          call={call.id}
          server={call.server}
          wire={detail.wire}
        />
      )}
    </>
  )
}

function stepAddress(action: string, server: string): string {
  if (action === 'open-config') return addresses.config
  return action === 'log' ? addresses.server(server, 'log') : addresses.server(server)
}

function Progress({ progress }: { readonly progress: CallDetail['call']['progress'] }) {
  if (!progress) return null
  return (
    <span class="progress">
      <progress
        aria-label="Progress"
        {...(progress.total !== undefined && { value: progress.progress, max: progress.total })}
      />
      <span class="number dim">
        {progress.progress}
        {progress.total !== undefined && ` of ${progress.total}`}
      </span>
      {progress.message && <span class="dim cut">{progress.message}</span>}
    </span>
  )
}
