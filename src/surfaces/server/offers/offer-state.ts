import type { ServeContext } from '../serve-context.ts'
import { CallLog } from './call-log.ts'

/** What this area keeps for one `serve`. */
export interface OfferState {
  readonly calls: CallLog
  /** Followed resources, by server and URI. */
  readonly subscriptions: Map<string, Disposable>
  /** Loads what servers offer, in the background; runs once at a time. */
  readonly load: () => void
}

const states = new WeakMap<ServeContext, OfferState>()

export function offersOf(context: ServeContext): OfferState {
  const known = states.get(context)
  if (known) return known
  const { host } = context
  let loading: Promise<void> | undefined
  const state: OfferState = {
    calls: new CallLog(context),
    subscriptions: new Map(),
    load() {
      const isUnknown = host.servers().some(({ isKnown, status }) => !isKnown && status.state === 'idle')
      // A server that cannot be reached says so itself.
      if (isUnknown)
        loading ??= host
          .ready()
          .finally(() => (loading = undefined))
          .catch(() => undefined)
    },
  }
  states.set(context, state)
  return state
}
