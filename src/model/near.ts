/** Comparing words costs the product of their lengths, and both may be a stranger's: beyond this nobody is helped. */
const maxLength = 128
const maxSteps = 8_000_000

/** The candidates a person may have meant: few edits away, best first; cheap however many and however long they are. */
export function nearest(word: string, candidates: readonly string[]): readonly string[] {
  if (word.length > maxLength) return []
  const limit = Math.max(1, Math.floor(word.length / 3))
  const begins = (candidate: string) => word.length > 2 && candidate.startsWith(word)
  return candidates
    .filter(({ length }) => length <= maxLength)
    .filter((each) => Math.abs(each.length - word.length) <= limit || begins(each))
    .slice(0, Math.floor(maxSteps / (maxLength * (word.length + 1))))
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ candidate, distance }) => distance <= limit || begins(candidate))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
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
