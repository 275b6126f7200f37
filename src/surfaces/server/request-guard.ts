import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { RequestFault } from './request-fault.ts'

export interface GuardOptions {
  readonly port: number
  readonly token: string
  /** Which paths need no token; the files of the page by default. */
  readonly isOpen?: (path: string) => boolean
}

export const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Headers that decide, each of which may stand in a request only once. */
const single = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-type'] as const
/** Most other headers are told apart by their length alone. */
const singleLengths: ReadonlySet<number> = new Set(single.map(({ length }) => length))

export interface Passed {
  readonly hasToken: boolean
  /** Decoded. */
  readonly path: string
  /** Whether it asks for what needs no token: a file of the page, or a way to it. However its path is read, it is none of the API. */
  readonly isFront: boolean
}

/** Throws a `RequestFault`, or returns what the request may ask for. */
export type Guard = (request: IncomingMessage) => Passed

/**
 * Checks every request before anything reads it (T36, T37): it names this address, comes from this page or from no page at
 * all, and has the token where it asks for more than the files of the page.
 */
export function createGuard({ port, token, isOpen = isPage }: GuardOptions): Guard {
  const host = `127.0.0.1:${port}`
  const expected = digest(`Bearer ${token}`)
  return (request) => {
    const { method = '', url = '' } = request
    const values = readHeaders(request)
    if (values.host !== host)
      throw new RequestFault('http.host', `This server answers at http://${host} only.`)
    if (values.origin !== undefined && values.origin !== `http://${host}`)
      throw new RequestFault('http.origin', 'Pages of other origins are refused.')
    if (values['sec-fetch-site'] !== undefined && !['same-origin', 'none'].includes(values['sec-fetch-site']))
      throw new RequestFault('http.origin', 'Requests of other sites are refused.')
    const { path, raw } = readPath(url)
    if (!methods.has(method))
      throw new RequestFault('http.method', `The method ${method.slice(0, 20)} is not used here.`)
    // A slash in a name (`%2F`) ends no part of the path as it was sent: each reading may be one of the API.
    const isFront = isOpen(path) && isOpen(raw) && (method === 'GET' || method === 'HEAD')
    if (isFront) return { hasToken: false, path, isFront }
    if (!timingSafeEqual(digest(values.authorization ?? ''), expected))
      throw new RequestFault(
        'http.token',
        'The token is missing, or belongs to another start of the server.',
        {
          hint: 'The address with the token: plugboard serve --address',
        },
      )
    const type = values['content-type']
    if (hasBody(request) && type?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
      throw new RequestFault('http.type', 'A body has to be application/json.')
    return { hasToken: true, path, isFront }
  }
}

/** Without the token only files of the page are answered, which hold nothing of the person. */
function isPage(path: string): boolean {
  return !(/^\/api(?:\/|$)/.test(path) || /^\/conversations\/[^/]+\/mcp(?:\/|$)/.test(path))
}

/** The path as it was sent, and decoded. A path that others could read in another way, by its dots or slashes, is refused. */
export function readPath(url: string): { readonly path: string; readonly raw: string } {
  const raw = url.split('?', 1)[0] ?? ''
  try {
    if (url.startsWith('/') && new URL(`http://127.0.0.1${url}`).pathname === raw && !raw.startsWith('//'))
      return { path: decodeURIComponent(raw), raw }
  } catch {
    // Not an address, or not UTF-8.
  }
  throw new RequestFault('http.bad-request', 'The path of the request cannot be used.')
}

type SingleHeader = (typeof single)[number]

/** Node joins or drops repeated headers; here they are refused. */
export function readHeaders({
  rawHeaders,
}: {
  readonly rawHeaders: readonly string[]
}): Partial<Record<SingleHeader, string>> {
  const found: Partial<Record<SingleHeader, string>> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? ''
    if (!singleLengths.has(sent.length)) continue
    const lower = sent.toLowerCase()
    const name = single.find((each) => each === lower)
    if (name === undefined) continue
    if (found[name] !== undefined)
      throw new RequestFault(faultOfTwice[name], `The header ${name} occurs twice.`)
    found[name] = rawHeaders[at + 1] ?? ''
  }
  return found
}

const faultOfTwice = {
  host: 'http.host',
  origin: 'http.origin',
  'sec-fetch-site': 'http.origin',
  authorization: 'http.token',
  'content-type': 'http.type',
} as const

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Of one length, so that a comparison takes the same time for all. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
