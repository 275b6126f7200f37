import { dirname, resolve } from 'node:path'
import { HostError } from '../model/error.ts'
import { reveal } from '../model/resolved.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { HttpOptions } from '../platform/platform.ts'
import { isModernError } from '../wire/eras/modern.ts'
import type { HttpChannelOptions } from '../wire/http/endpoint.ts'
import { openSse } from '../wire/http/sse.ts'
import { openStreamableHttp } from '../wire/http/streamable.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { talk } from './link.ts'
import type { Link, LinkContext } from './link.ts'
import { createLoggedIn } from './remote-login.ts'

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

/** Opens a link to an address, in the other of the two ways where the first is not the server's (D-3). */
export async function openRemote(
  transport: Remote,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  const { kind, fallback } = transport
  try {
    return await open(kind, transport, context, signal)
  } catch (error) {
    if (kind === 'http' && fallback === 'sse' && isStatus(error, [400, 404, 405])) {
      return openInstead('sse', error, transport, context, signal)
    }
    if (kind === 'sse' && isStatus(error, [404, 405])) {
      return openInstead('http', error, transport, context, signal)
    }
    throw error
  }
}

/** The status alone counts, whatever is said with it, unless that is in the words of the new era. */
function isStatus(error: unknown, statuses: readonly number[]): boolean {
  if (isModernError(error)) return false
  const status = error instanceof WireError ? error.facts.status : undefined
  return statuses.includes((error instanceof RpcError ? error.status : status) ?? 0)
}

/** When neither way works, what is wrong with the one that was declared is what a person can mend. */
async function openInstead(
  kind: 'http' | 'sse',
  first: unknown,
  transport: Remote,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  try {
    return await open(kind, transport, context, signal)
  } catch (error) {
    throw error instanceof WireError && error.code === 'auth' ? error : first
  }
}

async function open(
  kind: 'http' | 'sse',
  transport: Remote,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  const { on, platform, limits, protocol } = context
  on.step('starting')
  const url = urlOf(transport, context)
  const reaching = await httpOptions(url, transport, context)
  const headers = await createLoggedIn(transport, url, context, reaching.tls)
  const options: HttpChannelOptions = {
    client: await platform.http(reaching),
    url,
    headers: headers.source,
    clock: platform.clock,
    limits: { maxBytes: limits.maxBytes },
  }
  on.step('greeting')
  const channel = headers.over(kind === 'http' ? openStreamableHttp(options) : openSse(options))
  const { rpc, greet } = talk(channel, context, { signal, finish: () => headers.close() })
  try {
    // HTTP+SSE is of a time before there was anything to probe for.
    return await greet(kind === 'sse' ? 'legacy' : protocol)
  } catch (error) {
    await Promise.all([
      rpc.close(new WireError('closed', 'The connection was given up.', { cause: error })),
      headers.close(),
    ])
    throw error
  }
}

export function urlOf(transport: Pick<Remote, 'url'>, { server }: Pick<LinkContext, 'server'>): URL {
  const text = reveal(transport.url)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new HostError(
    'config.invalid',
    { server: server.name },
    `The address of "${server.name}" is no http or https url.`,
  )
}

type Addressed = Pick<LinkContext, 'platform' | 'limits' | 'server'>

/** How an entry wants its address to be connected to. */
export async function httpOptions(
  url: URL,
  { socketPath, tls }: Pick<Remote, 'socketPath' | 'tls'>,
  context: Addressed,
): Promise<HttpOptions> {
  const { platform, limits } = context
  return {
    url,
    env: platform.env,
    // Answers to the server's own requests must get through while every call is under way.
    maxConnections: limits.maxInFlight.http + 16,
    ...(socketPath !== undefined && { socketPath }),
    ...(tls && {
      tls: {
        ...(tls.verify !== undefined && { verify: tls.verify }),
        ...(tls.caFile !== undefined && { ca: await readCa(tls.caFile, context) }),
      },
    }),
  }
}

async function readCa(named: string, { platform, server }: Addressed): Promise<string> {
  const path = resolve(dirname(server.origin.file), named.replace(/^~(?=\/)/, platform.home))
  const found = await platform.files.readText(path)
  if (found.kind === 'text') return found.text
  throw new HostError(
    'config.invalid',
    { server: server.name, file: path },
    `The caFile ${path} cannot be read.`,
  )
}
