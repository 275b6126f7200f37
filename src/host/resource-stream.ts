import type { Connection } from '../connections/connection.ts'
import type { CallOptions } from '../calls/view/view.ts'
import { raceAbort } from '../model/abort.ts'
import { HostError, isHostError } from '../model/error.ts'
import type { Json } from '../model/json.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'

interface StreamOptions {
  readonly server: string
  /** All subscribed URIs of the server; `wanted` is the one that the stream is opened for. */
  readonly uris: readonly string[]
  readonly wanted: string | undefined
  readonly clock: Clock
  readonly statusOf: (server: string) => Status | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
}

const retryMs = { first: 500, most: 30_000 } as const
/** How long a server may take to acknowledge the stream. */
const agreeMs = 10_000

/** Modern servers report updates of all subscribed resources on one stream. It is opened again when it breaks. */
export class ResourceStream {
  /** Settles when the server has acknowledged or refused the stream. */
  readonly opened: Promise<void>
  readonly #options: StreamOptions
  readonly #over = new AbortController()
  /** Set until `opened` is settled. */
  #pending: { acknowledged(honored: Json | undefined): void; failed(error: unknown): void } | undefined

  constructor(options: StreamOptions, { signal, timeoutMs }: CallOptions) {
    this.#options = options
    const { server, wanted, clock } = options
    this.opened = new Promise((resolve, reject) => {
      const onAbort = () => this.close()
      const onLate = () =>
        failed(streamError(server, 'call.timeout', 'The server did not acknowledge the subscription.'))
      const timer = clock.timer(timeoutMs || agreeMs, onLate, { background: true })
      const settle = () => {
        this.#pending = undefined
        timer[Symbol.dispose]()
        signal?.removeEventListener('abort', onAbort)
      }
      const failed = (error: unknown) => {
        settle()
        reject(error)
        this.close()
      }
      const acknowledged = (honored: Json | undefined) => {
        const isLeftOut = wanted !== undefined && Array.isArray(honored) && !honored.includes(wanted)
        if (isLeftOut) return failed(noUpdates(server, wanted))
        settle()
        resolve()
      }
      this.#pending = { acknowledged, failed }
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) this.close()
      else this.#keepOpen().catch(failed)
    })
  }

  covers(uri: string): boolean {
    return this.#options.uris.includes(uri)
  }

  /** Returns whether this acknowledged the first opening, not a stream that was opened again. */
  acknowledged(honored: Json | undefined): boolean {
    const pending = this.#pending
    pending?.acknowledged(honored)
    return pending !== undefined
  }

  close(): void {
    this.#over.abort()
    this.#pending?.failed(streamError(this.#options.server, 'call.cancelled', 'Cancelled.'))
  }

  /** Throws if the server refuses the stream; returns when the server is disconnected. */
  async #keepOpen(): Promise<void> {
    const { server, uris, clock, statusOf, connectionOf } = this.#options
    const { signal } = this.#over
    const params = { notifications: { resourceSubscriptions: uris } }
    const withoutLimits = { signal, timeoutMs: 0, maxTimeoutMs: 0, isUnlimited: true } as const
    for (let waitMs: number = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      const openedAt = clock.monotonic()
      try {
        await (await connectionOf(server)).request('subscriptions/listen', params, withoutLimits)
      } catch (error) {
        if (signal.aborted) return
        if (this.#pending || isRefused(error)) throw error
      }
      // A stream that lasted for a while was healthy: the delay starts again from the first value.
      if (clock.monotonic() - openedAt > retryMs.most) waitMs = retryMs.first
      await clock.sleep(waitMs, signal, { background: true }).catch(() => undefined)
      if (signal.aborted || statusOf(server)?.state !== 'ready') return
    }
  }
}

export function noUpdates(server: string, uri: string): HostError {
  return new HostError('usage', {}, `"${server}" does not report updates of ${uri}.`)
}

/** An aborted subscriber stops waiting at once, also for a request that it shares with other subscribers. */
export function unlessAborted(
  accepted: Promise<void>,
  server: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  return raceAbort(accepted, signal, () => streamError(server, 'call.cancelled', 'Cancelled.'))
}

function streamError(server: string, code: 'call.timeout' | 'call.cancelled', message: string): HostError {
  return new HostError(
    code,
    { server, method: 'subscriptions/listen', sent: true },
    `"${server}": ${message}`,
  )
}

/** Method not found or invalid params: the server does not support subscriptions, or not these. Not retried. */
function isRefused(error: unknown): boolean {
  if (!isHostError(error, 'request.refused')) return false
  const { code } = error.data.error
  return code === -32601 || code === -32602
}
