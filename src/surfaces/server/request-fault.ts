import type { Fault } from '../api/shared-shapes.ts'

/** What can be wrong with a request itself, with the status of the answer. `docs/reference/api.md` is generated from this table. */
export const requestFaults = {
  'http.bad-request': { status: 400, means: 'The request cannot be read: its path, query or body.' },
  'http.token': { status: 401, means: 'The token is missing or wrong.' },
  'http.host': { status: 403, means: 'The request names another host than this server.' },
  'http.origin': { status: 403, means: 'The request comes from a page of another origin.' },
  'http.not-found': { status: 404, means: 'There is no such route or file.' },
  'http.method': { status: 405, means: 'The method is not used here.' },
  'http.too-large': { status: 413, means: 'The body is too large.' },
  'http.type': { status: 415, means: 'The body is not JSON.' },
  'http.busy': { status: 503, means: 'Too many readers of the events.' },
  'http.no-page': { status: 503, means: 'The files of the page are not built.' },
  internal: { status: 500, means: 'A bug in Plugboard; the terminal of `serve` has the details.' },
} as const

export type RequestFaultCode = keyof typeof requestFaults

/** A request that is refused before a handler sees it. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault'
  readonly code: RequestFaultCode
  readonly hint: string | undefined
  readonly data: Readonly<Record<string, unknown>> | undefined

  constructor(
    code: RequestFaultCode,
    message: string,
    { hint, data }: Partial<Pick<RequestFault, 'hint' | 'data'>> = {},
  ) {
    super(message)
    this.code = code
    this.hint = hint
    this.data = data
  }

  get status(): number {
    return requestFaults[this.code].status
  }

  toFault(): Fault {
    const { code, message, hint, data } = this
    return { code, message, ...(hint !== undefined && { hint }), ...(data && { data }) }
  }
}

/** An answer in the form of another contract than ours. */
export class PlainFault extends Error {
  override readonly name = 'PlainFault'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(String(status))
    this.status = status
    this.body = body
  }
}
