import type { ServerDetail } from '../../../../../src/client.ts'
import { Clock, Duration } from '../../../parts/amounts.tsx'
import { stateSteps } from './state-steps.ts'

/** The last states and the time each took, as one line: resolving 28 ms → starting 33 ms → ready. */
export function StateLine({ history }: { readonly history: ServerDetail['history'] }) {
  const steps = stateSteps(history)
  if (steps.length === 0) return null
  return (
    <ol class="state-line" aria-label="How it came to this state">
      {steps.map(({ state, word, ms, isAgain }) => (
        <li key={state.at} title={state.sentence}>
          {isAgain && <span class="dim">again: </span>}
          <span class={ms === undefined ? `tone-${state.tone}` : ''}>{word}</span>{' '}
          <span class="dim">
            {ms === undefined ? (
              <>
                since <Clock at={state.at} />
              </>
            ) : (
              <Duration ms={ms} />
            )}
          </span>
        </li>
      ))}
    </ol>
  )
}
