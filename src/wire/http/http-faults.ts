import type { FailureCode } from '../../model/status.ts'
import type { HttpError, HttpHeaders } from '../../platform/platform.ts'
import { sample, toBuffer } from '../frames/decode.ts'
import { WireError } from '../wire-error.ts'
import type { WireFacts } from '../wire-error.ts'

/** The parts of an answer, as far as they are known. */
export interface HttpAnswer {
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

/** An exchange failed before its answer was complete. */
export function fromHttpError(error: HttpError, status: number | undefined): WireError {
  // The request could not be built, so a value of the declaration is invalid: a header with a line break, for
  // example.
  const code = error.reason === 'malformed' && !error.sent ? 'values' : codes[error.reason]
  return new WireError(code, error.message, {
    sent: error.sent,
    facts: status === undefined ? {} : { status },
    cause: error,
  })
}

/** The server answered with an unsuccessful status. */
export function fromStatus(answer: HttpAnswer, now: number): WireError {
  const { status, headers } = answer
  const challenge = headers['www-authenticate']
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now)
  const facts: WireFacts = {
    status,
    ...(challenge !== undefined && { challenge }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  const message = status === 401 ? 'The server requires a login (HTTP 401).' : describe(answer)
  return new WireError(codeOf(status), message, { sent: mayHaveActed(status, facts), facts })
}

/** A successful status without a usable answer (FI-52). */
export function unusable(answer: HttpAnswer, why: string): WireError {
  return new WireError('protocol', `${describe(answer)}: ${why}`, {
    sent: true,
    facts: { status: answer.status },
  })
}

function codeOf(status: number): FailureCode {
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate'
  return status >= 500 ? 'upstream' : 'protocol'
}

/** A rejected request was not acted on; one that failed on the server may have been. */
function mayHaveActed(status: number, { retryAfterMs }: WireFacts): boolean {
  if (status === 503) return retryAfterMs === undefined
  return status === 408 || status >= 500
}

function describe({ status, headers, body }: HttpAnswer): string {
  const type = headers['content-type']
  const parts = [type === undefined ? 'no content type' : sample(type)]
  if (body) parts.push(body.length === 0 ? 'no body' : `"${beginning(body)}"`)
  return `The server answered with HTTP ${status} (${parts.join(', ')})`
}

/** Decodes only as many bytes as the sample can show. */
function beginning(body: Uint8Array): string {
  return sample(toBuffer(body.subarray(0, 1000)).toString('utf8'))
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** `Retry-After` in milliseconds from now. Accepts seconds or an HTTP date; any other value is ignored. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  if (!httpDate.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
