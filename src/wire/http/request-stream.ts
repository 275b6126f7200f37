import type { Clock, HttpHeaders } from '../../platform/platform.ts'
import { WireError } from '../wire-error.ts'
import type { Exchange, ExchangeListener } from './exchange.ts'
import { fromStatus } from './http-faults.ts'
import { isEventStream } from './message-headers.ts'
import { clampRetry } from './message-stream.ts'
import type { MessageStream } from './message-stream.ts'

export interface RequestStreamOptions {
  readonly clock: Clock
  readonly stream: MessageStream
  readonly status: number
  /** Requests the rest of the stream after this event; absent if streams cannot be resumed. */
  readonly resume: ((lastEventId: string, listener: ExchangeListener) => Exchange) | undefined
  readonly onFailed: (error: WireError) => void
}

const maxTries = 5
const defaultRetryMs = 1000
const maxRetryMs = 30_000

/** The stream with the answer to one request, over as many connections as it takes (FI-47). */
export class RequestStream {
  readonly #options: RequestStreamOptions
  /** Attempts in a row without an event. */
  #tries = 0
  #wait: Disposable | undefined
  #exchange: Exchange | undefined

  constructor(options: RequestStreamOptions) {
    this.#options = options
  }

  push(chunk: Uint8Array): void {
    this.#options.stream.push(chunk)
  }

  /** The connection ended before the answer: regularly, or broken by `error`. */
  ended(error?: WireError): void {
    const { stream, resume, clock } = this.#options
    // A server may close the connection on purpose and expect a resumption.
    if (stream.hasMoved || !error) this.#tries = 0
    if (!resume || stream.lastEventId === undefined || this.#tries >= maxTries) return this.#fail(error)
    const waitMs = Math.min(clampRetry(stream.retryMs ?? defaultRetryMs) * 2 ** this.#tries, maxRetryMs)
    this.#tries++
    this.#wait = clock.timer(waitMs, () => this.#resume())
  }

  /** The answer has arrived, or the request was abandoned. */
  stop(how: 'finish' | 'abort'): void {
    this.#wait?.[Symbol.dispose]()
    this.#exchange?.[how]()
  }

  #resume(): void {
    const { stream, resume } = this.#options
    if (!resume || stream.lastEventId === undefined) return
    stream.restart()
    this.#exchange = resume(stream.lastEventId, {
      onHeaders: (status, headers) => this.#resumed(status, headers),
      onData: (chunk) => stream.push(chunk),
      onEnd: () => this.ended(),
      onError: (error) => (isTransient(error) ? this.ended(error) : this.#fail(error)),
    })
  }

  #resumed(status: number, headers: HttpHeaders): void {
    if (status < 300 && isEventStream(headers)) return
    this.#exchange?.finish()
    const error = fromStatus({ status, headers }, this.#options.clock.now())
    if (isTransient(error)) this.ended(error)
    else this.#fail(status === 404 ? lostSession(status) : error)
  }

  #fail(cause: WireError | undefined): void {
    const { status, onFailed } = this.#options
    const isSpecific = cause !== undefined && !['network', 'protocol', 'upstream'].includes(cause.code)
    const code = isSpecific ? cause.code : 'closed'
    const message = isSpecific ? cause.message : 'The stream ended before the answer came.'
    onFailed(new WireError(code, message, { sent: true, facts: { status, ...cause?.facts }, cause }))
  }
}

/** Transient errors that are retried. */
function isTransient({ code }: WireError): boolean {
  return ['network', 'dns', 'timeout', 'upstream', 'rate'].includes(code)
}

function lostSession(status: number): WireError {
  return new WireError('session', 'The server has forgotten this session.', { sent: true, facts: { status } })
}
