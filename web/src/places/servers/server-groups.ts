import type { ServerRow } from '../../../../src/client.ts'

export interface ServerGroup {
  readonly word: string
  readonly count: number
}

/** What works first, then what needs a person, then the rest. */
const order: readonly ServerRow['state']['tone'][] = ['ok', 'bad', 'ask', 'warn', 'dim']

/** How many servers are in each state, by the word of the state. */
export function groupByState(servers: readonly Pick<ServerRow, 'state'>[]): readonly ServerGroup[] {
  const groups = new Map<string, { readonly rank: number; readonly count: number }>()
  for (const { state } of servers) {
    const count = (groups.get(state.word)?.count ?? 0) + 1
    groups.set(state.word, { rank: order.indexOf(state.tone), count })
  }
  return [...groups]
    .toSorted(([, one], [, other]) => one.rank - other.rank)
    .map(([word, { count }]) => ({ word, count }))
}

/** Whether the next step is a cure: the server does not work, and will not by itself. */
export function needsPerson({ state, tone }: ServerRow['state']): boolean {
  return tone === 'bad' || tone === 'ask' || (tone === 'warn' && state !== 'connecting')
}
