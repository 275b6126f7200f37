import type { Json } from '../../model/json.ts'
import { decodeMessage } from '../frames/decode.ts'
import type { RequestId } from '../message.ts'
import { EnvelopeScanner } from '../frames/envelope-scanner.ts'
import { clampRetry, createEventReader } from './events.ts'
import type { ServerEvent } from './events.ts'

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
