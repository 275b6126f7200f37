import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { echoServer, startGateway } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'

const echo = { echo: echoServer() }

/** A connection to the gateway, and what came back over it. */
async function open({ port }: GatewayMachine) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let text = ''
  let onMore = () => undefined as void
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    onMore()
  })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => undefined)
  /** The next answer: its status, whether the connection stays, and its body. */
  const answer = async () => {
    for (;;) {
      const start = text.indexOf('\r\n\r\n') + 4
      const head = text.slice(0, start)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (start >= 4 && text.length >= start + length) {
        const body = text.slice(start, start + length)
        text = text.slice(start + length)
        return {
          status: Number(head.split(' ')[1]),
          stays: !/connection: close/i.test(head),
          body: body === '' ? undefined : (JSON.parse(body) as { readonly id?: unknown }),
        }
      }
      await new Promise<void>((resolve) => (onMore = resolve))
    }
  }
  return { socket, answer, closed }
}

function message(id: number, method = 'ping', params = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

function post({ url, token }: GatewayMachine, body: string, more = ''): string {
  const head = [
    'POST /mcp HTTP/1.1',
    `host: ${new URL(url).host}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'mcp-protocol-version: 2025-11-25',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n${more}\r\n${body}`
}

describe('requests of the usual form over one connection', () => {
  test('are answered one after the other, however they are cut into pieces', async () => {
    await using started = await startGateway(echo)
    const { socket, answer } = await open(started)
    const both = post(started, message(1)) + post(started, message(2))
    socket.write(both)
    expect([await answer(), await answer()]).toMatchObject([{ body: { id: 1 } }, { body: { id: 2 } }])
    const text = post(started, message(3, 'ping', { _meta: { text: 'ä€' } }))
    for (const at of [text.indexOf('\r\n\r\n') + 4, text.length - 5]) {
      socket.write(text.slice(0, at))
      await new Promise((resolve) => setImmediate(resolve))
      socket.write(text.slice(at))
      expect(await answer()).toMatchObject({ status: 200, stays: true, body: { id: 3 } })
    }
    socket.destroy()
  })

  test('go on behind one of another form, which node:http reads', async () => {
    await using started = await startGateway(echo)
    const { socket, answer } = await open(started)
    socket.write(post(started, message(1)))
    expect(await answer()).toMatchObject({ body: { id: 1 } })
    const body = message(2)
    const chunked = post(started, '').replace('content-length: 0', 'transfer-encoding: chunked')
    socket.write(`${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    expect(await answer()).toMatchObject({ status: 200, body: { id: 2 } })
    socket.write(post(started, message(3)))
    expect(await answer()).toMatchObject({ status: 200, body: { id: 3 } })
    // A head in two pieces, and a header that occurs twice.
    const second = await open(started)
    second.socket.write('POST /mc')
    await new Promise((resolve) => setImmediate(resolve))
    second.socket.write(post(started, message(4)).slice('POST /mc'.length))
    expect(await second.answer()).toMatchObject({ status: 200, body: { id: 4 } })
    second.socket.write(post(started, message(5), 'authorization: Bearer x\r\n'))
    expect(await second.answer()).toMatchObject({ status: 401 })
    socket.destroy()
    second.socket.destroy()
  })

  test('T36 each is checked: another host, another token and no token are refused', async () => {
    await using started = await startGateway(echo)
    const good = post(started, message(1))
    const refused = async (text: string) => {
      const { socket, answer, closed } = await open(started)
      // What was allowed before allows nothing after it.
      socket.write(good)
      expect(await answer()).toMatchObject({ status: 200 })
      socket.write(text)
      const { status, stays } = await answer()
      await closed
      return { status, stays }
    }
    expect(await refused(good.replace(/host: [^\r]+/, 'host: evil.example'))).toEqual({
      status: 403,
      stays: false,
    })
    expect(await refused(good.replace(started.token, `${started.token.slice(0, -1)}!`))).toEqual({
      status: 401,
      stays: false,
    })
    expect(await refused(good.replace(/authorization: [^\r]+\r\n/, ''))).toEqual({
      status: 401,
      stays: false,
    })
    expect(await refused(good.replace('application/json', 'text/plain'))).toEqual({
      status: 415,
      stays: false,
    })
  })

  test('FI-85 a client that leaves in the middle of a call cancels it', async () => {
    await using started = await startGateway(echo)
    await started.modern('tools/list')
    const leave = async (how: (socket: Socket) => void) => {
      const { socket } = await open(started)
      const call = { name: 'echo__hang', arguments: {} }
      socket.write(post(started, message(7, 'tools/call', call)))
      await expect.poll(() => openRequests(started)).toBe(1)
      how(socket)
      await expect.poll(() => openRequests(started)).toBe(0)
      socket.destroy()
    }
    await leave((socket) => socket.destroy())
    await leave((socket) => socket.end())
    await leave((socket) => socket.end('x'.repeat(200_000)))
  })

  test('T36 a body that comes slowly is not collected before its head is checked', async () => {
    await using started = await startGateway(echo)
    const { socket, answer } = await open(started)
    const text = post(started, 'x'.repeat(200_000)).replace(/host: [^\r]+/, 'host: evil.example')
    socket.write(text.slice(0, 100_000))
    expect(await answer()).toMatchObject({ status: 403, stays: false })
    socket.destroy()
  })

  test('close: the connection ends after the answer if the client says so', async () => {
    await using started = await startGateway(echo)
    const { socket, answer, closed } = await open(started)
    socket.write(post(started, message(1), 'connection: close\r\n'))
    expect(await answer()).toMatchObject({ status: 200, stays: false, body: { id: 1 } })
    await closed
  })
})

async function openRequests({ url, token }: GatewayMachine): Promise<number> {
  const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  return Number(/^plugboard_gateway_open_requests (\d+)$/m.exec(text)?.[1])
}
