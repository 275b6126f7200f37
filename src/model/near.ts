/** The candidates a person may have meant: few edits away, best first. */
export function nearest(word: string, candidates: readonly string[]): readonly string[] {
  const limit = Math.max(1, Math.floor(word.length / 3))
  return candidates
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ candidate, distance }) => distance <= limit || (word.length > 2 && candidate.startsWith(word)))
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
