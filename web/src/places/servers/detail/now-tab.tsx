import type { ComponentChildren } from 'preact'
import type { ServerDetail, ServerRow } from '../../../../../src/client.ts'
import { Ago, Duration, plural, Size } from '../../../parts/amounts.tsx'
import { ErrorLine } from '../../../parts/messages.tsx'
import { ProblemLine } from '../../../parts/problem-line.tsx'
import { addresses } from '../../../state/addresses.ts'
import type { Answer } from '../../../state/answers.ts'
import { needsPerson } from '../server-groups.ts'
import { StepButton } from '../step-button.tsx'
import { StateLine } from './state-line.tsx'

interface NowTabProps {
  readonly server: ServerRow
  readonly detail: Answer<ServerDetail>
}

/** What the server is doing, how it came to that, and what can be done about it. */
export function NowTab({ server, detail: { value, error } }: NowTabProps) {
  const { state, next } = server
  return (
    <>
      {needsPerson(state) && (
        <div class="buttons">
          {next.map((step, index) => (
            <StepButton key={step.label} server={server} step={step} isPrimary={index === 0} />
          ))}
        </div>
      )}
      {state.stderr && state.stderr.length > 0 && (
        <figure class="server-figure">
          <figcaption>Last lines of stderr</figcaption>
          <pre class="wrap" tabIndex={0}>
            {state.stderr.join('\n')}
          </pre>
        </figure>
      )}
      <ErrorLine error={error} />
      {value?.problems.map((problem) => (
        <ProblemLine key={`${problem.code} ${problem.message}`} problem={problem} hasPlace />
      ))}
      {value && <StateLine history={value.history} />}
      <Facts server={server} detail={value} />
      {value?.instructions !== undefined && (
        <details class="folded" open={value.instructions.length < 400}>
          <summary>Instructions of the server</summary>
          <p class="plain-text">{value.instructions}</p>
        </details>
      )}
    </>
  )
}

function Facts({
  server,
  detail,
}: {
  readonly server: ServerRow
  readonly detail: ServerDetail | undefined
}) {
  const { transport, endpoint, version, era, startedMs, pid, lastCall } = server
  const offers = offersOf(server)
  return (
    <dl class="facts">
      <Fact name={transport === 'stdio' ? 'Command' : 'Address'} isMono>
        {endpoint}
      </Fact>
      <Fact name="Protocol">{[transport, version, era].filter((each) => each !== undefined).join(', ')}</Fact>
      {pid !== undefined && (
        <Fact name="Process">
          {pid}
          {detail?.memory !== undefined && (
            <>
              , <Size bytes={detail.memory} />
            </>
          )}
        </Fact>
      )}
      {startedMs !== undefined && (
        <Fact name="Last start">
          <Duration ms={startedMs} />
        </Fact>
      )}
      {offers !== '' && <Fact name="Offers">{offers}</Fact>}
      {lastCall && (
        <Fact name="Last call">
          <a class="mono" href={addresses.call(lastCall.id)}>
            {lastCall.ref}
          </a>{' '}
          {lastCall.outcome}, <Duration ms={lastCall.ms} />, <Ago at={lastCall.at} />
        </Fact>
      )}
      {detail?.accounts.map(({ account, issuer, who, expiresAt }) => (
        <Fact key={account} name="Logged in">
          {who ?? account} at {issuer}
          {expiresAt !== undefined && `, until ${new Date(expiresAt).toLocaleString()}`}
        </Fact>
      ))}
      <Fact name="Trust">{trustWords[server.trust]}</Fact>
      {detail?.capabilities && (
        <Fact name="Capabilities">{Object.keys(detail.capabilities).join(', ') || 'none'}</Fact>
      )}
    </dl>
  )
}

function offersOf({ tools, resources, prompts }: ServerRow): string {
  return [
    tools && `${plural(tools.count, 'tool')}${tools.hidden > 0 ? ` (${tools.hidden} hidden)` : ''}`,
    resources !== undefined && plural(resources, 'resource'),
    prompts !== undefined && plural(prompts, 'prompt'),
  ]
    .filter((each) => typeof each === 'string')
    .join(', ')
}

const trustWords: Readonly<Record<ServerRow['trust'], string>> = {
  'not-needed': 'not needed: no project declares it',
  trusted: 'trusted, exactly as it is declared now',
  pending: 'not trusted yet',
  changed: 'changed since you trusted it',
}

interface FactProps {
  readonly name: string
  readonly isMono?: boolean
  readonly children: ComponentChildren
}

function Fact({ name, isMono = false, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd class={isMono ? 'mono' : ''}>{children}</dd>
    </>
  )
}
