import type { JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError, WireError } from '../wire-error.ts'
import type { Self } from './greeting.ts'
import { requestMeta, withMeta } from './modern.ts'

/** What to be told about. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

/** Says that a subscription holds. */
export const acknowledged = 'notifications/subscriptions/acknowledged'

const retryMs = { first: 500, most: 30_000 } as const

/** Keeps one subscription open in the new era, and opens it again when it breaks. */
export async function listen(
  rpc: Rpc,
  self: Self,
  filter: ListenFilter,
  options: {
    readonly clock: Clock
    readonly signal: AbortSignal
    /** What changes from now on is not told of. */
    readonly onDeaf: () => void
  },
): Promise<void> {
  const { clock, signal, onDeaf } = options
  const params = withMeta({ notifications: { ...filter } as JsonObject }, requestMeta(self)) // plain JSON either way
  let waitMs: number = retryMs.first
  while (!signal.aborted) {
    const opened = clock.monotonic()
    try {
      await rpc.request('subscriptions/listen', params, { signal, isUnlimited: true })
    } catch (error) {
      if (signal.aborted || !isWorthRetrying(error)) return
    }
    onDeaf()
    // A stream that held for a while was a good one: the next try is as soon as the first.
    if (clock.monotonic() - opened > retryMs.most) waitMs = retryMs.first
    await clock.sleep(waitMs, signal, { background: true }).catch(() => undefined)
    waitMs = Math.min(waitMs * 2, retryMs.most)
  }
}

/** A server that knows no subscriptions says so once; one that is gone is not asked again here. */
function isWorthRetrying(error: unknown): boolean {
  if (error instanceof RpcError) return error.code !== -32601 && error.code !== -32602
  return (
    error instanceof WireError && ['closed', 'network', 'upstream', 'timeout', 'rate'].includes(error.code)
  )
}
