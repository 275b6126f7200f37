import { useEffect } from 'preact/hooks'
import type { StateFacts } from '../../../../src/client.ts'
import { Elapsed } from '../../parts/amounts.tsx'
import { leftText } from '../../parts/left-text.ts'
import { stopwatch, watchTime } from '../../state/clock.ts'

interface StateSentenceProps {
  readonly state: StateFacts
  /** With what to do about it, where there is room. */
  readonly hasHint?: boolean
}

/** The cause of a state, how long a start has taken, and when it is tried again. */
export function StateSentence({ state, hasHint = false }: StateSentenceProps) {
  const { sentence, hint, since, retryAt } = state
  const isUnderWay = state.state === 'connecting'
  if (sentence === undefined && !isUnderWay && retryAt === undefined) return null
  return (
    <span class="sentence">
      {sentence}
      {isUnderWay && (
        <>
          {sentence !== undefined && ' · '}
          <Elapsed since={since} />
        </>
      )}
      {retryAt !== undefined && <NextTry at={retryAt} />}
      {hasHint && hint !== undefined && ` ${hint}`}
    </span>
  )
}

/** When it is tried again, or how long it is left alone. */
function NextTry({ at }: { readonly at: number }) {
  useEffect(watchTime, [])
  const left = at - stopwatch.value
  return left > 0 ? <> Next try {leftText(left)}.</> : null
}
