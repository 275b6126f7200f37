import { lookup } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { HttpError } from '../platform.ts'
import { toConnectError } from './http-error.ts'
import type { Phase } from './http-error.ts'

/** Time for one address before the next is tried. Node's default of 250 ms is too short on a loaded machine. */
const attemptMs = 2000
const connectMs = 10_000

export interface TlsOptions {
  readonly verify?: boolean
  readonly ca?: string
}

/** The options of every connection. */
export function connectOptions({ verify = true, ca }: TlsOptions): buildConnector.BuildOptions {
  return {
    timeout: connectMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    rejectUnauthorized: verify,
    ...(ca !== undefined && { ca }),
  }
}

/** T29: resolves a name once, checks all of its addresses, and connects only to the checked ones. */
export function guardedLookup(allows: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, [])
      const [first] = found
      if (!first || !found.every(({ address }) => allows(address))) return callback(blocked(hostname), [])
      if (options.all) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

export function blocked(hostname: string): HttpError {
  return new HttpError('blocked', false, `${hostname} is not an allowed address for this request.`)
}

export interface Target {
  /** The name in error messages; the host by default. */
  readonly name?: string
  /** A socket in the file system: no name is resolved. */
  readonly isLocal?: boolean
}

/** Reports the step at which a connection failed, and keeps its socket in `sockets` until it closes. */
export function watchConnect(
  connect: buildConnector.connector,
  sockets: Set<Socket>,
  { name, isLocal = false }: Target = {},
): buildConnector.connector {
  return (options, callback) => {
    let phase: Phase = isLocal || isIP(options.hostname) ? 'connect' : 'lookup'
    const target = name ?? options.host ?? options.hostname
    // The connector returns the socket, which its type omits.
    const socket = connect(options, (...[error, connected]) => {
      if (error) callback(toConnectError(error, phase, target), null)
      else callback(null, connected)
    }) as unknown as Socket
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.once('lookup', () => (phase = 'connect'))
    socket.once('connect', () => (phase = options.protocol === 'https:' ? 'handshake' : 'connect'))
  }
}

/** The same for a connection through a proxy's tunnel: either the handshake failed, or the proxy refused the tunnel. */
export function watchTunnel(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, connected]) => {
      if (!error) return callback(null, connected)
      const target = options.host ?? options.hostname
      callback(isRefusal(error) ? refusedTunnel(error) : toConnectError(error, 'handshake', target), null)
    })
}

function isRefusal(error: Error & { readonly code?: string }): boolean {
  return error.code === 'UND_ERR_ABORTED'
}

function refusedTunnel(error: Error): HttpError {
  return new HttpError('network', false, 'The proxy refused the connection.', { cause: error })
}
