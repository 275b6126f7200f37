/** Comparing words costs the product of their lengths, and both may come from a server. Longer words get no suggestion. */
const maxLength = 128
const maxSteps = 8_000_000

/**
 * Up to three candidates that a person may have meant: few edits away, closest first. The cost is bounded for any number
 * and length of candidates. `own` maps a candidate to its own short name, which is compared as well: the tool
 * `files__read` is `read` to its server.
 */
export function nearest(
  word: string,
  candidates: readonly string[],
  own: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  if (word.length > maxLength) return []
  const limit = Math.max(1, Math.floor(word.length / 3))
  const begins = (text: string) => word.length > 2 && text.startsWith(word)
  const found = candidates
    .flatMap((candidate) => [candidate, own.get(candidate) ?? []].flat().map((text) => ({ candidate, text })))
    .filter(({ text }) => text.length <= maxLength)
    .filter(({ text }) => Math.abs(text.length - word.length) <= limit || begins(text))
    .slice(0, Math.floor(maxSteps / (maxLength * (word.length + 1))))
    .map((each) => ({ ...each, distance: distanceBetween(word.toLowerCase(), each.text.toLowerCase()) }))
    .filter(({ text, distance }) => distance <= limit || begins(text))
    .sort((a, b) => a.distance - b.distance)
  return [...new Set(found.map(({ candidate }) => candidate))].slice(0, 3)
}

/** `; did you mean "state"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const [best] = nearest(word, candidates)
  return best === undefined ? '' : `; did you mean ${JSON.stringify(best)}?`
}

function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, substitute))
    }
    row = next
  }
  return row[b.length] ?? 0
}
