/** A log of what a peer observed, in order, and a way to wait for a line. */
export interface Notes {
  readonly lines: readonly string[]
  readonly note: (line: string) => void
  readonly count: (line: string) => number
  /** Resolves when the line was noted that many times. */
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
      for (const check of waiting) check()
    },
    until: (line, times = 1) =>
      new Promise((resolve) => {
        const check = () => {
          if (count(line) < times) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
