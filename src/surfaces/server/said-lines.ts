import type { Host } from '../../index.ts'
import type { Feed } from './serve-context.ts'

/** Lines of one server in one window; the log file has them all. */
const maxLines = 100
const windowMs = 500

/** Publishes what servers write to stderr, as much as a person can read. */
export function followLines(host: Pick<Host, 'on'>, feed: Feed): Disposable {
  const windows = new Map<string, { readonly until: number; lines: number }>()
  return host.on((event) => {
    if (event.type !== 'server.said' || !feed.hasReaders) return
    const { server, stream, line } = event
    let window = windows.get(server)
    if (!window || performance.now() > window.until) {
      const missed = window && window.lines > maxLines ? window.lines - maxLines : 0
      if (missed > 0) feed.publish({ type: 'server.said', server, stream, line: `… ${missed} lines more` })
      window = { until: performance.now() + windowMs, lines: 0 }
      windows.set(server, window)
    }
    if (++window.lines <= maxLines) feed.publish({ type: 'server.said', server, stream, line })
  })
}
