import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../../internal.ts'

/** The head of a request of the usual form. */
export interface PlainHead {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  /** The client closes the connection after this request. */
  readonly isLast: boolean
  /** Set once a request with this head has passed all checks, where none of them can end otherwise with the next one. */
  passedAs?: Caller
}

export interface ReadHead {
  readonly head: PlainHead
  /** Bytes of the body. */
  readonly length: number
}

const requestLine = /^(GET|POST|DELETE) (\/[\x21-\x7e]*) HTTP\/1\.1$/
/** A name, and a value of visible characters and spaces. */
const headerLine = /^([\w!#$%&'*+.^`|~-]+):([\x20-\x7e]*)$/
const digits = /^\d{1,9}$/
const isBody = /^[1-9]\d{0,8}$/
/** Headers that change how a request is read. `node:http` knows what they mean. */
const meaningful: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'http2-settings',
  'proxy-connection',
  // `node:http` makes a list of the first, and leaves out the second.
  'set-cookie',
  '__proto__',
])

/**
 * Reads a head of the usual form: HTTP/1.1, one value for each header, no header that changes how the request is read.
 * `undefined` for any other one, whether it is right or wrong: that is for `node:http` to say, so that no request is read here
 * in another way than there.
 *
 * @param text The lines up to the empty one, each with its end.
 */
export function readPlainHead(text: string): ReadHead | undefined {
  const lines = text.split('\r\n')
  const [, method, url = ''] = requestLine.exec(lines[0] ?? '') ?? []
  if (method === undefined) return undefined
  // Names come from the client: none of them may be found in a prototype.
  const headers: Record<string, string> = Object.create(null) as Record<string, string> // as `node:http` makes it
  const rawHeaders: string[] = []
  // After the last line there is nothing but its end.
  for (let at = 1; at < lines.length - 1; at++) {
    const [, name = '', sent = ''] = headerLine.exec(lines[at] ?? '') ?? []
    const lower = name.toLowerCase()
    if (name === '' || headers[lower] !== undefined || meaningful.has(lower)) return undefined
    const value = sent.trim()
    headers[lower] = value
    rawHeaders.push(name, value)
  }
  const { host, connection = 'keep-alive', 'content-length': length } = headers
  const isLast = /^close$/i.test(connection)
  if (host === undefined || (!isLast && !/^keep-alive$/i.test(connection))) return undefined
  if (length === undefined ? method === 'POST' : !digits.test(length)) return undefined
  const head: PlainHead = { method: method as PlainHead['method'], url, headers, rawHeaders, isLast } // one of the three
  return { head, length: Number(length ?? 0) }
}

/**
 * Remembers the last head of a connection: a client sends the same one with each request, but for the length of the body.
 */
export class KnownHead {
  #before = ''
  #after = ''
  #head: PlainHead | undefined

  read(text: string): ReadHead | undefined {
    const length = this.#lengthIn(text)
    if (this.#head && length !== undefined) return { head: this.#head, length }
    const found = readPlainHead(text)
    if (found) this.#remember(text, found)
    return found
  }

  /** The length of a body that is there, if nothing else differs from the head before. */
  #lengthIn(text: string): number | undefined {
    if (this.#before === '' || !text.startsWith(this.#before) || !text.endsWith(this.#after)) return undefined
    if (text.length <= this.#before.length + this.#after.length) return undefined
    const between = text.slice(this.#before.length, text.length - this.#after.length)
    return isBody.test(between) ? Number(between) : undefined
  }

  #remember(text: string, { head }: ReadHead): void {
    const sent = head.headers['content-length']
    const name = /\r\ncontent-length: */i.exec(text)
    this.#before = ''
    if (sent === undefined || !isBody.test(sent) || !name) return
    const start = name.index + name[0].length
    this.#before = text.slice(0, start)
    this.#after = text.slice(start + sent.length)
    this.#head = head
  }
}
