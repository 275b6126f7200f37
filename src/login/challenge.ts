import { onAbort } from '../model/abort.ts'
import type { HttpClient, HttpHeaders, Platform } from '../platform/platform.ts'
import { AuthError } from './auth-error.ts'
import { abortReason } from './guarded-http.ts'

/** The challenge of a server that requires a token or one with more scopes (RFC 6750, RFC 9728). */
export interface Challenge {
  readonly scheme: 'bearer' | 'dpop'
  readonly resourceMetadata?: string
  readonly scopes?: readonly string[]
  readonly error?: string
}

const maxHeaderLength = 8 * 1024
const challengePart =
  /([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?[ \t]*,?[ \t]*/y

/** Returns the first challenge whose scheme is known; a header may hold several. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const found: { scheme: string; values: Map<string, string> }[] = []
  const text = (header ?? '').slice(0, maxHeaderLength)
  challengePart.lastIndex = 0
  for (let match = challengePart.exec(text); match?.[1] !== undefined; match = challengePart.exec(text)) {
    const [, name, quoted, plain] = match
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) found.push({ scheme: name.toLowerCase(), values: new Map() })
    else found.at(-1)?.values.set(name.toLowerCase(), value)
  }
  const known = found.find(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  if (!known) return undefined
  const { values, scheme } = known
  const [metadata, scope, error] = ['resource_metadata', 'scope', 'error'].map((name) => values.get(name))
  return {
    scheme: scheme === 'dpop' ? 'dpop' : 'bearer',
    ...(metadata && { resourceMetadata: metadata }),
    ...(scope && { scopes: toScopes(scope) }),
    ...(error && { error }),
  }
}

export function toScopes(text: string): readonly string[] {
  // The characters that RFC 6749 3.3 allows in a scope.
  return [...new Set(text.split(' ').filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(scope)))]
}

export interface ProbeOptions {
  readonly client: HttpClient
  readonly url: URL
  readonly kind: 'http' | 'sse'
  /** The headers of the entry. */
  readonly headers: HttpHeaders
  readonly clock: Platform['clock']
  readonly signal: AbortSignal
}

const probeMs = 10_000

/**
 * Returns the server's challenge to a request without a token. Sends `tools/list`, because some servers accept
 * `initialize` without a token, and because `initialize` would begin a session.
 */
export async function probeChallenge({
  client,
  url,
  kind,
  headers,
  clock,
  signal,
}: ProbeOptions): Promise<Challenge | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  let timer: Disposable | undefined
  let listening: Disposable | undefined
  try {
    const response = await new Promise<{ readonly status: number; readonly headers: HttpHeaders }>(
      (resolve, reject) => {
        const sentHeaders = { ...headers, accept: 'application/json, text/event-stream' }
        timer = clock.timer(probeMs, () =>
          reject(new AuthError('timeout', 'The server did not answer in time.')),
        )
        listening = onAbort(signal, () => reject(abortReason(signal)))
        if (signal.aborted) return
        client.send(
          {
            url,
            headersTimeoutMs: 0,
            idleTimeoutMs: 0,
            ...(kind === 'sse'
              ? { method: 'GET', headers: sentHeaders }
              : { method: 'POST', headers: { ...sentHeaders, 'content-type': 'application/json' }, body }),
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
    if (response.status !== 401 && response.status !== 403) return undefined
    return parseChallenge(response.headers['www-authenticate']) ?? { scheme: 'bearer' }
  } finally {
    timer?.[Symbol.dispose]()
    listening?.[Symbol.dispose]()
    await client.close()
  }
}
