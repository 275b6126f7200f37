import type { Json } from '../../model/json.ts'
import { decodeMessage } from '../frames/decode.ts'
import type { ReadText } from '../frames/decode.ts'
import { EnvelopeScanner } from '../frames/envelope-scanner.ts'
import type { RequestId } from '../message.ts'
import { EventReader } from './event-reader.ts'
import type { ServerEvent } from './event-reader.ts'

export interface MessageStreamOptions {
  readonly maxBytes: number
  readonly onMessage: (value: Json) => void
  readonly readText?: ReadText
  /** A message that cannot be read, with the request that it answers, if its id is readable. */
  readonly onMalformed: (reason: string, id: RequestId | undefined) => void
  readonly onOversize: () => void
  /** An event that is not a message. */
  readonly onOther?: (type: string, data: Uint8Array) => void
}

/** The messages of an event stream, and the position to resume from. */
export class MessageStream {
  readonly #options: MessageStreamOptions
  #reader: EventReader
  /** The id of the last complete event. */
  lastEventId: string | undefined
  /** The reconnection delay requested by the server. */
  retryMs: number | undefined
  /** Whether an event arrived since the stream was last opened. */
  hasMoved = false

  constructor(options: MessageStreamOptions) {
    this.#options = options
    this.#reader = this.#createReader()
  }

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk)
  }

  /** The stream continues on another connection; a partial event is dropped. */
  restart(): void {
    this.hasMoved = false
    this.#reader.reset()
    // A new one: the old reader may be in the middle of a chunk.
    this.#reader = this.#createReader()
  }

  #createReader(): EventReader {
    return new EventReader({
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
      value = decodeMessage(data, this.#options.readText)
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

/** Bounds for the reconnection delay that a server may request. */
export function clampRetry(ms: number): number {
  return Math.min(Math.max(ms, 250), 30_000)
}
