import { lookup } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { HttpError } from '../platform.ts'
import { toConnectError } from './http-error.ts'
import type { Phase } from './http-error.ts'

/** A loaded machine needs more than Node's 250 ms before the next address is worth a try. */
const attemptMs = 2000
const connectMs = 10_000

export interface TlsOptions {
  readonly verify?: boolean
  readonly ca?: string
}

/** How every connection of ours is made. */
export function connectOptions({ verify = true, ca }: TlsOptions): buildConnector.BuildOptions {
  return {
    timeout: connectMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    rejectUnauthorized: verify,
    ...(ca !== undefined && { ca }),
  }
}

/** T29: what a name stands for is looked up once, checked as a whole, and connected to as it was checked. */
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
  return new HttpError('blocked', false, `${hostname} is an address that may not be asked for this.`)
}

export interface Target {
  /** What a failure calls it; the host, where nothing is said. */
  readonly name?: string
  /** A socket in the file system: there is no name to look up. */
  readonly isLocal?: boolean
}

/** Tells at which step a connection failed, and keeps its socket in `sockets` for as long as it is there. */
export function watchConnect(
  connect: buildConnector.connector,
  sockets: Set<Socket>,
  { name, isLocal = false }: Target = {},
): buildConnector.connector {
  return (options, callback) => {
    let phase: Phase = isLocal || isIP(options.hostname) ? 'connect' : 'lookup'
    const target = name ?? options.host ?? options.hostname
    // It returns the socket, which its type does not say.
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

/** The same for a connection inside a proxy's tunnel: the tunnel stands, or the proxy refused it. */
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
