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

/** T07: a command that gives headers has so long, and may say so much. */
const commandLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 } as const

export interface Headers {
  readonly source: HeaderSource
  /** Ends a command that still runs. */
  close(): Promise<void>
}

/**
 * The headers of an entry, and those its command gives: asked for once, and again when the server no longer accepts
 * what it gave.
 */
export function createHeaders(transport: Remote, context: LinkContext): Headers {
  const fixed = fixedOf(transport, context)
  const { headersCommand, commandEnv = {} } = transport
  if (headersCommand === undefined) return createFixed(transport, fixed, context)
  const ended = new AbortController()
  const running = new Set<Promise<HttpHeaders>>()
  let given: Promise<HttpHeaders> | undefined
  const run = () => {
    const answer = runCommand(headersCommand, commandEnv, context, ended.signal)
    running.add(answer)
    answer.then(
      () => running.delete(answer),
      () => {
        running.delete(answer)
        if (given === answer) given = undefined
      },
    )
    return answer
  }
  return {
    async source(why, refused = {}) {
      const before = (given ??= run())
      const known = { ...fixed, ...(await before) }
      if (why === 'request' || !isEqual(known, refused)) return known
      // All that were refused together wait for the same run.
      if (given === before || given === undefined) given = run()
      return { ...fixed, ...(await given) }
    },
    async close() {
      ended.abort()
      await Promise.allSettled(running)
    },
  }
}

function fixedOf(transport: Remote, context: LinkContext): HttpHeaders {
  return withAgent({ ...bearerOf(transport), ...revealAll(transport.headers) }, context)
}

/** Headers whose values were looked up are looked up again when they are refused: a token may have been replaced. */
function createFixed(transport: Remote, first: HttpHeaders, { again, ...context }: LinkContext): Headers {
  let fixed = first
  let looking: Promise<HttpHeaders> | undefined
  const lookAgain = async (look: NonNullable<LinkContext['again']>) => {
    const next = await look()
    fixed = next.kind === 'stdio' ? fixed : fixedOf(next, context)
    return fixed
  }
  const isLookedUp = [...Object.values(transport.headers), transport.auth?.['token']].some(
    (value) => value instanceof Secret,
  )
  return {
    source(why, refused = {}) {
      if (why === 'request' || !again || !isLookedUp || !isEqual(fixed, refused)) return fixed
      return (looking ??= lookAgain(again).finally(() => (looking = undefined)))
    },
    close: async () => undefined,
  }
}

/** A token that the entry names beside its headers; a header that logs in counts more. */
function bearerOf({ auth, headers }: Remote): HttpHeaders {
  const token = auth?.['token']
  if (auth?.['type'] !== 'bearer' || hasAuthorization(headers)) return {}
  if (typeof token !== 'string' && !(token instanceof Secret)) return {}
  return { authorization: `Bearer ${reveal(token)}` }
}

/** Who asks, unless the entry says otherwise. */
function withAgent(headers: HttpHeaders, { self }: LinkContext): HttpHeaders {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent')) return headers
  return { 'user-agent': `${self.info.name}/${self.info.version}`, ...headers }
}

async function runCommand(
  command: string,
  env: Readonly<Record<string, string>>,
  { server, platform, redactor }: LinkContext,
  signal: AbortSignal,
): Promise<HttpHeaders> {
  const result = await platform.run(command, { cwd: platform.cwd, env, signal, ...commandLimits })
  if (result.kind === 'failed') throw unusable(server.name, result.message)
  const headers = readHeaders(result.stdout)
  if (!headers) throw unusable(server.name, 'it did not print a JSON object of texts')
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
  return value as HttpHeaders // every value was just seen to be a text
}

/** What it printed is a secret, so it is never part of the sentence. */
function unusable(server: string, why: string): HostError<'value.unresolved'> {
  const message = `The command that gives "${server}" its headers failed: ${why}.`
  return new HostError('value.unresolved', { server, names: ['headersCommand'] }, message)
}
