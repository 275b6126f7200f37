import type { Host, Platform } from '../../index.ts'

interface Waiting {
  readonly signal: AbortSignal
  readonly clock: Platform['clock']
  /** For servers whose tools are known already. */
  readonly timeoutMs: number
}

/** Every server has its own deadline; this one is only there because every wait has one. */
const longestMs = 10 * 60_000

/** Until every server is known, and connected or failed; those that are known are not waited for beyond the time (C13). */
export async function untilSettled(host: Host, { signal, clock, timeoutMs }: Waiting): Promise<void> {
  try {
    await host.ready({ timeoutMs: longestMs, signal })
    const over = new AbortController()
    const waited = clock.sleep(timeoutMs, AbortSignal.any([signal, over.signal]))
    await Promise.race([connected(host, over.signal), waited]).finally(() => over.abort())
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function connected(host: Host, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const isOver = host.servers().every(({ status }) => status.state !== 'connecting')
      if (!isOver) return
      listening[Symbol.dispose]()
      resolve()
    }
    const listening = host.on(look)
    signal.addEventListener('abort', () => listening[Symbol.dispose](), { once: true })
    look()
  })
}
