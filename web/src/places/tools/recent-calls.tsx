import { Clock } from '../../parts/amounts.tsx'
import { makerOf } from '../../parts/call-maker.ts'
import { CallMark } from '../../parts/call-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'

const maxShown = 6

/** The last calls of this tool from the page, terminals and chats. Choosing one shows its result here. */
export function RecentCalls({
  toolRef,
  server,
  current,
  onChoose,
}: {
  readonly toolRef: string
  readonly server: string
  readonly current: string | undefined
  readonly onChoose: (call: string) => void
}) {
  const answer = useAnswer(
    'GET /api/calls',
    { query: { server, limit: '100' } },
    { on: ['call.changed'], when: (event) => event.type === 'call.changed' && event.call.ref === toolRef },
  )
  const calls = (answer.value?.calls ?? []).filter(({ ref }) => ref === toolRef).slice(0, maxShown)
  if (calls.length === 0) return null
  return (
    <div class="recent">
      <span class="dim">Recent</span>
      {calls.map((call) => (
        <button
          key={call.id}
          type="button"
          class="recent-call"
          aria-pressed={call.id === current}
          title={`${call.word}, by ${makerOf(call)}`}
          onClick={() => onChoose(call.id)}
        >
          <Clock at={call.at} />
          <span role="img" aria-label={call.word}>
            <CallMark call={{ ...call, word: '' }} />
          </span>
        </button>
      ))}
      <a class="small" href={addresses.calls({ server })}>
        all
      </a>
    </div>
  )
}
