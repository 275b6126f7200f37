const firstHeader = /^content-[a-z]+\s*:/i
const anyHeader = /^[\w-]+\s*:/
const contentLength = /^content-length\s*:\s*(\d+)$/i

/** Whether this line at the beginning of a message announces header framing (C1, D30). */
export function startsHeaders(line: string): boolean {
  return firstHeader.test(line)
}

/** The header lines before the body of one message. */
export class Headers {
  readonly first: string
  length: number | undefined

  constructor(first: string) {
    this.first = first
    this.add(first)
  }

  /** `false` when this line is no header, so that those before it were none either. */
  add(line: string): boolean {
    const length = contentLength.exec(line)?.[1]
    if (length !== undefined) this.length = Number(length)
    return anyHeader.test(line)
  }
}
