import { resolve } from 'node:path'
import { HostError } from '../model/error.ts'
import { gatewaysHeader } from '../model/launch/gateways-header.ts'
import { entryFolder } from '../model/server.ts'
import { reveal } from '../model/resolved.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import type { HttpClient, HttpOptions } from '../platform/platform.ts'
import { isModernError } from '../wire/eras/modern.ts'
import type { HttpChannelOptions } from '../wire/http/endpoint.ts'
import { openSse } from '../wire/http/sse.ts'
import { openStreamableHttp } from '../wire/http/streamable.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { startRpc } from './link.ts'
import type { Link, LinkContext } from './link.ts'
import { createLoginHeaders } from './remote-login.ts'

type Remote = ResolvedTransport & { readonly kind: 'http' | 'sse' }

/** Opens a link to an address. If the server does not speak the declared transport, tries the other one (D-3). */
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
      return openFallback('sse', error, transport, context, signal)
    }
    if (kind === 'sse' && isStatus(error, [404, 405])) {
      return openFallback('http', error, transport, context, signal)
    }
    throw error
  }
}

/** Only the status counts, unless the body is a modern error. */
function isStatus(error: unknown, statuses: readonly number[]): boolean {
  if (isModernError(error)) return false
  const status = error instanceof WireError ? error.facts.status : undefined
  return statuses.includes((error instanceof RpcError ? error.status : status) ?? 0)
}

/** If both transports fail, the error of the declared one is reported: that is what a person can fix. */
async function openFallback(
  kind: 'http' | 'sse',
  declaredError: unknown,
  transport: Remote,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  try {
    return await open(kind, transport, context, signal)
  } catch (error) {
    throw error instanceof WireError && error.code === 'auth' ? error : declaredError
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
  const httpClientOptions = await httpOptions(url, transport, context)
  const headers = await createLoginHeaders(transport, url, context, httpClientOptions.tls)
  const options: HttpChannelOptions = {
    client: withGateways(await platform.http(httpClientOptions), context),
    url,
    headers: headers.source,
    clock: platform.clock,
    limits: { maxBytes: limits.maxBytes },
  }
  on.step('greeting')
  const channel = headers.wrapChannel(kind === 'http' ? openStreamableHttp(options) : openSse(options))
  const { rpc, greet } = startRpc(channel, context, { signal, finish: () => headers.close() })
  try {
    // HTTP+SSE predates the probe.
    return await greet(kind === 'sse' ? 'legacy' : protocol)
  } catch (error) {
    await Promise.all([
      rpc.close(new WireError('closed', 'The connection was given up.', { cause: error })),
      headers.close(),
    ])
    throw error
  }
}

/** Each request of a gateway says which gateways it has passed. */
function withGateways(client: HttpClient, { gateways }: LinkContext): HttpClient {
  if (!gateways) return client
  return {
    send: (request, listener) =>
      client.send({ ...request, headers: { ...request.headers, [gatewaysHeader]: gateways() } }, listener),
    close: () => client.close(),
  }
}

export function urlOf(transport: Pick<Remote, 'url'>, { server }: Pick<LinkContext, 'server'>): URL {
  const text = reveal(transport.url)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new HostError(
    'config.invalid',
    { server: server.name },
    `The address of "${server.name}" is not an http or https URL.`,
  )
}

type AddressContext = Pick<LinkContext, 'platform' | 'limits' | 'server'>

/** The HTTP options of an entry. */
export async function httpOptions(
  url: URL,
  { socketPath, tls }: Pick<Remote, 'socketPath' | 'tls'>,
  context: AddressContext,
): Promise<HttpOptions> {
  const { platform, limits } = context
  return {
    url,
    env: platform.env,
    // Leaves room for answers to the server's requests while all calls are in flight.
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

async function readCa(named: string, { platform, server }: AddressContext): Promise<string> {
  const path = resolve(entryFolder(server), named.replace(/^~(?=\/)/, platform.home))
  const found = await platform.files.readText(path)
  if (found.kind === 'text') return found.text
  throw new HostError(
    'config.invalid',
    { server: server.name, file: path },
    `The caFile ${path} cannot be read.`,
  )
}
