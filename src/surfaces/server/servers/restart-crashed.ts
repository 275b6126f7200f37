import type { Status } from '../../../index.ts'
import type { ServeContext } from '../serve-context.ts'

/**
 * Starts a server again that ended by itself while a page is open: its person is at work with it. The host waits between
 * attempts and leaves a server alone that keeps crashing; without a page the next call starts it, as in every lazy host.
 */
export function restartCrashed({
  host,
  feed,
  signal,
}: Pick<ServeContext, 'host' | 'feed' | 'signal'>): Disposable {
  const restart = (server: string, { state, reason }: Status) => {
    // The state of the server tells how it went.
    if (feed.hasReaders && state === 'waiting' && reason === 'crashed')
      void host.connect(server, { signal }).catch(() => undefined)
  }
  const events = host.on((event) => {
    if (event.type === 'server.changed') restart(event.server, event.status)
  })
  const readers = feed.onReaders(() => {
    for (const { name, status } of host.servers()) restart(name, status)
  })
  return {
    [Symbol.dispose]() {
      events[Symbol.dispose]()
      readers[Symbol.dispose]()
    },
  }
}
