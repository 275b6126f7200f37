/** What a peer noticed, in order, and a way to wait for it. */
export interface Notes {
  readonly lines: readonly string[]
  readonly note: (line: string) => void
  readonly count: (line: string) => number
  /** Settles once the line was noted that many times. */
  readonly until: (line: string, times?: number) => Promise<void>
}

export function createNotes(): Notes {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const count = (line: string) => lines.filter((other) => other === line).length
  return {
    lines,
    count,
    note(line) {
      lines.push(line)
      for (const look of waiting) look()
    },
    until: (line, times = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (count(line) < times) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
