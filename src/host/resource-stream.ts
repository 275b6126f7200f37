import type { Connection } from '../connections/connection.ts'
import type { CallOptions } from '../calls/view/view.ts'
import { raceAbort } from '../model/abort.ts'
import { HostError, isHostError } from '../model/error.ts'
import type { Json } from '../model/json.ts'
import type { Status } from '../model/status.ts'
import type { Clock } from '../platform/platform.ts'

interface StreamOptions {
  readonly server: string
  /** Those that are followed, and the one for which it is opened. */
  readonly uris: readonly string[]
  readonly wanted: string | undefined
  readonly clock: Clock
  readonly statusOf: (server: string) => Status | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
}

const retryMs = { first: 500, most: 30_000 } as const
/** How long a server may take to say that it holds. */
const agreeMs = 10_000

/** In the new era one stream tells of updates of everything that is followed of a server. It is opened again when it breaks. */
export class ResourceStream {
  /** Settles when the server has agreed, or will not. */
  readonly holds: Promise<void>
  readonly #options: StreamOptions
  readonly #over = new AbortController()
  /** Until it is settled. */
  #pending: { acknowledged(honored: Json | undefined): void; failed(error: unknown): void } | undefined

  constructor(options: StreamOptions, { signal, timeoutMs }: CallOptions) {
    this.#options = options
    const { server, wanted, clock } = options
    this.holds = new Promise((resolve, reject) => {
      const onAbort = () => this.close()
      const onLate = () =>
        failed(unheard(server, 'call.timeout', 'It does not say that it tells of updates.'))
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
        if (isLeftOut) return failed(untold(server, wanted))
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

  /** Whether that was news to it, and not the answer to a stream that was opened again. */
  acknowledged(honored: Json | undefined): boolean {
    const pending = this.#pending
    pending?.acknowledged(honored)
    return pending !== undefined
  }

  close(): void {
    this.#over.abort()
    this.#pending?.failed(unheard(this.#options.server, 'call.cancelled', 'Cancelled.'))
  }

  /** Throws what the server has against it; comes back when the server is gone. */
  async #keepOpen(): Promise<void> {
    const { server, uris, clock, statusOf, connectionOf } = this.#options
    const { signal } = this.#over
    const params = { notifications: { resourceSubscriptions: uris } }
    const endless = { signal, timeoutMs: 0, maxTimeoutMs: 0, isUnlimited: true } as const
    for (let waitMs: number = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.most)) {
      const opened = clock.monotonic()
      try {
        await (await connectionOf(server)).request('subscriptions/listen', params, endless)
      } catch (error) {
        if (signal.aborted) return
        if (this.#pending || isRefused(error)) throw error
      }
      // A stream that held for a while was a good one: the next try is as soon as the first.
      if (clock.monotonic() - opened > retryMs.most) waitMs = retryMs.first
      await clock.sleep(waitMs, signal, { background: true }).catch(() => undefined)
      if (signal.aborted || statusOf(server)?.state !== 'ready') return
    }
  }
}

export function untold(server: string, uri: string): HostError {
  return new HostError('usage', {}, `"${server}" does not tell of updates of ${uri}.`)
}

/** Whoever does not want it any more does not wait for its turn, nor for somebody else who asked for the same. */
export function unlessAborted(
  agreed: Promise<void>,
  server: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  return raceAbort(agreed, signal, () => unheard(server, 'call.cancelled', 'Cancelled.'))
}

function unheard(server: string, code: 'call.timeout' | 'call.cancelled', message: string): HostError {
  return new HostError(
    code,
    { server, method: 'subscriptions/listen', sent: true },
    `"${server}": ${message}`,
  )
}

/** A server that knows no subscriptions, or not these, says so once. */
function isRefused(error: unknown): boolean {
  if (!isHostError(error, 'request.refused')) return false
  const { code } = error.data.error
  return code === -32601 || code === -32602
}
