import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import type { GatewayKey } from '../../src/model/gateway/gateway-key.ts'
import { openOwnAudit, openOwnKeys } from '../../src/store.ts'
import { askingServer, echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

const views = {
  ours: { servers: ['echo'], tools: ['*echo'] },
  theirs: { servers: ['other'], rename: { 'other/log': 'write_log' } },
}
const servers = { echo: echoServer(), other: echoServer() }

/** Makes a key for the machine of a gateway, and returns its header. */
async function keyFor(
  { machine }: GatewayMachine,
  name: string,
  more: Partial<GatewayKey> = {},
): Promise<{ readonly authorization: string; remove(): Promise<void> }> {
  const platform = { home: machine.home, env: machine.env }
  const keys = await openOwnKeys({ cwd: machine.project, platform })
  const { secret, kept } = createKeySecret()
  expect(await keys.add({ name, ...kept, createdAt: '2026-01-01T00:00:00.000Z', ...more })).toBe(true)
  return {
    authorization: `Bearer ${secret}`,
    async remove() {
      await keys.remove(name)
      await keys.close()
    },
  }
}

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

const toolsOf = ({ body }: Reply) =>
  (body.result?.['tools'] as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name)

/** Sends bytes as they are, and returns the first line of the answer. */
async function sendRaw({ url }: GatewayMachine, head: string): Promise<string> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(head)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  await once(socket, 'close')
  return text.split('\r\n', 1)[0] ?? ''
}

