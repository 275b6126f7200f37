import { useEffect, useState } from 'preact/hooks'
import type { CallRow } from '../../../../../src/client.ts'
import { Ago, Duration, Size } from '../../../parts/amounts.tsx'
import { Empty, ErrorLine, Loading } from '../../../parts/messages.tsx'
import { makerOf } from '../../../parts/call-maker.ts'
import { CallMark } from '../../../parts/call-mark.tsx'
import { addresses } from '../../../state/addresses.ts'
import { useAnswer } from '../../../state/answers.ts'
import { onFeed } from '../../../state/page-state.ts'

const shownCalls = 50

/** The last calls of one server, the newest first. */
export function CallsTab({ server }: { readonly server: string }) {
  const { value, error } = useAnswer('GET /api/calls', { query: { server, limit: String(shownCalls) } })
  const calls = useNewCalls(server, value?.calls)
  if (!value) return error ? <ErrorLine error={error} /> : <Loading what="Reading the calls" />
  if (calls.length === 0) return <Empty says={`No tool of ${server} was called yet.`} />
  return (
    <>
      <ul class="line-list">
        {calls.map((call) => (
          <li key={call.id}>
            <a class="mono" href={addresses.call(call.id)}>
              {call.tool}
            </a>
            <CallMark call={call} />
            <span class="line-end">
              <Duration ms={call.ms} />
              {call.bytes !== undefined && (
                <>
                  {' · '}
                  <Size bytes={call.bytes} />
                </>
              )}
            </span>
            <span class="line-more">
              {call.conversationTitle === undefined || call.app !== undefined
                ? makerOf(call)
                : `“${call.conversationTitle}”`}{' '}
              · <Ago at={call.at} />
            </span>
          </li>
        ))}
      </ul>
      <p>
        <a href={addresses.calls({ server })}>All in the timeline</a>
      </p>
    </>
  )
}

/** The calls that were read, with what the events told since. */
function useNewCalls(server: string, read: readonly CallRow[] = []): readonly CallRow[] {
  const [changed, setChanged] = useState<ReadonlyMap<string, CallRow>>(new Map())
  useEffect(
    () =>
      onFeed('call.changed', ({ call }) => {
        if (call.server === server) setChanged((before) => new Map(before).set(call.id, call))
      }),
    [server],
  )
  const known = new Set(read.map(({ id }) => id))
  const fresh = [...changed.values()].filter(({ id }) => !known.has(id)).toReversed()
  return [...fresh, ...read.map((call) => changed.get(call.id) ?? call)].slice(0, shownCalls)
}
