import { createParser } from 'eventsource-parser'
import type { Json } from '../../model/json.ts'
import { decodeMessage, toBuffer } from '../frames/decode.ts'
import { EnvelopeScanner } from '../frames/envelope-scanner.ts'
import type { RequestId } from '../message.ts'

export interface MessageStreamOptions {
  readonly maxBytes: number
  readonly onMessage: (value: Json) => void
  /** A message that cannot be read, with the request that it answers, if its id is readable. */
  readonly onMalformed: (reason: string, id: RequestId | undefined) => void
  readonly onOversize: () => void
  /** An event that is not a message. */
  readonly onOther?: (type: string, data: Uint8Array) => void
}

/** The messages of an event stream, and the position to resume from. */
export class MessageStream {
  readonly #options: MessageStreamOptions
  #read: (chunk: Uint8Array) => void
  /** The id of the last complete event. */
  lastEventId: string | undefined
  /** The reconnection delay requested by the server. */
  retryMs: number | undefined
  /** Whether an event arrived since the stream was last opened. */
  hasMoved = false

  constructor(options: MessageStreamOptions) {
    this.#options = options
    this.#read = this.#createReader()
  }

  push(chunk: Uint8Array): void {
    this.#read(chunk)
  }

  /** The stream continues on another connection; a partial event is dropped. */
  restart(): void {
    this.hasMoved = false
    this.#read = this.#createReader()
  }

  #createReader(): (chunk: Uint8Array) => void {
    return createEventReader({
      maxBytes: this.#options.maxBytes,
      onEvent: (event) => this.#receive(event),
      onRetry: (ms) => (this.retryMs = clampRetry(ms)),
      onOversize: this.#options.onOversize,
    })
  }

  #receive({ type, id: eventId, data }: ServerEvent): void {
    // An id that cannot be sent in a header is ignored.
    const id = eventId !== undefined && /[^\t\x20-\x7e\x80-\xff]/.test(eventId) ? undefined : eventId
    // Some servers repeat the event that we resume after.
    if (id !== undefined && id !== '' && id === this.lastEventId) return
    this.hasMoved = true
    if (id !== undefined) this.lastEventId = id === '' ? undefined : id
    if (type !== undefined && type !== 'message') return this.#options.onOther?.(type, data)
    // An event without data only marks a position.
    if (data.length === 0) return
    let value: Json
    try {
      value = decodeMessage(data)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return this.#options.onMalformed(reason, answeredBy(data))
    }
    this.#options.onMessage(value)
  }
}

function answeredBy(bytes: Uint8Array): RequestId | undefined {
  const scanner = new EnvelopeScanner()
  scanner.push(bytes)
  return scanner.answers
}

interface ServerEvent {
  readonly type: string | undefined
  /** The bytes as Latin-1, so that a header sends back exactly the same bytes. */
  readonly id: string | undefined
  readonly data: Uint8Array
}

interface EventReaderOptions {
  readonly maxBytes: number
  readonly onEvent: (event: ServerEvent) => void
  readonly onRetry: (ms: number) => void
  /** An event exceeded the limit; nothing more is read. */
  readonly onOversize: () => void
}

/**
 * Parses server-sent events from bytes. The parser gets Latin-1, one character per byte: its syntax is ASCII, the
 * limit counts bytes, and UTF-8 is checked when the message is decoded.
 */
function createEventReader(options: EventReaderOptions): (chunk: Uint8Array) => void {
  const { maxBytes, onEvent, onRetry, onOversize } = options
  let isOver = false
  const oversize = () => {
    if (isOver) return
    isOver = true
    onOversize()
  }
  const parser = createParser({
    maxBufferSize: maxBytes,
    onRetry,
    onError: ({ type }) => type === 'max-buffer-size-exceeded' && oversize(),
    onEvent({ event, id, data }) {
      if (isOver) return
      if (data.length > maxBytes) return oversize()
      onEvent({ type: event, id, data: Buffer.from(data, 'latin1') })
    },
  })
  return (chunk) => {
    if (!isOver) parser.feed(toBuffer(chunk).toString('latin1'))
  }
}

/** Bounds for the reconnection delay that a server may request. */
export function clampRetry(ms: number): number {
  return Math.min(Math.max(ms, 250), 30_000)
}
