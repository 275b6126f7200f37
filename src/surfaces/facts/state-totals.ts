import type { ServerStatus, Status } from '../../index.ts'
import { stateMarks } from './state-facts.ts'

/** The order in which states are counted. */
export const stateOrder: readonly Status['state'][] = [
  'ready',
  'connecting',
  'waiting',
  'needs-auth',
  'failed',
  'untrusted',
  'idle',
  'disabled',
]

export interface StateTotal {
  readonly state: Status['state']
  readonly word: string
  readonly names: readonly string[]
}

/** How many servers are in which state, by the words of the states. */
export function countStates(
  servers: readonly Pick<ServerStatus, 'name' | 'status'>[],
): readonly StateTotal[] {
  return stateOrder.flatMap((state) => {
    const names = servers.filter(({ status }) => status.state === state).map(({ name }) => name)
    return names.length === 0 ? [] : [{ state, word: stateMarks[state].word, names }]
  })
}