describe('keys', () => {
  test('T31 a key opens its views and nothing else; with one view, /mcp is that view', async () => {
    await using started = await startGateway(servers, { views })
    const ours = { headers: await headersOf(keyFor(started, 'ours', { views: ['ours'] })) }
    expect(toolsOf(await started.modern('tools/list', {}, ours))).toEqual(['echo__echo'])
    expect(toolsOf(await started.modern('tools/list', {}, { ...ours, path: '/ours' }))).toEqual([
      'echo__echo',
    ])
    for (const path of ['/theirs', '/nothing']) {
      const { status, body } = await started.modern('tools/list', {}, { ...ours, path })
      expect({ status, message: body.error?.['message'] }).toEqual({
        status: 404,
        message: 'There is nothing at this address.',
      })
    }
    // What is hidden from a list cannot be called or found by search either.
    const hidden = await started.modern('tools/call', { name: 'echo__log', arguments: {} }, ours)
    expect(hidden.body.error).toMatchObject({ code: -32602, message: 'Unknown tool: echo__log' })
    const byRef = await started.modern('tools/call', { name: 'other/echo', arguments: {} }, ours)
    expect(byRef.body.error).toMatchObject({ code: -32602 })
    const find = { name: 'search_tools', arguments: { query: 'log' } }
    const found = await started.modern('tools/call', find, { ...ours, path: '?mode=search' })
    expect(JSON.stringify(found.body)).not.toContain('other')
    expect(
      textOf(await started.modern('tools/call', { name: 'echo__echo', arguments: { a: 1 } }, ours)),
    ).toBe('{"a":1}')
  })

  test('a key with several views is told its addresses, and one without views sees everything', async () => {
    await using started = await startGateway(servers, { views })
    const both = { headers: await headersOf(keyFor(started, 'both', { views: ['ours', 'theirs'] })) }
    const refused = await started.legacy('tools/list', {}, both)
    expect([refused.status, refused.body.error?.['message']]).toEqual([
      403,
      'It has several views: use /mcp/ours or /mcp/theirs.',
    ])
    expect(toolsOf(await started.legacy('tools/list', {}, { ...both, path: '/theirs' }))).toContain(
      'write_log',
    )
    const all = { headers: await headersOf(keyFor(started, 'all')) }
    expect(toolsOf(await started.legacy('tools/list', {}, all))).toHaveLength(10)
  })

  test('a key that has expired, was never made, or has the id of another is refused with 401', async () => {
    await using started = await startGateway(servers)
    const key = await keyFor(started, 'old', { expiresAt: '2026-01-02T00:00:00.000Z' })
    const other = await keyFor(started, 'other')
    const mixed = other.authorization.slice(0, -43) + key.authorization.slice(-43)
    const { secret } = createKeySecret()
    for (const [authorization, message] of [
      [key.authorization, 'The key has expired.'],
      [`Bearer ${secret}`, 'The token or key is not valid here.'],
      [mixed, 'The token or key is not valid here.'],
      [other.authorization.slice(0, -1), 'The token or key is not valid here.'],
      [other.authorization.replace('Bearer', 'Basic'), 'A request needs the header'],
    ] as const) {
      const { status, body, headers } = await started.legacy('tools/list', {}, { headers: { authorization } })
      expect(status).toBe(401)
      expect(body.error?.['message']).toContain(message)
      expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    }
    const { authorization } = other
    expect((await started.legacy('tools/list', {}, { headers: { authorization } })).status).toBe(200)
  })

  test('FI-85 a removed key is refused, and what it has open is cut', async () => {
    await using started = await startGateway(servers, { keysEveryMs: 20 })
    const key = await keyFor(started, 'ci')
    const headers = { authorization: key.authorization }
    await started.modern('tools/list', {}, { headers })
    const opened = await fetch(started.url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: modernMeta },
      }),
    })
    expect(opened.headers.get('content-type')).toBe('text/event-stream')
    // Cut without an answer: by then the key is gone.
    const body = opened.text().then(
      () => 'ended',
      (error: Error) => error.message,
    )
    await key.remove()
    expect(await body).toBe('terminated')
    expect((await started.modern('tools/list', {}, { headers })).status).toBe(401)
    // The person who started it is not concerned.
    expect((await started.modern('tools/list')).status).toBe(200)
  })

  test('T31 T38 a caller cannot continue the call of another, with its state and its answers', async () => {
    await using started = await startGateway({ old: askingServer('legacy') })
    const [dana, sam] = [await keyFor(started, 'dana'), await keyFor(started, 'sam')].map((key) => ({
      capabilities: { elicitation: {} },
      headers: { authorization: key.authorization },
    }))
    const asking = { name: 'old__test_input_required_result_elicitation', arguments: {} }
    const asked = await started.modern('tools/call', asking, dana)
    const { requestState, inputRequests } = asked.body.result as {
      readonly requestState: string
      readonly inputRequests: object
    }
    const [question = ''] = Object.keys(inputRequests)
    const next = {
      ...asking,
      requestState,
      inputResponses: { [question]: { action: 'accept', content: { name: 'Dana' } } },
    }
    for (const other of [sam, { capabilities: { elicitation: {} } }])
      expect((await started.modern('tools/call', next, other)).body.error).toMatchObject({ code: -32602 })
    expect(textOf(await started.modern('tools/call', next, dana))).toBe('Hello, Dana!')
  })

  test('T31 T38 the session of a caller is no session for another: it cannot be used, read, cancelled or ended', async () => {
    await using started = await startGateway(servers, { sessions: true })
    const [dana, sam] = [await keyFor(started, 'dana'), await keyFor(started, 'sam')]
    const greeting = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'd', version: '1' },
    }
    const opened = await started.legacy('initialize', greeting, {
      headers: { authorization: dana?.authorization ?? '' },
    })
    const session = opened.headers.get('mcp-session-id') ?? ''
    expect(session).not.toBe('')
    const as = (authorization = '') => ({ headers: { authorization, 'mcp-session-id': session } })
    expect((await started.legacy('tools/list', {}, as(sam?.authorization))).status).toBe(404)
    for (const method of ['GET', 'DELETE']) {
      const { status } = await fetch(started.url, { method, ...as(sam?.authorization) })
      expect([method, status]).toEqual([method, 404])
    }
    expect((await started.legacy('tools/list', {}, as(`Bearer ${started.token}`))).status).toBe(404)
    expect((await started.legacy('tools/list', {}, as(dana?.authorization))).status).toBe(200)
  })

  test('T38 a question or a log message of a server reaches none of two callers who call it at once', async () => {
    await using started = await startGateway(servers)
    const [dana, sam] = [await keyFor(started, 'dana'), await keyFor(started, 'sam')]
    const info = { 'io.modelcontextprotocol/clientInfo': { name: 'same', version: '1' } }
    const meta = { _meta: { ...info, 'io.modelcontextprotocol/logLevel': 'debug' } }
    const leaving = new AbortController()
    const isSent = new Promise<void>((resolve) => {
      started.gateway.host.on((event) => event.type === 'call.started' && resolve())
    })
    const hanging = started.modern(
      'tools/call',
      { name: 'echo__hang', arguments: {}, ...meta },
      { headers: { authorization: dana?.authorization ?? '' }, signal: leaving.signal },
    )
    await Promise.race([isSent, hanging])
    const { url } = started
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: sam?.authorization ?? '',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'echo__log',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'echo__log',
          arguments: { secret: 'of sam' },
          _meta: {
            ...meta._meta,
            ...modernMeta,
          },
        },
      }),
    })
    expect(await response.text()).not.toContain('notifications/message')
    leaving.abort()
    await expect(hanging).rejects.toThrow('abort')
  })

  test('the audit trail names the key and the client of each call', async () => {
    await using started = await startGateway(servers)
    const { authorization } = await keyFor(started, 'nightly')
    const info = { 'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1' } }
    const call = { name: 'echo__echo', arguments: {}, _meta: info }
    await started.modern('tools/call', call, { headers: { authorization } })
    await started.modern('tools/call', { name: 'echo__echo', arguments: {} })
    await started.gateway.host.flushAudit()
    const { machine } = started
    await using audit = await openOwnAudit({
      cwd: machine.project,
      platform: { home: machine.home, env: machine.env },
    })
    const rows = (await audit.list()).map((row) => (row.kind === 'call' ? row.by : undefined))
    expect(rows).toMatchObject([
      { surface: 'gateway' },
      { surface: 'gateway', key: 'nightly', client: 'probe' },
    ])
    expect(rows[0]).not.toHaveProperty('key')
  })

  test.each([
    ['two headers of the same value', (key: string) => `${key}\r\n${key}`],
    ['a good and a bad one', (key: string) => `${key}\r\nauthorization: Bearer x`],
  ])('T36 a request with authorization twice is refused: %s', async (_, twice) => {
    await using started = await startGateway(servers)
    const { authorization } = await keyFor(started, 'ci')
    const line = `authorization: ${authorization}`
    const { host } = new URL(started.url)
    const head = `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${twice(line)}\r\n\r\n`
    expect(await sendRaw(started, head)).toBe('HTTP/1.1 401 Unauthorized')
  })

  test('a huge header is refused before it is read whole', async () => {
    await using started = await startGateway(servers)
    const { host } = new URL(started.url)
    const head = `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${'x'.repeat(64 * 1024)}\r\n\r\n`
    expect(await sendRaw(started, head)).toBe('HTTP/1.1 431 Request Header Fields Too Large')
  })
})

async function headersOf(key: Promise<{ readonly authorization: string }>) {
  const { authorization } = await key
  return { authorization }
}
