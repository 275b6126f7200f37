import type { Json } from '../../model/json.ts'
import type { HttpHeaders } from '../../platform/platform.ts'
import type { WireError } from '../wire-error.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchange, Hearer } from './exchange.ts'
import { isEventStream } from './message-headers.ts'
import { clampRetry, MessageStream } from './message-stream.ts'

export interface GetStreamOptions {
  readonly endpoint: Endpoint
  readonly open: (lastEventId: string | undefined, hearer: Hearer) => Exchange
  readonly onMessage: (value: Json) => void
  readonly onDropped: (what: 'malformed' | 'oversize', sample?: string) => void
}

const maxFailures = 5
const maxRetryMs = 30_000
const defaultRetryMs = 1000
/** A stream that lasted this long was a good one, even if nothing came. */
const healthyMs = 10_000
/** How long a server is left alone after it let us down so often. */
const restMs = 30_000

/** What the server says unasked (legacy): one stream, opened again when it ends, given up when it never holds. */
export class GetStream implements Hearer {
  readonly #options: GetStreamOptions
  readonly #messages: MessageStream
  #exchange: Exchange | undefined
  #wait: Disposable | undefined
  #openedAt = 0
  #failures = 0
  #restsUntil = 0
  #state: 'on' | 'resting' | 'off' = 'on'

  constructor(options: GetStreamOptions) {
    this.#options = options
    this.#messages = new MessageStream({
      maxBytes: options.endpoint.limits.maxBytes,
      onMessage: options.onMessage,
      onMalformed: (reason) => options.onDropped('malformed', reason),
      onOversize: () => this.#skip(),
    })
    this.#open()
  }

  stop(): void {
    this.#state = 'off'
    this.#wait?.[Symbol.dispose]()
    this.#exchange?.abort()
  }

  /** The server is well: a stream that was given up may be worth another try. */
  wake(): void {
    if (this.#state !== 'resting' || this.#options.endpoint.clock.monotonic() < this.#restsUntil) return
    this.#state = 'on'
    this.#failures = 0
    this.#open()
  }

  onHeaders(status: number, headers: HttpHeaders): void {
    if (status < 300 && isEventStream(headers)) return
    this.#exchange?.finish()
    if (status >= 500 || status === 429) this.#again()
    // 405 says that there is no such stream; whatever else is wrong, the next request will say it better.
    else this.#state = 'off'
  }

  onData(chunk: Uint8Array): void {
    this.#messages.push(chunk)
  }

  onEnd(): void {
    this.#again()
  }

  onError({ code }: WireError): void {
    if (['network', 'dns', 'timeout', 'closed'].includes(code)) this.#again()
    else this.#state = 'off'
  }

  #open(): void {
    const { endpoint, open } = this.#options
    this.#openedAt = endpoint.clock.monotonic()
    this.#messages.restart()
    this.#exchange = open(this.#messages.lastEventId, this)
  }

  #again(): void {
    if (this.#state !== 'on') return
    const { clock } = this.#options.endpoint
    const now = clock.monotonic()
    const wasHealthy = this.#messages.hasMoved || now - this.#openedAt >= healthyMs
    this.#failures = wasHealthy ? 0 : this.#failures + 1
    if (this.#failures > maxFailures) {
      this.#state = 'resting'
      this.#restsUntil = now + restMs
      return
    }
    const waitMs = clampRetry(this.#messages.retryMs ?? defaultRetryMs) * 2 ** this.#failures
    this.#wait = clock.timer(Math.min(waitMs, maxRetryMs), () => this.#open(), { background: true })
  }

  /** Asking for what follows the last event would only bring the large one again. */
  #skip(): void {
    this.#options.onDropped('oversize')
    this.#exchange?.abort()
    this.#messages.lastEventId = undefined
    this.#again()
  }
}
