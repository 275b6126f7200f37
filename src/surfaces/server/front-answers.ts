import type { IncomingMessage, ServerResponse } from 'node:http'
import { faultOf } from './error-status.ts'
import type { OpenLinks } from './open-links.ts'
import type { PageFiles } from './page-files.ts'
import { contentSecurityPolicy, safeHeaders } from './page-security.ts'
import { RequestFault } from './request-fault.ts'

export interface FrontParts {
  readonly pages: PageFiles
  readonly links: OpenLinks
  /** The token of the page, as it stands behind a path. */
  readonly pageToken: string
  /** Shows another program of the person that the token is known here, without the token. */
  readonly prove: (nonce: string) => string
  /** What the page may show in frames. */
  readonly frames?: string
}

interface FrontAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/**
 * What needs no token: the files of the page and the ways to it. Written straight to the socket: the objects of the web that
 * Hono needs take 25 ms to load, and most of a page's first answers need neither them nor the host.
 */
export class FrontAnswers {
  readonly #parts: FrontParts

  constructor(parts: FrontParts) {
    this.#parts = parts
  }

  /** @param path As the guard has read it. */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    try {
      send(request, response, await this.#find(request, path))
    } catch (error) {
      send(request, response, faultAnswer(error))
    }
  }

  async #find({ headers }: IncomingMessage, path: string): Promise<FrontAnswer> {
    const { links, pageToken, prove, pages, frames } = this.#parts
    const [, ticket] = /^\/open\/([^/]+)$/.exec(path) ?? []
    if (ticket !== undefined) {
      const leadsTo = links.use(ticket)
      if (leadsTo !== undefined) return { status: 302, headers: { location: leadsTo + pageToken } }
      throw new RequestFault('http.not-found', 'This link leads to the page only once.', {
        hint: 'The address: plugboard serve --address',
      })
    }
    const [, nonce] = /^\/proof\/([0-9a-f]{64})$/.exec(path) ?? []
    if (nonce !== undefined) return jsonAnswer(200, { proof: prove(nonce) })
    if (headers['service-worker'] === 'script')
      return { status: 200, headers: { 'content-type': 'text/javascript' }, body: leavingWorker }
    const { headers: own, ...answer } = await pages.answer({
      path,
      acceptEncoding: headers['accept-encoding'],
      ifNoneMatch: headers['if-none-match'],
    })
    return { ...answer, headers: { ...own, 'content-security-policy': contentSecurityPolicy(frames) } }
  }
}

/** Of a request that failed before the API had it. */
export function faultAnswer(error: unknown): FrontAnswer {
  const { status, fault } = faultOf(error)
  return jsonAnswer(status, { error: fault })
}

function jsonAnswer(status: number, value: unknown): FrontAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  }
}

/** With the headers of every answer. */
export function send(
  { method }: Pick<IncomingMessage, 'method'>,
  response: ServerResponse,
  { status, headers, body }: FrontAnswer,
): void {
  // In the order of the others, so that every answer looks the same.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const own = Object.entries({ ...headers, ...length }).sort(([one], [other]) => (one < other ? -1 : 1))
  response.writeHead(status, { ...safeHeaders, ...Object.fromEntries(own) })
  response.end(method === 'HEAD' ? undefined : body)
}

/**
 * A program that had this port before may have left a service worker in the browser, which would answer instead of us. When
 * the browser looks for a new version of it, it gets one that ends itself.
 */
const leavingWorker = `
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.registration.unregister()))
`
