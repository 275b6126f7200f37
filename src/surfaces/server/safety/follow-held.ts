import type { ServeContext } from '../serve-context.ts'

/** Tells pages that something is held or was accepted: their numbers, and what they show of it. */
export function followHeld(context: ServeContext): Disposable {
  const { host, feed } = context
  let isDue = false
  const publish = async () => {
    isDue = false
    feed.publish({ type: 'counts.changed', counts: await context.counts() })
  }
  return host.on(({ type }) => {
    if (type !== 'offer.held' && type !== 'offer.accepted') return
    // Many come with one list.
    if (!isDue) queueMicrotask(() => void publish().catch(() => undefined))
    isDue = true
  })
}
