import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import type { Dispatcher, Pool } from 'undici'
import type { HttpClient, HttpOptions } from '../platform.ts'
import { blocked, connectOptions, guardedLookup, watchConnect, watchTunnel } from './http-connect.ts'
import { Exchange } from './http-exchange.ts'
import { findProxy, isLoopback } from './http-proxy.ts'

const maxHeaderBytes = 32 * 1024

/** Creates a client for one origin, with its own keep-alive connections. */
export async function createHttpClient(options: HttpOptions): Promise<HttpClient> {
  const { url } = options
  const sockets = new Set<Socket>()
  const literal = url.hostname.replace(/^\[(.+)\]$/, '$1')
  // An IP address is not resolved, so the guarded lookup would not see it.
  if (options.allows && isIP(literal) !== 0 && !options.allows(literal)) throw blocked(literal)
  const proxy = options.socketPath === undefined ? findProxy(url, options.env) : undefined
  const dispatcher = proxy ? await openProxied(options, proxy, sockets) : await openDirect(options, sockets)
  // Compression costs more than it saves over loopback, and over plain http it is not worth the risk.
  const encodings =
    url.protocol === 'https:' && !isLoopback(url.hostname) ? { 'accept-encoding': 'gzip, br, deflate' } : {}
  let closing: Promise<void> | undefined

  return {
    send(request, listener) {
      if (request.url.origin !== url.origin) throw new Error(`This client is for ${url.origin} only.`)
      const exchange = new Exchange(listener)
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: request.url.pathname + request.url.search,
          method: request.method,
          headers: { ...encodings, ...request.headers },
          body: request.body ?? null,
          headersTimeout: request.headersTimeoutMs,
          bodyTimeout: request.idleTimeoutMs,
        },
        exchange,
      )
      return exchange
    },
    close() {
      closing ??= closeAll(dispatcher, sockets)
      return closing
    },
  }
}

async function openDirect(options: HttpOptions, sockets: Set<Socket>): Promise<Pool> {
  const [{ default: Pool }, { default: buildConnector }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/core/connect.js'),
  ])
  const { socketPath, allows } = options
  const connect = buildConnector({
    ...connectOptions(options.tls ?? {}),
    ...(allows && { lookup: guardedLookup(allows) }),
    ...(socketPath !== undefined && { socketPath }),
  })
  return new Pool(options.url.origin, {
    connections: options.maxConnections,
    maxHeaderSize: maxHeaderBytes,
    connect: watchConnect(
      connect,
      sockets,
      socketPath === undefined ? {} : { name: socketPath, isLocal: true },
    ),
  })
}

/** https uses a tunnel; http sends plain requests to the proxy, as proxies expect. */
async function openProxied(options: HttpOptions, proxy: URL, sockets: Set<Socket>): Promise<Dispatcher> {
  // The complete package: a tunnel needs methods that only its index adds.
  const { Pool, ProxyAgent } = await import('undici')
  const isTunnel = options.url.protocol === 'https:'
  const toProxy = (given: object): Pool.Options => {
    const { connect } = given as Pool.Options // the type that ProxyAgent passes
    const watched =
      typeof connect === 'function'
        ? watchConnect(connect, sockets, { name: `the proxy ${proxy.host}` })
        : connect
    return {
      connections: options.maxConnections,
      maxHeaderSize: maxHeaderBytes,
      ...(watched && { connect: watched }),
    }
  }
  const throughTunnel = (given: object): Pool.Options => {
    const { connect, ...rest } = given as Pool.Options // the type that ProxyAgent passes
    return { ...rest, ...(typeof connect === 'function' && { connect: watchTunnel(connect) }) }
  }
  return new ProxyAgent({
    uri: proxy.href,
    proxyTunnel: isTunnel,
    connections: options.maxConnections,
    maxHeaderSize: maxHeaderBytes,
    requestTls: connectOptions(options.tls ?? {}),
    proxyTls: connectOptions({}),
    clientFactory: (origin, given) => new Pool(origin, toProxy(given)),
    factory: (origin, given) => new Pool(origin, isTunnel ? throughTunnel(given) : toProxy(given)),
  })
}

/** Closes all connections. The dispatcher does not own sockets that are still connecting, so they are destroyed here. */
async function closeAll(dispatcher: Dispatcher, sockets: Set<Socket>): Promise<void> {
  const destroyed = dispatcher.destroy()
  for (const socket of sockets) socket.destroy(new Error('closed'))
  await destroyed
}
