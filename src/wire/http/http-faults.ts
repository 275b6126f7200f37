import type { FailureCode } from '../../model/status.ts'
import type { HttpError, HttpHeaders } from '../../platform/platform.ts'
import { sample, toBuffer } from '../frames/decode.ts'
import { WireError } from '../wire-error.ts'
import type { WireFacts } from '../wire-error.ts'

/** What an answer consisted of, as far as it is known. */
export interface Answered {
  readonly status: number
  readonly headers: HttpHeaders
  readonly body?: Uint8Array
}

const codes: Readonly<Record<HttpError['reason'], FailureCode>> = {
  dns: 'dns',
  tls: 'tls',
  refused: 'network',
  reset: 'network',
  timeout: 'timeout',
  'too-large': 'too-large',
  malformed: 'protocol',
  network: 'network',
  blocked: 'blocked',
}

/** The exchange itself failed. */
export function fromHttpError(error: HttpError, status: number | undefined): WireError {
  // What could not be put into a request came from the declaration: a header with a line break in it.
  const code = error.reason === 'malformed' && !error.sent ? 'values' : codes[error.reason]
  return new WireError(code, error.message, {
    sent: error.sent,
    facts: status === undefined ? {} : { status },
    cause: error,
  })
}

/** The server answered with a status that is no success. */
export function fromStatus(answered: Answered, now: number): WireError {
  const { status, headers } = answered
  const challenge = headers['www-authenticate']
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now)
  const facts: WireFacts = {
    status,
    ...(challenge !== undefined && { challenge }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  const message = status === 401 ? 'The server asks for a login (HTTP 401).' : describe(answered)
  return new WireError(codeOf(status), message, { sent: mayHaveActed(status, facts), facts })
}

/** A success that holds no answer (FI-52). */
export function unusable(answered: Answered, why: string): WireError {
  return new WireError('protocol', `${describe(answered)}: ${why}`, {
    sent: true,
    facts: { status: answered.status },
  })
}

function codeOf(status: number): FailureCode {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate'
  return status >= 500 ? 'upstream' : 'protocol'
}

/** A request the server turned away was not acted on; one it failed at may have been. */
function mayHaveActed(status: number, { retryAfterMs }: WireFacts): boolean {
  if (status === 503) return retryAfterMs === undefined
  return status === 408 || status >= 500
}

function describe({ status, headers, body }: Answered): string {
  const type = headers['content-type']
  const parts = [type === undefined ? 'no content type' : sample(type)]
  if (body) parts.push(body.length === 0 ? 'no body' : `"${beginning(body)}"`)
  return `The server answered with HTTP ${status} (${parts.join(', ')})`
}

/** Enough bytes for the characters that are shown. */
function beginning(body: Uint8Array): string {
  return sample(toBuffer(body.subarray(0, 1000)).toString('utf8'))
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** `Retry-After` in milliseconds from now: seconds or an HTTP date. Anything else says nothing. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  if (!httpDate.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
