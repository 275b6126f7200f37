import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { request as requestTls } from 'node:https'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { openHttpFront } from '../../src/surfaces/gateway/http/http-front.ts'
import { KeyRing } from '../../src/surfaces/gateway/callers/key-ring.ts'
import { echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine } from '../support/gateway.ts'

const servers = { echo: echoServer(), broken: { command: process.execPath, args: ['-e', 'process.exit(1)'] } }

const tlsFile = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const files = { cert: tlsFile('good.crt'), key: tlsFile('server.key') }

async function keyFor({ machine }: GatewayMachine, name: string, views?: readonly string[]): Promise<string> {
  const platform = { home: machine.home, env: machine.env }
  const keys = await openOwnKeys({ cwd: machine.project, platform })
  const { secret, kept } = createKeySecret()
  const createdAt = '2026-01-01T00:00:00.000Z'
  await keys.add({ name, ...kept, createdAt, ...(views && { views }) })
  await keys.close()
  return `Bearer ${secret}`
}

/** Sends a request with headers that `fetch` would not send, and returns the status. */
async function statusOf(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\nconnection: close\r\n${lines.join('')}\r\n`)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  await once(socket, 'close')
  return Number(text.split(' ')[1])
}

describe('operations', () => {
  test('/livez and /readyz answer without a token and for any host, whatever servers do', async () => {
    await using started = await startGateway(servers)
    await started.modern('tools/list')
    for (const path of ['/livez', '/readyz'])
      expect(await statusOf(started.url, path, { host: '10.0.0.7:4400' })).toBe(200)
    // Nothing else does: T36.
    expect(await statusOf(started.url, '/metrics', { host: '10.0.0.7:4400' })).toBe(403)
    expect(await statusOf(started.url, '/mcp', { host: '10.0.0.7:4400' })).toBe(403)
  })

  test('/metrics is for callers that see everything; its labels hold nothing that callers send', async () => {
    await using started = await startGateway(servers, { views: { one: { servers: ['echo'] } } })
    const origin = new URL(started.url).origin
    const call = { name: 'echo__echo', arguments: { word: 'canary-argument' } }
    await started.modern('tools/call', call)
    await started.modern('tools/call', { name: 'canary-tool', arguments: {} })
    await started.modern('canary/method')
    await started.modern('tools/list', {}, { headers: { authorization: 'Bearer canary-token' } })
    const read = (authorization: string) => fetch(`${origin}/metrics`, { headers: { authorization } })
    expect((await read('Bearer x')).status).toBe(401)
    expect((await read(await keyFor(started, 'canary-key', ['one']))).status).toBe(404)
    const text = await (await read(`Bearer ${started.token}`)).text()
    expect(text).not.toContain('canary')
    expect(text).not.toContain(started.token)
    const value = (line: string) =>
      Number(
        text
          .split('\n')
          .find((each) => each.startsWith(`${line} `))
          ?.split(' ')[1],
      )
    const requests = 'plugboard_gateway_requests_total'
    expect(value(`${requests}{method="tools/call",outcome="done"}`)).toBe(1)
    expect(value(`${requests}{method="tools/call",outcome="error"}`)).toBe(1)
    expect(value(`${requests}{method="other",outcome="error"}`)).toBe(1)
    expect(value('plugboard_gateway_refused_total{status="401"}')).toBe(2)
    expect(value('plugboard_gateway_request_seconds_count{method="tools/call"}')).toBe(2)
    // Every line is a comment or a sample.
    const isSample = (line: string) =>
      /^(#.*|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [\d.e+-]+|)$/.test(line)
    expect(text.split('\n').filter((line) => !isSample(line))).toEqual([])
  })

  test('a body and an answer over the limit are refused, each with its size', async () => {
    await using started = await startGateway(servers, {
      gateway: { maxRequestBytes: 4096, maxResponseBytes: 2048 },
    })
    const small = await started.modern('tools/call', {
      name: 'echo__echo',
      arguments: { a: 'x'.repeat(500) },
    })
    expect(textOf(small)).toContain('xxx')
    const answer = await started.modern('tools/call', {
      name: 'echo__echo',
      arguments: { a: 'x'.repeat(3000) },
    })
    expect(answer.body.error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^The answer to tools\/call has \d+ bytes; 2048 are allowed\.$/),
    })
    const body = await started.modern('tools/call', {
      name: 'echo__echo',
      arguments: { a: 'x'.repeat(5000) },
    })
    expect(body.status).toBe(413)
  })

  test('a call that runs when the gateway stops has its time, and one beyond the deadline is cut', async () => {
    await using started = await startGateway(servers)
    const platform = { home: started.machine.home, env: started.machine.env }
    const open = async () =>
      openHttpFront(started.gateway, {
        port: 0,
        sessions: false,
        token: 't',
        keys: new KeyRing({ open: () => openOwnKeys({ platform }), warn: () => undefined }),
      })
    const post = (url: string, name: string) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: {} },
        }),
      })
    const isSent = () =>
      new Promise<void>((resolve) => {
        started.gateway.host.on((event) => event.type === 'call.started' && resolve())
      })
    const patient = await open()
    let sent = isSent()
    // It is answered once another call of the server was cancelled.
    const finishing = post(patient.url, 'echo__cancelled')
    await sent
    const closing = patient.close({ deadlineMs: 600_000 })
    const hurried = await open()
    sent = isSent()
    const cut = post(hurried.url, 'echo__hang').then(
      ({ status }) => status,
      () => 'cut',
    )
    await sent
    await hurried.close({ deadlineMs: 0 })
    expect(await cut).toBe('cut')
    const { result } = (await (await finishing).json()) as {
      result: { content: readonly { text: string }[] }
    }
    expect(result.content[0]?.text).toBe('1')
    await closing
    await expect(post(patient.url, 'echo__echo')).rejects.toThrow('fetch failed')
  })
})

describe('beyond this machine', () => {
  test.each([
    [{ host: '0.0.0.0' }, 'serves TLS, or a proxy that does'],
    [{ host: '0.0.0.0', proxies: ['10.0.0.0/8'] }, 'has to know its own address'],
    [{ proxies: ['10.0.0.0/99'] }, 'is no address and no network'],
    [{ tls: { cert: '/nowhere/cert.pem', key: '/nowhere/key.pem' } }, 'cannot be read (ENOENT)'],
  ])('the gateway does not start with %j', async (gateway, message) => {
    await expect(startGateway({ echo: echoServer() }, { gateway })).rejects.toThrow(message)
  })

  test('T36 headers of a proxy count only from the addresses that are listed', async () => {
    const url = 'https://mcp.example.com/mcp'
    const name = { host: 'mcp.example.com' }
    const forwarded = { host: '127.0.0.1', 'x-forwarded-host': 'mcp.example.com' }
    await using listed = await startGateway(
      { echo: echoServer() },
      { gateway: { url, proxies: ['127.0.0.0/8'] } },
    )
    const local = `http://127.0.0.1:${listed.port}`
    const as = { authorization: `Bearer ${listed.token}` }
    expect(listed.url).toBe(url)
    // 405: it came through, and GET is not used there.
    expect(await statusOf(local, '/mcp', { ...as, ...name })).toBe(405)
    expect(await statusOf(local, '/mcp', { ...as, ...forwarded })).toBe(405)
    expect(await statusOf(local, '/mcp', { ...as, ...forwarded, 'x-forwarded-host': 'evil.example' })).toBe(
      403,
    )
    expect(
      await statusOf(local, '/mcp', { ...as, host: 'mcp.example.com', 'x-forwarded-host': 'evil.example' }),
    ).toBe(403)

    await using others = await startGateway(
      { echo: echoServer() },
      { gateway: { url, proxies: ['10.0.0.0/8'] } },
    )
    const direct = `http://127.0.0.1:${others.port}`
    const own = { authorization: `Bearer ${others.token}` }
    expect(await statusOf(direct, '/mcp', { ...own, ...name })).toBe(403)
    expect(await statusOf(direct, '/livez', name)).toBe(200)

    await using none = await startGateway({ echo: echoServer() }, { gateway: { url } })
    const plain = `http://127.0.0.1:${none.port}`
    const mine = { authorization: `Bearer ${none.token}` }
    expect(await statusOf(plain, '/mcp', { ...mine, ...forwarded })).toBe(403)
    expect(await statusOf(plain, '/mcp', { ...mine, ...name })).toBe(405)
  })

  test('callers with a key are served over TLS, the owner has no token there, and plain HTTP gets nothing', async () => {
    await using started = await startGateway(
      { echo: echoServer() },
      { gateway: { host: '0.0.0.0', url: 'https://localhost/mcp', tls: files } },
    )
    expect(started.token).toBe('')
    const authorization = await keyFor(started, 'ci')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const send = (headers: Readonly<Record<string, string>>) =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const sent = requestTls(
          {
            host: '127.0.0.1',
            port: started.port,
            servername: 'localhost',
            ca: readFileSync(tlsFile('ca.crt')),
            path: '/mcp',
            method: 'POST',
            headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
          },
          (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
            response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
          },
        )
        sent.once('error', reject).end(body)
      })
    const { status, text } = await send({ authorization })
    expect([status, text]).toEqual([200, expect.stringContaining('echo__echo')])
    expect((await send({ authorization: 'Bearer ' })).status).toBe(401)
    expect((await send({ authorization, host: 'evil.example' })).status).toBe(403)
    await expect(fetch(`http://127.0.0.1:${started.port}/livez`)).rejects.toThrow('fetch failed')
  })
})
