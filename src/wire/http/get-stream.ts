import type { Json } from '../../model/json.ts'
import type { HttpHeaders } from '../../platform/platform.ts'
import type { WireError } from '../wire-error.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchange, ExchangeListener } from './exchange.ts'
import { isEventStream } from './message-headers.ts'
import { clampRetry, MessageStream } from './message-stream.ts'

export interface GetStreamOptions {
  readonly endpoint: Endpoint
  readonly open: (lastEventId: string | undefined, listener: ExchangeListener) => Exchange
  readonly onMessage: (value: Json) => void
  readonly onDropped: (what: 'malformed' | 'oversize', sample?: string) => void
}

const maxFailures = 5
const maxRetryMs = 30_000
const defaultRetryMs = 1000
/** A stream that lasted this long counts as healthy, even without events. */
const healthyMs = 10_000
/** Pause after too many failures in a row. */
const pauseMs = 30_000

/**
 * The stream for messages that belong to no request (legacy). Reopened when it ends, paused after repeated failures.
 */
export class GetStream implements ExchangeListener {
  readonly #options: GetStreamOptions
  readonly #messages: MessageStream
  #exchange: Exchange | undefined
  #wait: Disposable | undefined
  #openedAt = 0
  #failures = 0
  #pausedUntil = 0
  #state: 'on' | 'paused' | 'off' = 'on'

  constructor(options: GetStreamOptions) {
    this.#options = options
    this.#messages = new MessageStream({
      maxBytes: options.endpoint.limits.maxBytes,
      onMessage: options.onMessage,
      onMalformed: (reason) => options.onDropped('malformed', reason),
      onOversize: () => this.#skipOversize(),
    })
    this.#open()
  }

  stop(): void {
    this.#state = 'off'
    this.#wait?.[Symbol.dispose]()
    this.#exchange?.abort()
  }

  /** Called after a successful answer: retries a paused stream once its pause is over. */
  wake(): void {
    if (this.#state !== 'paused' || this.#options.endpoint.clock.monotonic() < this.#pausedUntil) return
    this.#state = 'on'
    this.#failures = 0
    this.#open()
  }

  onHeaders(status: number, headers: HttpHeaders): void {
    if (status < 300 && isEventStream(headers)) return
    this.#exchange?.finish()
    if (status >= 500 || status === 429) this.#reopenLater()
    // 405 means that the server has no such stream; any other error is reported by the next request.
    else this.#state = 'off'
  }

  onData(chunk: Uint8Array): void {
    this.#messages.push(chunk)
  }

  onEnd(): void {
    this.#reopenLater()
  }

  onError({ code }: WireError): void {
    if (['network', 'dns', 'timeout', 'closed'].includes(code)) this.#reopenLater()
    else this.#state = 'off'
  }

  #open(): void {
    const { endpoint, open } = this.#options
    this.#openedAt = endpoint.clock.monotonic()
    this.#messages.restart()
    this.#exchange = open(this.#messages.lastEventId, this)
  }

  #reopenLater(): void {
    if (this.#state !== 'on') return
    const { clock } = this.#options.endpoint
    const now = clock.monotonic()
    const wasHealthy = this.#messages.hasMoved || now - this.#openedAt >= healthyMs
    this.#failures = wasHealthy ? 0 : this.#failures + 1
    if (this.#failures > maxFailures) {
      this.#state = 'paused'
      this.#pausedUntil = now + pauseMs
      return
    }
    const waitMs = clampRetry(this.#messages.retryMs ?? defaultRetryMs) * 2 ** this.#failures
    this.#wait = clock.timer(Math.min(waitMs, maxRetryMs), () => this.#open(), { background: true })
  }

  /** Resuming after the last event would only bring the same large event again. */
  #skipOversize(): void {
    this.#options.onDropped('oversize')
    this.#exchange?.abort()
    this.#messages.lastEventId = undefined
    this.#reopenLater()
  }
}
