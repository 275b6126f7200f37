import type { JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError, WireError } from '../wire-error.ts'
import type { ClientIdentity } from './greeting.ts'
import { requestMeta, withMeta } from './modern.ts'

/** The changes to subscribe to. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
}

/** Confirms a subscription. */
export const subscriptionAcknowledged = 'notifications/subscriptions/acknowledged'

const retryMs = { first: 500, most: 30_000 } as const

/** Keeps one modern subscription open and reopens it when it breaks. */
export async function listen(
  rpc: Rpc,
  self: ClientIdentity,
  filter: ListenFilter,
  options: {
    readonly clock: Clock
    readonly signal: AbortSignal
    /** The stream broke: changes are missed until it is reopened. */
    readonly onInterrupted: () => void
  },
): Promise<void> {
  const { clock, signal, onInterrupted } = options
  const params = withMeta({ notifications: { ...filter } as JsonObject }, requestMeta(self)) // the filter is plain JSON
  let waitMs: number = retryMs.first
  while (!signal.aborted) {
    const openedAt = clock.monotonic()
    try {
      await rpc.request('subscriptions/listen', params, { signal, isUnlimited: true })
    } catch (error) {
      if (signal.aborted || !isWorthRetrying(error)) return
    }
    onInterrupted()
    // A stream that lasted resets the delay.
    if (clock.monotonic() - openedAt > retryMs.most) waitMs = retryMs.first
    await clock.sleep(waitMs, signal, { background: true }).catch(() => undefined)
    waitMs = Math.min(waitMs * 2, retryMs.most)
  }
}

/** A server without subscriptions is not asked again; a closed connection cannot be. */
function isWorthRetrying(error: unknown): boolean {
  if (error instanceof RpcError) return error.code !== -32601 && error.code !== -32602
  return (
    error instanceof WireError && ['closed', 'network', 'upstream', 'timeout', 'rate'].includes(error.code)
  )
}
