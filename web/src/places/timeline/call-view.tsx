import type { ComponentChildren } from 'preact'
import type { CallDetail } from '../../../../src/client.ts'
import { Clock, plural } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { CallOutcome } from '../../parts/call-outcome.tsx'
import { CommandText } from '../../parts/copy-button.tsx'
import { makerOf } from '../../parts/call-maker.ts'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Empty, ErrorLine, faultText, Loading } from '../../parts/messages.tsx'
import { ServerNotice } from '../../parts/server-notice.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { copy } from '../../state/announce.ts'
import { useAction, useAnswer } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { useKeys } from '../../state/keys.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { neighbors } from './call-list.ts'
import type { CallFilter } from './call-list.ts'
import { useCalls } from './live-calls.ts'
import { callAddress } from './timeline-address.ts'

/** One call: arguments, result, progress, what the server wrote meanwhile, the rule that decided. */
export function CallView({ id, filter }: { readonly id: string; readonly filter: CallFilter }) {
  const answer = useAnswer(
    'GET /api/calls/:call',
    { params: { call: id } },
    { on: ['call.changed'], when: (event) => event.type === 'call.changed' && event.call.id === id },
  )
  const detail = answer.value
  usePageTitle(detail?.call.tool ?? 'Call', 'Timeline')
  const { calls } = useCalls(filter)
  const { earlier, later } = neighbors(calls, id)
  const open = (to: string | undefined) => () => {
    if (to !== undefined) go(callAddress(to, filter))
  }
  const again = useAction(async () => {
    if (!detail) return
    const { call } = await send('POST /api/calls', { body: { ref: detail.call.ref, args: detail.args } })
    go(callAddress(call.id, filter))
  })
  const stop = useAction(() => send('DELETE /api/calls/:call', { params: { call: id } }))
  useKeys({
    '[': { does: 'Earlier call', run: open(earlier), isOff: earlier === undefined },
    ']': { does: 'Later call', run: open(later), isOff: later === undefined },
    y: { does: 'Copy the link', run: () => void copy(location.href, 'Link copied') },
  })
  if (!detail)
    return answer.error ? (
      <Empty title="Call" says={faultText(answer.error)}>
        <Button to={addresses.timeline}>All calls</Button>
      </Empty>
    ) : (
      <Loading what="Call" />
    )
  const { call } = detail
  const isRunning = call.state === 'running' || call.state === 'waits'
  return (
    <article class="call">
      <header class="call-head">
        <h1 class="mono">{call.tool}</h1>
        <span class="dim">
          {call.server} · <Clock at={call.at} /> · {madeBy(call)}
        </span>
        <span class="grow" />
        <div class="buttons">
          {isRunning ? (
            <Button onPress={() => void stop.run()} about="Stop the call">
              Stop
            </Button>
          ) : (
            <Button kind="primary" action={again} command={detail.command}>
              Run again
            </Button>
          )}
          <Button to={addresses.tool(call.ref, detail.args)} about="Open the form with these arguments">
            Edit and run
          </Button>
        </div>
      </header>
      <ErrorLine error={again.error ?? stop.error} />
      <ServerNotice server={call.server} />
      <Part title="Arguments">
        <Arguments args={detail.args} />
      </Part>
      <Part title="Result">
        <div class="frame">
          <CallOutcome
            detail={detail}
            error={undefined}
            onStop={() => void stop.run()}
            onAgain={() => void again.run()}
          />
        </div>
      </Part>
      {detail.progress.length > 0 && (
        <Part title="Progress" about={plural(detail.progress.length, 'message')}>
          <ol class="call-lines">
            {detail.progress.map((each, index) => (
              <li key={index}>
                <Clock at={each.at} /> <span class="number">{progressText(each)}</span> {each.message}
              </li>
            ))}
          </ol>
        </Part>
      )}
      {detail.stderr.length > 0 && (
        <Part
          title="What the server wrote meanwhile"
          about={plural(detail.stderr.length, 'line of stderr', 'lines of stderr')}
        >
          <pre class="text">{detail.stderr.join('\n')}</pre>
        </Part>
      )}
      <Part title="Rule that decided">
        <p>{detail.decision}</p>
      </Part>
      <Part title="Command">
        <CommandText command={detail.command} />
      </Part>
    </article>
  )
}

function Part({
  title,
  about,
  children,
}: {
  readonly title: string
  readonly about?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <section class="call-part">
      <h2>
        {title} {about && <span class="dim">{about}</span>}
      </h2>
      {children}
    </section>
  )
}

const smallJson = 400

function Arguments({ args }: { readonly args: CallDetail['args'] }) {
  const text = JSON.stringify(args, null, 2)
  if (text === '{}') return <p class="dim">None.</p>
  return text.length <= smallJson ? (
    <pre class="text">{text}</pre>
  ) : (
    <JsonTree value={args} label="Arguments" />
  )
}

function madeBy(call: CallDetail['call']): ComponentChildren {
  const { conversation, conversationTitle, app } = call
  const maker =
    app === undefined ? (
      makerOf(call)
    ) : (
      <>
        app of <a href={addresses.tool(app)}>{app}</a>
      </>
    )
  if (conversation === undefined) return <>from the {maker}</>
  return (
    <>
      {maker} {app !== undefined && 'in '}
      <a href={addresses.conversation(conversation)}>{conversationTitle ?? 'conversation'}</a>
    </>
  )
}

function progressText({ progress, total }: CallDetail['progress'][number]): string {
  return total === undefined ? String(progress) : `${progress} of ${total}`
}
