import { createParser } from 'eventsource-parser'
import type { Json } from '../../model/json.ts'
import { decodeMessage, toBuffer } from '../frames/decode.ts'
import { EnvelopeScanner } from '../frames/envelope-scanner.ts'
import type { RequestId } from '../message.ts'

export interface MessageStreamOptions {
  readonly maxBytes: number
  readonly onMessage: (value: Json) => void
  /** A message nobody can read, with the request it answers, if that can be told. */
  readonly onMalformed: (reason: string, id: RequestId | undefined) => void
  readonly onOversize: () => void
  /** An event that is no message. */
  readonly onOther?: (type: string, data: Uint8Array) => void
}

/** The messages of a stream of events, and where it stopped when it broke. */
export class MessageStream {
  readonly #options: MessageStreamOptions
  #read: (chunk: Uint8Array) => void
  /** The last event that came whole. */
  lastEventId: string | undefined
  /** When the server wants us to come back. */
  retryMs: number | undefined
  /** Whether an event came since the stream was opened, this time. */
  hasMoved = false

  constructor(options: MessageStreamOptions) {
    this.#options = options
    this.#read = this.#reader()
  }

  push(chunk: Uint8Array): void {
    this.#read(chunk)
  }

  /** The stream goes on over another connection; half an event is not kept. */
  restart(): void {
    this.hasMoved = false
    this.#read = this.#reader()
  }

  #reader(): (chunk: Uint8Array) => void {
    return createEventReader({
      maxBytes: this.#options.maxBytes,
      onEvent: (event) => this.#take(event),
      onRetry: (ms) => (this.retryMs = clampRetry(ms)),
      onOversize: this.#options.onOversize,
    })
  }

  #take({ type, id: named, data }: ServerEvent): void {
    // What no header can carry back names nothing.
    const id = named !== undefined && /[^\t\x20-\x7e\x80-\xff]/.test(named) ? undefined : named
    // Some servers repeat the event we named when we come back.
    if (id !== undefined && id !== '' && id === this.lastEventId) return
    this.hasMoved = true
    if (id !== undefined) this.lastEventId = id === '' ? undefined : id
    if (type !== undefined && type !== 'message') return this.#options.onOther?.(type, data)
    // An event without data only tells where the stream stands.
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
  /** As bytes in Latin-1, so that a header gives back exactly what came. */
  readonly id: string | undefined
  readonly data: Uint8Array
}

interface EventReaderOptions {
  readonly maxBytes: number
  readonly onEvent: (event: ServerEvent) => void
  readonly onRetry: (ms: number) => void
  /** An event is larger than the cap; nothing more is read. */
  readonly onOversize: () => void
}

/**
 * Server-sent events out of bytes. The parser sees Latin-1, a character a byte: its own characters are ASCII, the cap
 * counts bytes, and whether the data is UTF-8 is for whoever reads the message.
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

/** How soon a server may ask us to come back, and how late. */
export function clampRetry(ms: number): number {
  return Math.min(Math.max(ms, 250), 30_000)
}
