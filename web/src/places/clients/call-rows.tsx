import type { ClientCall, ClientFacts } from '../../../../src/client.ts'
import { Clock, Duration, Elapsed } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'

const maxRows = 100

/** Calls as they run, the newest first. What they were called with is not known here. */
export function CallRows({
  title,
  calls,
  clients,
}: {
  readonly title: string
  readonly calls: readonly ClientCall[]
  /** Names the clients; absent where all are of one. */
  readonly clients?: readonly ClientFacts[]
}) {
  const names = new Map(clients?.map(({ id, name }) => [id, name]))
  return (
    <section class="client-calls">
      <h2>{title}</h2>
      {calls.length === 0 && <p class="dim client-none">No call yet. Each one appears here as it runs.</p>}
      <ol aria-label={`${title}, the newest first`}>
        {calls.slice(0, maxRows).map((call) => (
          <li key={call.id} class={`client-call${clients ? '' : ' is-own'}`}>
            <span class="dim">
              <Clock at={call.at} />
            </span>
            {clients && <span class="call-client cut">{names.get(call.client) ?? 'a client that left'}</span>}
            <span class="call-server cut">{call.server || '—'}</span>
            <span class="call-name cut mono">{call.name}</span>
            <span class="call-state">
              <StateMark state={call} />
              <Reason call={call} />
            </span>
            <span class="call-ms">
              {call.ms === undefined ? <Elapsed since={call.at} /> : <Duration ms={call.ms} />}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Reason({ call: { detail, question } }: { readonly call: ClientCall }) {
  if (question === undefined)
    return detail === undefined ? null : <span class="dim call-reason">{detail}</span>
  const command = `plugboard answer ${question.slice(0, 8)}`
  return (
    <Button kind="primary" to={addresses.question(question)} command={command}>
      Answer
    </Button>
  )
}
