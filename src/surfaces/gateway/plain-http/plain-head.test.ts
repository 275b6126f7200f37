import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KnownHead, readPlainHead } from './plain-head.ts'

const usual = (more = '', start = 'POST /mcp HTTP/1.1') =>
  `${start}\r\nHost: 127.0.0.1:4000\r\nContent-Length: 66\r\n${more}`

describe('a plain head', () => {
  test('has a method, an address, headers by their lower-case names and the length of its body', () => {
    expect(readPlainHead(usual('Accept:  application/json \r\nMcp-Name: a\r\n'))).toEqual({
      head: {
        method: 'POST',
        url: '/mcp',
        headers: {
          host: '127.0.0.1:4000',
          'content-length': '66',
          accept: 'application/json',
          'mcp-name': 'a',
        },
        rawHeaders: [
          'Host',
          '127.0.0.1:4000',
          'Content-Length',
          '66',
          'Accept',
          'application/json',
          'Mcp-Name',
          'a',
        ],
        isLast: false,
      },
      length: 66,
    })
  })

  test.each([
    ['a body in chunks', usual('Transfer-Encoding: chunked\r\n')],
    ['a header twice', usual('Accept: a\r\naccept: b\r\n')],
    ['a second length', usual('content-length: 12\r\n')],
    ['a length that is no number', 'POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: +12\r\n'],
    ['a body without a length', 'POST /mcp HTTP/1.1\r\nHost: a\r\n'],
    ['no host', 'POST /mcp HTTP/1.1\r\nContent-Length: 1\r\n'],
    ['another version', usual('', 'POST /mcp HTTP/1.0')],
    ['another method', usual('', 'OPTIONS /mcp HTTP/1.1')],
    ['an address with a host', usual('', 'POST http://a/mcp HTTP/1.1')],
    ['a space before the colon', usual('Accept : a\r\n')],
    ['a folded line', usual('Accept: a\r\n b\r\n')],
    ['a line end of one character', usual('Accept: a\nX: b\r\n')],
    ['a character of another encoding', usual('X: \u00e9\r\n')],
    ['an upgrade', usual('Upgrade: h2c\r\n')],
    ['a client that waits before its body', usual('Expect: 100-continue\r\n')],
    ['another connection', usual('Connection: Upgrade\r\n')],
  ])('is not one with %s', (_title, text) => {
    expect(readPlainHead(text)).toBeUndefined()
  })

  test('no name of a header is found in a prototype', () => {
    const { head } = readPlainHead(usual('constructor: y\r\n')) ?? {}
    expect(head?.headers['constructor']).toBe('y')
    expect(head?.headers['toString']).toBeUndefined()
    expect(readPlainHead(usual('__proto__: x\r\n'))).toBeUndefined()
  })

  test('one that differs from the one before in its length only is known', () => {
    const known = new KnownHead()
    const first = known.read(usual('Accept: a\r\n'))
    const next = known.read(usual('Accept: a\r\n').replace('66', '345'))
    expect(next?.length).toBe(345)
    expect(next?.head).toBe(first?.head)
    expect(known.read(usual('Accept: b\r\n'))?.head.headers.accept).toBe('b')
    expect(known.read(usual('Accept: b\r\n').replace('66', '1x'))).toBeUndefined()
    expect(known.read(usual('Accept: b\r\n').replace('66', '0'))?.head.headers['content-length']).toBe('0')
  })
})

describe('what node:http reads', () => {
  let server: Server
  let received: ((request: IncomingMessage) => void) | undefined
  beforeAll(async () => {
    server = createServer((request, response) => {
      received?.(request)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** What `node:http` makes of a head; `undefined` if it refuses it. */
  async function readByNode(text: string): Promise<IncomingMessage | undefined> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const request = new Promise<IncomingMessage | undefined>((resolve) => {
      received = resolve
      socket.once('close', () => resolve(undefined))
      socket.on('error', () => undefined)
    })
    socket.on('data', () => undefined)
    socket.end(`${text}\r\n`, 'latin1')
    const found = await request
    socket.destroy()
    return found
  }

  const word = fc.constantFrom('Accept', 'x', '', 'Content-Length', '__proto__', 'a b', 'k\t', 'É', ' ', '\0')
  const value = fc.constantFrom('a', '', ' b ', '5', '05', '1,1', 'close', 'chunked', 'a\tb', '\x7f', 'a\rb')
  const line = fc
    .tuple(word, fc.constantFrom(':', ': ', ' :', ''), value)
    .map(([name, colon, text]) => `${name}${colon}${text}\r\n`)
  const start = fc.constantFrom(
    'POST /mcp HTTP/1.1',
    'GET /a?b#c HTTP/1.1',
    'DELETE / HTTP/1.1',
    'POST  /mcp HTTP/1.1',
    'POST /m cp HTTP/1.1',
  )

  test('is the same for every head that counts as plain', async () => {
    let plain = 0
    await fc.assert(
      fc.asyncProperty(start, fc.array(line, { maxLength: 3 }), async (first, lines) => {
        const text = `${first}\r\nHost: a\r\n${lines.join('')}Content-Length: 0\r\n`
        const found = readPlainHead(text)
        if (!found) return
        plain++
        const { method, url, headers, rawHeaders } = (await readByNode(text)) ?? {}
        const { head } = found
        expect({ ...head, headers: { ...head.headers }, isLast: undefined }).toEqual({
          method,
          url,
          headers: { ...headers },
          rawHeaders,
          isLast: undefined,
        })
      }),
      { numRuns: 300 },
    )
    expect(plain).toBeGreaterThan(10)
  })
})
