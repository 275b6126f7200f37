/** Something that the palette finds. */
export interface PaletteEntry {
  readonly group: string
  readonly name: string
  /** Another whole name of it: a tool without its server. */
  readonly alias?: string
  readonly about: string
  readonly isMono?: boolean
  readonly run: () => void
}

/**
 * The entries that have every word of the text, the best first: what is called so, a name that begins with it, then words of
 * names. Of a tool its own name counts as the whole.
 */
export function findEntries(
  entries: readonly PaletteEntry[],
  text: string,
  limit = 40,
): readonly PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries.filter(({ group }) => group !== 'Tools').slice(0, limit)
  return entries
    .map((each) => ({ each, score: scoreOf(each, words) + (isCalled(each, words.join(' ')) ? 100 : 0) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ each }) => each)
}

function isCalled({ name, alias }: PaletteEntry, text: string): boolean {
  return name.toLowerCase() === text || alias?.toLowerCase() === text
}

function scoreOf({ name, about, group }: PaletteEntry, words: readonly string[]): number {
  const inName = name.toLowerCase()
  const inAll = `${inName} ${about.toLowerCase()} ${group.toLowerCase()}`
  let score = 0
  for (const word of words) {
    const at = inName.indexOf(word)
    if (at < 0 && !inAll.includes(word)) return 0
    const isStart = at === 0 || (at > 0 && /[\s_\-./]/.test(inName[at - 1]!))
    score += at === 0 ? 8 : isStart ? 6 : at > 0 ? 3 : 1
  }
  // Among equals the shorter name is the closer one.
  return score + 1 / (1 + inName.length)
}
