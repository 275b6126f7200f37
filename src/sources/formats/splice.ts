/** One replacement in a text. Several are applied together; they must not overlap. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = ''
  let done = 0
  for (const { start, end, text: by } of [...splices].sort((a, b) => a.start - b.start)) {
    result += text.slice(done, start) + by
    done = end
  }
  return result + text.slice(done)
}

export function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** The offset of the line's end, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end < 0) return text.length
  return text[end - 1] === '\r' ? Math.max(end - 1, offset) : end
}

/** The offset after the line's break. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end + 1
}

/** Removes the lines from `start` to `end`. At the end of a text without a last line break, the break before them goes. */
export function lineRemoval(text: string, start: number, end: number): Splice {
  const first = lineStart(text, start)
  const isLast = first > 0 && lineEnd(text, end) === text.length
  const from = isLast ? lineEnd(text, lineStart(text, first - 1)) : first
  return { start: from, end: nextLine(text, end), text: '' }
}
