import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server as TlsServer } from 'node:https'
import { HostError } from '../../../index.ts'

const maxConnections = 4096
/** A connection that sends its header slower than this is closed. */
const headersMs = 20_000

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

/** How often the file of the certificate is looked at. */
const renewMs = 10_000

/** Listens for HTTP or HTTPS at one address. A renewed certificate is used for the connections that come after. */
export async function listenHttp(
  listener: RequestListener,
  { host, port, tls }: ListenOptions,
): Promise<{ readonly server: Server | TlsServer; readonly port: number }> {
  const options = { requireHostHeader: true, insecureHTTPParser: false, headersTimeout: headersMs }
  const server = tls
    ? createTlsServer({ ...options, ...readCertificate(tls), minVersion: 'TLSv1.2' })
    : createServer(options)
  server.maxConnections = maxConnections
  server.on('request', listener)
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
  return { server, port: typeof address === 'object' && address !== null ? address.port : port }
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
