import { HttpError } from '../platform.ts'

/** The step at which a connection failed. */
export type Phase = 'lookup' | 'connect' | 'handshake'

/** Optional properties of the errors of Node and undici. */
interface Fault extends Error {
  readonly code?: string
  readonly syscall?: string
  /** The message of OpenSSL. */
  readonly reason?: string
}

/** Classifies a failed connection attempt: no request was sent. */
export function toConnectError(error: Error, phase: Phase, target: string): HttpError {
  if (error instanceof HttpError) return error
  const { code = 'no code', syscall, reason } = error as Fault // optional properties
  const fail = (kind: HttpError['reason'], message: string) =>
    new HttpError(kind, false, message, { cause: error })
  if (syscall === 'getaddrinfo') return fail('dns', `The name of ${target} has no address (${code}).`)
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return phase === 'lookup'
      ? fail('dns', `The name of ${target} was not resolved in time.`)
      : fail('timeout', `No connection to ${target} in time.`)
  }
  if (phase === 'handshake')
    return fail('tls', `No secure connection to ${target}: ${reason ?? error.message} (${code}).`)
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return fail('refused', `Nothing listens at ${target} (${code}).`)
  }
  if (code === 'ECONNRESET') return fail('reset', `The connection to ${target} was cut (${code}).`)
  return fail('network', `No connection to ${target} (${code}).`)
}

/** Classifies the failure of an exchange on an open connection, or of a request that was refused before. */
export function toHttpError(error: Error, sent: boolean): HttpError {
  if (error instanceof HttpError) return error
  const { code = '', message, name } = error as Fault // optional properties
  const fail = (kind: HttpError['reason'], text: string) => new HttpError(kind, sent, text, { cause: error })
  if (name === 'HTTPParserError') return fail('malformed', 'The answer is not HTTP.')
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return fail('timeout', 'The headers of the answer did not arrive in time.')
    case 'UND_ERR_BODY_TIMEOUT':
      return fail('timeout', 'The body of the answer stalled.')
    case 'UND_ERR_HEADERS_OVERFLOW':
      return fail('too-large', 'The headers of the answer are too large.')
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return fail('malformed', 'The body of the answer does not match its content-length.')
    case 'UND_ERR_INVALID_ARG':
      return sent ? fail('network', message) : fail('malformed', `The request cannot be sent: ${message}.`)
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return fail('reset', `The connection was cut (${code}).`)
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return fail('network', 'The connection was closed on our side.')
    default:
      return fail('network', `The connection failed (${code || message}).`)
  }
}
