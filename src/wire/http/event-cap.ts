import type { RequestId } from '../message.ts'
import { EnvelopeScanner } from '../frames/envelope-scanner.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const dataField = Buffer.from('data:')
/** Allowance for the field names of events with many lines. */
const slack = 256

export interface EventCapOptions {
  readonly maxBytes: number
  /** The stream without the removed events. */
  readonly onBytes: (bytes: Uint8Array) => void
  /** An event exceeded the limit after a part of it was passed on; the rest is not. */
  readonly onCut: () => void
  /** The whole event has been skipped; `answers` is the request that it answers, if readable. */
  readonly onOversize: (answers: RequestId | undefined) => void
}

/** Removes events above the size limit from a stream. Later events are still delivered (D-10). */
export class EventCap {
  readonly #options: EventCapOptions
  #scanner = new EnvelopeScanner()
  /** Size of the current event: its data and the current line. */
  #size = 0
  #lineSize = 0
  /** How many bytes of the current line match `data:`; -1 when it is another field. */
  #matched = 0
  /** The current event has started. */
  #hasBegun = false
  #isCut = false
  #isAfterReturn = false

  constructor(options: EventCapOptions) {
    this.#options = options
  }

  push(chunk: Uint8Array): void {
    if (this.#hasOnlyWholeEvents(chunk)) return this.#options.onBytes(chunk)
    /** Bytes from here on are passed on. */
    let start = this.#isCut ? chunk.length : 0
    /** Where the current event starts, unless it started in an earlier chunk. */
    let begin = this.#hasBegun ? undefined : 0
    for (let at = 0; at < chunk.length;) {
      const end = lineEnd(chunk, at)
      if (this.#read(chunk, at, end) > this.#options.maxBytes + slack && !this.#isCut) {
        this.#cut(chunk.subarray(start, begin ?? start), begin === undefined)
        start = chunk.length
      }
      const ended = end < chunk.length && this.#endLine(chunk[end] === carriageReturn)
      if (ended) begin = end + 1
      if (ended === 'cut') start = end + 1
      at = end + 1
    }
    if (start === chunk.length) return
    this.#options.onBytes(chunk.subarray(start))
  }

  #cut(before: Uint8Array, wasPassed: boolean): void {
    this.#isCut = true
    if (before.length > 0) this.#options.onBytes(before)
    if (wasPassed) this.#options.onCut()
  }

  /** Fast path for the common case: only short and complete events. */
  #hasOnlyWholeEvents(chunk: Uint8Array): boolean {
    if (this.#hasBegun || chunk.length > this.#options.maxBytes) return false
    return chunk.at(-1) === lineFeed && chunk.at(-2) === lineFeed
  }

  #read(chunk: Uint8Array, from: number, end: number): number {
    let at = from
    while (at < end && this.#matched >= 0 && this.#matched < dataField.length)
      this.#matched = chunk[at++] === dataField[this.#matched] ? this.#matched + 1 : -1
    if (this.#matched === dataField.length && at < end) this.#scanner.push(chunk.subarray(at, end))
    if (end > from) {
      this.#isAfterReturn = false
      this.#hasBegun = true
    }
    this.#lineSize += end - from
    this.#size += end - from
    return this.#size
  }

  /** Returns how the event ended, if this line ended it. */
  #endLine(isReturn: boolean): 'cut' | 'passed' | undefined {
    const isSameEnd = this.#isAfterReturn && !isReturn && this.#lineSize === 0
    this.#isAfterReturn = isReturn
    if (isSameEnd) return undefined
    const isEventEnd = this.#lineSize === 0
    // `data` without a colon adds an empty line to the event.
    const isBare = this.#lineSize === dataField.length - 1 && this.#matched === this.#lineSize
    if (this.#matched !== dataField.length && !isBare) this.#size -= this.#lineSize
    this.#lineSize = 0
    this.#matched = 0
    return isEventEnd ? this.#endEvent() : undefined
  }

  #endEvent(): 'cut' | 'passed' {
    const [wasCut, { answers }] = [this.#isCut, this.#scanner]
    this.#scanner = new EnvelopeScanner()
    this.#size = 0
    this.#isCut = false
    this.#hasBegun = false
    if (wasCut) this.#options.onOversize(answers)
    return wasCut ? 'cut' : 'passed'
  }
}

function lineEnd(chunk: Uint8Array, from: number): number {
  let at = from
  while (at < chunk.length && chunk[at] !== lineFeed && chunk[at] !== carriageReturn) at++
  return at
}
