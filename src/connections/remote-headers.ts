import { hasAuthorization } from '../login/token-headers.ts'
import { HostError } from '../model/error.ts'
import { isEqual, isObject } from '../model/json.ts'
import { reveal, revealAll } from '../model/resolved.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import { Secret } from '../model/secret.ts'
import type { HttpHeaders } from '../platform/platform.ts'
import type { HeaderSource } from '../wire/http/endpoint.ts'
import type { LinkContext } from './link.ts'

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

/** T07: limits for a command that prints headers. */
const commandLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 } as const

export interface EntryHeaders {
  readonly source: HeaderSource
  /** Ends a command that is still running. */
  close(): Promise<void>
}

/**
 * The headers of an entry and those of its command. The command runs once, and again when the server no longer
 * accepts its headers.
 */
export function createEntryHeaders(transport: Remote, context: LinkContext): EntryHeaders {
  const fixed = fixedHeaders(transport, context)
  const { headersCommand, commandEnv = {} } = transport
  if (headersCommand === undefined) return createFixedHeaders(transport, fixed, context)
  const ended = new AbortController()
  const running = new Set<Promise<HttpHeaders>>()
  let printed: Promise<HttpHeaders> | undefined
  const run = () => {
    const answer = runCommand(headersCommand, commandEnv, context, ended.signal)
    running.add(answer)
    answer.then(
      () => running.delete(answer),
      () => {
        running.delete(answer)
        if (printed === answer) printed = undefined
      },
    )
    return answer
  }
  return {
    async source(why, refused = {}) {
      const before = (printed ??= run())
      const known = { ...fixed, ...(await before) }
      if (why === 'request' || !isEqual(known, refused)) return known
      // Requests that were refused together share one run.
      if (printed === before || printed === undefined) printed = run()
      return { ...fixed, ...(await printed) }
    },
    async close() {
      ended.abort()
      await Promise.allSettled(running)
    },
  }
}

function fixedHeaders(transport: Remote, context: LinkContext): HttpHeaders {
  return withUserAgent({ ...bearerOf(transport), ...revealAll(transport.headers) }, context)
}

/** Headers with resolved values are resolved again when the server refuses them: a token may have been replaced. */
function createFixedHeaders(
  transport: Remote,
  first: HttpHeaders,
  { resolveAgain, ...context }: LinkContext,
): EntryHeaders {
  let fixed = first
  let refreshing: Promise<HttpHeaders> | undefined
  const refresh = async (resolve: NonNullable<LinkContext['resolveAgain']>) => {
    const next = await resolve()
    fixed = next.kind === 'stdio' ? fixed : fixedHeaders(next, context)
    return fixed
  }
  const hasResolvedValues = [...Object.values(transport.headers), transport.auth?.['token']].some(
    (value) => value instanceof Secret,
  )
  return {
    source(why, refused = {}) {
      if (why === 'request' || !resolveAgain || !hasResolvedValues || !isEqual(fixed, refused)) return fixed
      return (refreshing ??= refresh(resolveAgain).finally(() => (refreshing = undefined)))
    },
    close: async () => undefined,
  }
}

/** The token in `auth` of the entry; an authorization header takes precedence. */
function bearerOf({ auth, headers }: Remote): HttpHeaders {
  const token = auth?.['token']
  if (auth?.['type'] !== 'bearer' || hasAuthorization(headers)) return {}
  if (typeof token !== 'string' && !(token instanceof Secret)) return {}
  return { authorization: `Bearer ${reveal(token)}` }
}

/** Our user agent, unless the entry sets one. */
function withUserAgent(headers: HttpHeaders, { self }: LinkContext): HttpHeaders {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent')) return headers
  return { 'user-agent': `${self.info.name}/${self.info.version}`, ...headers }
}

async function runCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  { server, platform, redactor }: LinkContext,
  signal: AbortSignal,
): Promise<HttpHeaders> {
  const cwd = server.folder ?? platform.cwd
  const result = await platform.run(command, { cwd, env, signal, ...commandLimits })
  if (result.kind === 'failed') throw unusable(server.name, result.message)
  const headers = readHeaders(result.stdout)
  if (!headers) throw unusable(server.name, 'its output is not a JSON object of strings')
  for (const value of Object.values(headers)) redactor.register(value)
  return headers
}

function readHeaders(text: string): HttpHeaders | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || !Object.values(value).every((each) => typeof each === 'string')) return undefined
  return value as HttpHeaders // every value was just checked
}

/** The output may be secret, so it is not part of the message. */
function unusable(server: string, why: string): HostError<'value.unresolved'> {
  const message = `The headers command of "${server}" failed: ${why}.`
  return new HostError('value.unresolved', { server, names: ['headersCommand'] }, message)
}
