import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { HostError } from '../../../index.ts'
import type { HttpRequest, HttpResponse } from '../plain-http/http-messages.ts'
import { PlainConnection } from '../plain-http/plain-connection.ts'

const maxConnections = 4096
/** A connection that sends its header slower than this is closed. */
const headersMs = 20_000

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

/** Bodies up to this size are read without `node:http`. */
const maxPlainBody = 256 * 1024
/** How often idle connections are looked for. */
const sweepMs = 5000

export interface HttpListener {
  readonly port: number
  /**
   * Takes no more connections, and closes those that are idle: after their next answer, or when the time is over. A proxy sends a
   * request on a connection that it holds open, and if that is closed meanwhile, its client gets an error.
   */
  stop(lingerMs: number): Promise<void>
  /** Closes all connections. */
  destroy(): void
}

/** How often the file of the certificate is looked at. */
const renewMs = 10_000

/** Listens for HTTP or HTTPS at one address. A renewed certificate is used for the connections that come after. */
export async function listenHttp(
  listener: (request: HttpRequest, response: HttpResponse) => void,
  { host, port, tls }: ListenOptions,
): Promise<HttpListener> {
  const options = { requireHostHeader: true, insecureHTTPParser: false, headersTimeout: headersMs }
  const server = tls
    ? createTlsServer({ ...options, ...readCertificate(tls), minVersion: 'TLSv1.2' })
    : createServer(options)
  server.maxConnections = maxConnections
  server.on('request', listener)
  const plain = readPlainly(server, tls ? 'secureConnection' : 'connection', listener)
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen(port, host, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
  if (failure) throw unusable(host, port, failure)
  if (tls && 'setSecureContext' in server) renewOnChange(server, tls)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stop(lingerMs) {
      server.close()
      return plain.stop(lingerMs)
    },
    destroy() {
      server.closeAllConnections()
      plain.destroy()
    },
  }
}

/** Reads the requests of new connections directly, as far as they have the usual form; `node:http` reads the others. */
function readPlainly(
  server: Server | TlsServer,
  event: 'connection' | 'secureConnection',
  onRequest: (request: HttpRequest, response: HttpResponse) => void,
): { stop(lingerMs: number): Promise<void>; destroy(): void } {
  const connections = new Set<PlainConnection>()
  let onEmpty = () => undefined as void
  const [accept] = server.listeners(event)
  const options = {
    onRequest,
    maxBody: maxPlainBody,
    handOver: (socket: Socket) => void accept?.call(server, socket),
    onClose(connection: PlainConnection) {
      connections.delete(connection)
      if (connections.size === 0) onEmpty()
    },
  }
  server.removeAllListeners(event)
  server.on(event, (socket: Socket) => connections.add(new PlainConnection(socket, options)))
  const timer = setInterval(() => {
    const now = performance.now()
    for (const each of connections) each.sweep(now)
  }, sweepMs).unref()
  return {
    async stop(lingerMs) {
      clearInterval(timer)
      for (const each of connections) each.endSoon()
      if (lingerMs > 0 && connections.size > 0)
        await new Promise<void>((resolve) => {
          const over = setTimeout(resolve, lingerMs)
          onEmpty = () => {
            clearTimeout(over)
            resolve()
          }
        })
      for (const each of connections) each.close()
    },
    destroy() {
      for (const each of connections) each.destroy()
    },
  }
}

function renewOnChange(server: TlsServer, tls: NonNullable<ListenOptions['tls']>): void {
  const renew = () => {
    try {
      server.setSecureContext(readCertificate(tls))
    } catch {
      // Written in part, or with the key of another: the one before stays until the next change.
    }
  }
  watchFile(tls.cert, { interval: renewMs, persistent: false }, renew)
  server.once('close', () => unwatchFile(tls.cert, renew))
}

function readCertificate({ cert, key }: NonNullable<ListenOptions['tls']>) {
  const read = (file: string, what: string) => {
    try {
      return readFileSync(file)
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException // of the file system
      throw new HostError('usage', {}, `The file of the ${what}, ${file}, cannot be read (${code}).`, {
        hint: 'Name two PEM files: --tls-cert FILE --tls-key FILE, or "gateway.tls" in your settings.',
      })
    }
  }
  return { cert: read(cert, 'certificate'), key: read(key, 'private key') }
}

function unusable(host: string, port: number, { code = '' }: NodeJS.ErrnoException): HostError<'usage'> {
  const why = code === 'EADDRINUSE' ? 'Another program uses it.' : `Listening on it failed (${code}).`
  return new HostError('usage', {}, `The gateway cannot use ${host}:${port}. ${why}`, {
    hint: 'Choose another port with --port, or 0 for any.',
  })
}
