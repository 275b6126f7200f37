/** A row of a list in groups: the name of a server with the number of its items, or an item. */
export type GroupedRow<T> =
  | { readonly kind: 'server'; readonly server: string; readonly count: number }
  | { readonly kind: 'item'; readonly item: T }

/** The items under the names of their servers, in the order in which these appear. */
export function byServer<T extends { readonly server: string }>(
  items: readonly T[],
): readonly GroupedRow<T>[] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(item.server)
    if (group) group.push(item)
    else groups.set(item.server, [item])
  }
  return [...groups].flatMap(([server, own]): GroupedRow<T>[] => [
    { kind: 'server', server, count: own.length },
    ...own.map((item): GroupedRow<T> => ({ kind: 'item', item })),
  ])
}

/** Whether every word is in one of the texts. */
export function hasWords(words: string, texts: readonly (string | undefined)[]): boolean {
  const all = texts.join(' ').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
