import { toBuffer } from '../frames/decode.ts'
import { PartialBytes } from '../frames/partial-frame.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const colon = 0x3a
const space = 0x20
const byteOrderMark = [0xef, 0xbb, 0xbf]
const dataField = Buffer.from('data:')
/** The bytes of a line of data beside its value: `data: ` and its end. */
const lineOverhead = 7
/** Allowance for the lines of a message that is as long as the limit. */
const slack = 256

export interface ServerEvent {
  readonly type: string | undefined
  /** The bytes as Latin-1, so that a header sends back exactly the same bytes. */
  readonly id: string | undefined
  /** Valid during the call that delivers the event. */
  readonly data: Uint8Array
}

interface EventReaderOptions {
  /** Limit of an event: of its data, and of its lines with their field names. */
  readonly maxBytes: number
  readonly onEvent: (event: ServerEvent) => void
  readonly onRetry: (ms: number) => void
  /** An event exceeded the limit; nothing more is read. */
  readonly onOversize: () => void
}

/**
 * Reads server-sent events from bytes. The data of an event is collected in one buffer, so that an event costs memory in
 * proportion to its bytes, however many lines it has (FI-88, decision 036). UTF-8 is checked when the message is decoded.
 */
export class EventReader {
  readonly #options: EventReaderOptions
  /** The current line, if it began in an earlier chunk and is not known to be data. */
  readonly #line = new PartialBytes()
  /** The data of the current event. */
  readonly #data = new PartialBytes()
  /** The data of an event with only one line so far, as a view of the current chunk: most events need no copy. */
  #single: Buffer | undefined
  #hasData = false
  /** The current line is data, and its bytes so far are in `#data`. */
  #isInData = false
  /** Bytes of the data lines of the current event, with field names. */
  #size = 0
  #type: string | undefined
  #id: string | undefined
  /** The last line ended with a carriage return; a line feed right after it belongs to that end. */
  #isAfterReturn = false
  /** How many bytes of a byte order mark the stream began with; -1 after that. */
  #marked = 0
  #isOver = false

  constructor(options: EventReaderOptions) {
    this.#options = options
  }

  push(bytes: Uint8Array): void {
    if (this.#isOver) return
    const chunk = toBuffer(bytes)
    let at = this.#skipMark(chunk)
    let nextReturn = -1
    let nextFeed = -1
    while (at < chunk.length && !this.#isOver) {
      if (nextReturn < at) nextReturn = indexOrEnd(chunk, carriageReturn, at)
      if (nextFeed < at) nextFeed = indexOrEnd(chunk, lineFeed, at)
      const end = Math.min(nextReturn, nextFeed)
      const isSameEnd = this.#isAfterReturn && end === at && end === nextFeed
      this.#isAfterReturn = end < chunk.length && end === nextReturn
      if (end === chunk.length) this.#keep(chunk, at)
      else if (!isSameEnd) this.#endLine(chunk, at, end)
      at = end + 1
    }
    // The chunk belongs to the caller.
    this.#copySingle()
  }

  /** Drops a partial event; the next bytes are the beginning of another stream. */
  reset(): void {
    this.#line.clear()
    this.#startEvent()
    this.#isInData = false
    this.#isAfterReturn = false
    this.#marked = 0
    this.#isOver = false
  }

  #skipMark(chunk: Buffer): number {
    let at = 0
    while (this.#marked >= 0 && at < chunk.length) {
      const isMark = chunk[at] === byteOrderMark[this.#marked]
      this.#marked = isMark && this.#marked < 2 ? this.#marked + 1 : -1
      if (isMark) at++
    }
    return at
  }

  /** Keeps the beginning of a line whose end has not arrived. */
  #keep(chunk: Buffer, from: number): void {
    if (this.#isInData) return this.#add(chunk, from, chunk.length)
    if (this.#line.length === 0 && this.#beginData(chunk, from)) return
    this.#line.add(chunk, from)
    if (this.#line.length > this.#options.maxBytes) return this.#overflow()
    if (this.#beginData(this.#line.all, 0)) this.#line.clear()
  }

  /** Whether the bytes begin a line of data. They are added to it, unless the space after the name may still follow. */
  #beginData(bytes: Buffer, from: number): boolean {
    if (bytes.length - from <= dataField.length || !isData(bytes, from, bytes.length)) return false
    this.#beginLine()
    this.#isInData = true
    this.#add(bytes, valueStart(bytes, from + dataField.length), bytes.length)
    return true
  }

  #endLine(chunk: Buffer, from: number, end: number): void {
    if (this.#isInData) {
      this.#add(chunk, from, end)
      this.#isInData = false
    } else if (this.#line.length > 0) {
      this.#line.add(chunk, from, end)
      const line = this.#line.all
      this.#readLine(line, 0, line.length, false)
      this.#line.clear()
    } else {
      this.#readLine(chunk, from, end, true)
    }
  }

  #readLine(bytes: Buffer, from: number, end: number, isOfChunk: boolean): void {
    if (from === end) return this.#dispatch()
    if (!isData(bytes, from, end)) return this.#readField(bytes, from, end)
    const start = valueStart(bytes, from + dataField.length, end)
    if (isOfChunk && !this.#hasData) {
      this.#hasData = true
      this.#single = bytes.subarray(start, end)
      if (end - start > this.#options.maxBytes) this.#overflow()
    } else {
      this.#beginLine()
      this.#add(bytes, start, end)
    }
  }

  #beginLine(): void {
    this.#copySingle()
    if (this.#hasData) this.#data.addByte(lineFeed)
    this.#hasData = true
    this.#size += lineOverhead
    if (this.#size > this.#options.maxBytes + slack) this.#overflow()
  }

  #add(bytes: Buffer, from: number, end: number): void {
    const { maxBytes } = this.#options
    this.#data.add(bytes, from, end)
    this.#size += end - from
    if (this.#data.length > maxBytes || this.#size > maxBytes + slack) this.#overflow()
  }

  #copySingle(): void {
    const single = this.#single
    if (!single) return
    this.#single = undefined
    this.#data.add(single)
    this.#size += single.length
  }

  #readField(bytes: Buffer, from: number, end: number): void {
    // A comment.
    if (bytes[from] === colon) return
    const at = bytes.subarray(from, end).indexOf(colon)
    const name = bytes.toString('latin1', from, at < 0 ? end : from + at)
    const value = at < 0 ? '' : bytes.toString('latin1', valueStart(bytes, from + at + 1, end), end)
    if (name === 'event') this.#type = value === '' ? undefined : value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#options.onRetry(Number(value))
    else if (name === 'data') this.#beginLine()
  }

  #dispatch(): void {
    const [type, id] = [this.#type, this.#id]
    if (this.#hasData) this.#options.onEvent({ type, id, data: this.#single ?? this.#data.all })
    this.#startEvent()
  }

  #startEvent(): void {
    this.#data.clear()
    this.#single = undefined
    this.#hasData = false
    this.#size = 0
    this.#type = undefined
    this.#id = undefined
  }

  #overflow(): void {
    this.reset()
    this.#isOver = true
    this.#options.onOversize()
  }
}

function indexOrEnd(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from)
  return at < 0 ? chunk.length : at
}

function isData(bytes: Buffer, from: number, end: number): boolean {
  if (end - from < dataField.length) return false
  for (let at = 0; at < dataField.length; at++) if (bytes[from + at] !== dataField[at]) return false
  return true
}

/** One space after the colon is not part of the value. */
function valueStart(bytes: Buffer, from: number, end = bytes.length): number {
  return from < end && bytes[from] === space ? from + 1 : from
}
