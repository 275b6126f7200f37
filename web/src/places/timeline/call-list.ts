import type { CallRow } from '../../../../src/client.ts'

/** The filter of the timeline, as it stands in the address. */
export interface CallFilter {
  readonly server?: string
  readonly state?: string
  readonly by?: string
  readonly conversation?: string
  readonly words?: string
}

const names = ['server', 'state', 'by', 'conversation', 'words'] as const

export function readFilter(query: Readonly<Record<string, string | undefined>>): CallFilter {
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** The filter with one value changed; an empty one is removed. */
export function changeFilter(filter: CallFilter, name: keyof CallFilter, value: string): CallFilter {
  return readFilter({ ...filter, [name]: value })
}

export function fits(call: CallRow, { server, state, by, conversation, words = '' }: CallFilter): boolean {
  if (server !== undefined && call.server !== server) return false
  if (state !== undefined && call.state !== state) return false
  if (by !== undefined && call.by !== by) return false
  if (conversation !== undefined && call.conversation !== conversation) return false
  const text = `${call.server} ${call.tool} ${call.word} ${call.conversationTitle ?? ''}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Calls from several answers and events in one order, the newest first. Of the same call the later one in `lists` counts. */
export function mergeCalls(...lists: readonly (readonly CallRow[])[]): readonly CallRow[] {
  const byId = new Map<string, CallRow>()
  for (const call of lists.flat()) byId.set(call.id, call)
  return [...byId.values()].sort((a, b) => b.at - a.at)
}

/** The length of a bar in percent: roots, so that a short call is still seen beside one of minutes. */
export function barOf(ms: number | undefined, longest: number): number {
  return ms === undefined || longest <= 0 ? 0 : Math.max(Math.round(Math.sqrt(ms / longest) * 100), 1)
}

/** The calls before and after one: `[` is earlier, `]` is later. */
export function neighbors(
  calls: readonly CallRow[],
  id: string,
): { readonly earlier?: string | undefined; readonly later?: string | undefined } {
  const at = calls.findIndex((call) => call.id === id)
  return at === -1 ? {} : { earlier: calls[at + 1]?.id, later: calls[at - 1]?.id }
}
