import type { ServerDetail } from '../../../../../src/client.ts'

type State = ServerDetail['history'][number]

export interface StateStep {
  readonly state: State
  readonly word: string
  /** Undefined: it is in this state now. */
  readonly ms: number | undefined
  /** It begins a further try to start. */
  readonly isAgain: boolean
}

const shownSteps = 8

/** The last states with the time each took; states that took none are left out. */
export function stateSteps(history: ServerDetail['history']): readonly StateStep[] {
  const states = history.filter((state, index) => (history[index + 1]?.at ?? Infinity) > state.at)
  const tried = new Set<string>()
  const steps = states.map((state, index): StateStep => {
    const word = wordOf(state)
    const next = states[index + 1]
    const isStarting = state.word === 'connecting'
    const isAgain = isStarting && tried.has(word)
    if (isAgain || !isStarting) tried.clear()
    // A start waits in the queue more than once.
    if (isStarting && word !== 'queued') tried.add(word)
    return { state, word, ms: next && next.at - state.at, isAgain }
  })
  return steps.slice(-shownSteps)
}

/** While it connects, the step says more than the word. */
function wordOf({ word, sentence }: State): string {
  return /^step: (.+)$/.exec(sentence ?? '')?.[1] ?? word
}
