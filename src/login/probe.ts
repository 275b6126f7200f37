import type { HttpClient, HttpHeaders, Platform } from '../platform/platform.ts'
import { reasonOf } from './guarded-http.ts'
import { AuthError } from './auth-error.ts'
import { parseChallenge } from './challenge.ts'
import type { Challenge } from './challenge.ts'

export interface Probe {
  readonly client: HttpClient
  readonly url: URL
  readonly kind: 'http' | 'sse'
  /** The entry's own. */
  readonly headers: HttpHeaders
  readonly clock: Platform['clock']
  readonly signal: AbortSignal
}

const probeMs = 10_000

/**
 * What the server says to who is not logged in. A list of tools, because some let everybody in and ask only then; no
 * greeting, because that would begin a session.
 */
export async function probeChallenge({
  client,
  url,
  kind,
  headers,
  clock,
  signal,
}: Probe): Promise<Challenge | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  let timer: Disposable | undefined
  let onAbort: (() => void) | undefined
  try {
    const answered = await new Promise<{ readonly status: number; readonly headers: HttpHeaders }>(
      (resolve, reject) => {
        const given = { ...headers, accept: 'application/json, text/event-stream' }
        timer = clock.timer(probeMs, () =>
          reject(new AuthError('timeout', 'The server did not answer in time.')),
        )
        onAbort = () => reject(reasonOf(signal))
        if (signal.aborted) return onAbort()
        signal.addEventListener('abort', onAbort, { once: true })
        client.send(
          {
            url,
            headersTimeoutMs: 0,
            idleTimeoutMs: 0,
            ...(kind === 'sse'
              ? { method: 'GET', headers: given }
              : { method: 'POST', headers: { ...given, 'content-type': 'application/json' }, body }),
          },
          {
            onHeaders: (status, found) => resolve({ status, headers: found }),
            onData: () => undefined,
            onEnd: () => undefined,
            onError: (error) =>
              reject(new AuthError('unreachable', `The server cannot be reached: ${error.message}`)),
          },
        )
      },
    )
    if (answered.status !== 401 && answered.status !== 403) return undefined
    return parseChallenge(answered.headers['www-authenticate']) ?? { scheme: 'bearer' }
  } finally {
    timer?.[Symbol.dispose]()
    if (onAbort) signal.removeEventListener('abort', onAbort)
    await client.close()
  }
}
