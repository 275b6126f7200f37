import type { ServeContext } from '../serve-context.ts'

/**
 * Connects servers whose lists are not on disk, once a page looks: the page shows what they offer, and why one of them does
 * not. Each declaration is tried once, so that pages that come and go do not start a broken server again and again. Known
 * servers stay idle until they are used.
 */
export function learnServers({ host, feed, signal }: ServeContext): Disposable {
  const tried = new Set<string>()
  const learn = () => {
    if (!feed.hasReaders) return
    const fresh = host.servers().filter(({ id }) => !tried.has(id))
    for (const { id } of fresh) tried.add(id)
    // Each server's state tells how it went.
    if (fresh.length > 0)
      void host.ready({ servers: fresh.map(({ name }) => name), signal }).catch(() => undefined)
  }
  const readers = feed.onReaders(learn)
  const events = host.on(({ type }) => type === 'config.changed' && learn())
  learn()
  return {
    [Symbol.dispose]() {
      readers[Symbol.dispose]()
      events[Symbol.dispose]()
    },
  }
}
