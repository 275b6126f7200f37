import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOwnAudit } from '../../src/store.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { freePorts } from '../support/programs/free-ports.ts'
import { noNginx, startNginx } from '../support/programs/nginx.ts'
import { noPostgres, startPostgres } from '../support/programs/postgres.ts'
import type { Postgres } from '../support/programs/postgres.ts'
import { startReplica } from '../support/programs/replicas.ts'
import type { Replica } from '../support/programs/replicas.ts'

const missing = noPostgres ?? noNginx
const counter = fileURLToPath(new URL('servers/counter.mjs', import.meta.url))
const server = { command: process.execPath, args: [counter] }

interface Answer {
  readonly status: number
  readonly result?: {
    readonly structuredContent?: { readonly gateway: number; readonly count: number }
    readonly tools?: readonly { readonly name: string; readonly description: string }[]
  }
  readonly error?: { readonly code: number; readonly message: string }
}

describe.skipIf(missing)(`two gateways on PostgreSQL behind nginx${missing ? ` (${missing})` : ''}`, () => {
  let postgres: Postgres
  let nginx: AsyncDisposable
  let replicas: [Replica, Replica]
  let admin: Machine
  let env: Readonly<Record<string, string>>
  let url = ''
  let ports: readonly number[] = []

  const settings = { accept: 'off', rules: [{ effect: 'ask', tools: ['asked/count'], reason: 'It counts.' }] }
  const start = (port = 0) => startReplica({ port, url, env, settings })
  const run = async (...args: readonly string[]) => {
    const done = await admin.runWith({ env }, ...args)
    if (done.code !== 0) throw new Error(done.stderr)
    return done.stdout
  }
  const publish = async (config: object) => {
    admin.write('team.json', config)
    return run('gateway', 'publish', 'team.json')
  }
  const addKey = async (name: string) => (await run('keys', 'add', name)).trim()

  /** Sends one request of 2025-11-25: through nginx, or to one gateway as nginx does. */
  async function send(
    method: string,
    params: object,
    {
      key,
      path = '',
      port,
      signal,
    }: { key: string; path?: string; port?: number | undefined; signal?: AbortSignal },
  ): Promise<Response> {
    const target = port === undefined ? url : `http://127.0.0.1:${port}/mcp`
    return fetch(target + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(port !== undefined && { 'x-forwarded-host': new URL(url).host }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ...(signal && { signal }),
    })
  }
  async function ask(method: string, params: object, to: Parameters<typeof send>[2]): Promise<Answer> {
    const response = await send(method, params, to)
    const text = await response.text()
    const body = text.startsWith('{') ? (JSON.parse(text) as Omit<Answer, 'status'>) : {}
    return { status: response.status, ...body }
  }
  /** Calls a tool at one gateway as a client of 2026-07-28 that can be asked. */
  async function askModern(
    params: { readonly name: string; readonly [key: string]: unknown },
    { key, port }: { readonly key: string; readonly port: number },
  ): Promise<{ readonly result?: { readonly requestState?: string } }> {
    const prefix = 'io.modelcontextprotocol/'
    const _meta = {
      [`${prefix}protocolVersion`]: '2026-07-28',
      [`${prefix}clientCapabilities`]: { elicitation: {} },
    }
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': params.name,
        'x-forwarded-host': new URL(url).host,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }),
    })
    return JSON.parse(await response.text()) as { readonly result?: { readonly requestState?: string } } // an answer
  }
  const count = (key: string, port?: number) =>
    ask('tools/call', { name: 'counter__count', arguments: {} }, { key, port })
  const toolsAt = async (to: Parameters<typeof send>[2]) =>
    (await ask('tools/list', {}, to)).result?.tools?.map(({ name }) => name)

  beforeAll(async () => {
    postgres = await startPostgres()
    const [front = 0, one = 0, other = 0] = await freePorts(3)
    ports = [one, other]
    url = `http://127.0.0.1:${front}/mcp`
    env = {
      PLUGBOARD_DATABASE_URL: await postgres.createDatabase(),
      PLUGBOARD_GATEWAY_SECRET: 'a secret of at least 32 characters',
    }
    admin = createMachine()
    await publish({ mcpServers: { counter: server } })
    replicas = await Promise.all([start(one), start(other)])
    nginx = await startNginx(front, [one, other])
  }, 60_000)
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]()
    await Promise.all((replicas ?? []).map((each) => each[Symbol.asyncDispose]()))
    await postgres?.[Symbol.asyncDispose]()
    admin?.[Symbol.dispose]()
  })

  test('both serve the published configuration, and follow the next one without a restart', async () => {
    const key = await addKey('config')
    const seen = new Set<number | undefined>()
    for (let at = 0; at < 4; at++) seen.add((await count(key)).result?.structuredContent?.gateway)
    expect(seen).toEqual(new Set(replicas.map(({ pid }) => pid)))
    const said = replicas.map((each) => each.said('Serving version 2'))
    await publish({
      mcpServers: { counter: server, notes: { ...server, stateful: true } },
      views: { work: {} },
    })
    await Promise.all(said)
    // A view is new, so it is an answer of the new configuration.
    for (const port of ports)
      await expect
        .poll(() => toolsAt({ key, port, path: '/work' }), { timeout: 10_000 })
        .toEqual(['counter__count', 'counter__wait'])
  })

  test('nginx passes on what clients need beside the addresses of callers: metadata of tokens, pages of logins', async () => {
    const { origin } = new URL(url)
    const answers = await Promise.all(
      ['/.well-known/oauth-protected-resource/mcp', '/mcp/login/gone', '/mcp/login/callback?state=x'].map(
        async (path) => {
          const answer = await fetch(origin + path)
          return [answer.status, (await answer.text()).includes('nginx')]
        },
      ),
    )
    expect(answers).toEqual([
      [401, false],
      [400, false],
      [400, false],
    ])
  })

  test('a version that is not valid here is refused, and the one before stays', async () => {
    const key = await addKey('bad')
    const said = replicas.map((each) => each.said('Version 3 is not served'))
    // Written past the check of the command, as a program of another version could.
    const { Client } = await import('pg')
    const client = new Client({ connectionString: env['PLUGBOARD_DATABASE_URL'] })
    await client.connect()
    await client.query(
      `insert into plugboard.versions (number, at, hash, document) values (3, '2026-01-01', 'x', '{ "mcpServers": {')`,
    )
    await client.query(`update plugboard.counters set value = value + 1 where name = 'config'`)
    await client.query(`select pg_notify('plugboard', 'config')`)
    await client.end()
    await Promise.all(said)
    expect((await count(key)).status).toBe(200)
    const back = replicas.map((each) => each.said('Serving version 4'))
    await run('gateway', 'rollback', '2')
    await Promise.all(back)
  })

  test('a stateful server is offered at its own address only, and each caller stays with one gateway', async () => {
    const keys = await Promise.all(['s1', 's2', 's3'].map(addKey))
    const [key = ''] = keys
    expect(await toolsAt({ key })).toEqual(['counter__count', 'counter__wait'])
    expect(await toolsAt({ key, path: '/notes' })).toEqual(['notes__count', 'notes__wait'])
    const { tools } = JSON.parse(
      await run('why', 'notes/count', '--tool', '--key', 's1', '--from', 'store', '--json'),
    ) as { readonly tools: readonly { readonly key: { readonly addresses: readonly object[] } }[] }
    const reason = 'It keeps state between calls and is offered at /mcp/notes only.'
    expect(tools.map((each) => each.key.addresses)).toEqual([
      [
        { address: '/mcp', offered: false, reason },
        { address: '/mcp/notes', offered: true, name: 'notes__count', reason: 'Nothing hides it.' },
        { address: '/mcp/work', offered: false, reason },
      ],
    ])
    for (const each of keys) {
      const gateways = []
      for (let at = 0; at < 3; at++) {
        const call = { name: 'notes__count', arguments: {} }
        const { result } = await ask('tools/call', call, { key: each, path: '/notes' })
        gateways.push(result?.structuredContent?.gateway)
      }
      expect(new Set(gateways).size).toBe(1)
    }
  })

  test('FI-85 a rotated key and a removed one are refused by both gateways', async () => {
    const first = await addKey('rotated')
    for (const port of ports) expect((await count(first, port)).status).toBe(200)
    const second = (await run('keys', 'rotate', 'rotated')).trim()
    for (const port of ports) {
      await expect.poll(async () => (await count(first, port)).status, { timeout: 10_000 }).toBe(401)
      expect((await count(second, port)).status).toBe(200)
    }
    await run('keys', 'remove', 'rotated')
    for (const port of ports)
      await expect.poll(async () => (await count(second, port)).status, { timeout: 10_000 }).toBe(401)
  })

  test('a call is cut with its gateway and not sent again; the next ones go to the other', async () => {
    const key = await addKey('cut')
    const call = { name: 'counter__wait', arguments: {}, _meta: { progressToken: 1 } }
    const response = await send('tools/call', call, { key })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const { value = '' } = (await reader?.read()) ?? {}
    const [, pid] = /"message":"(\d+)"/.exec(value) ?? []
    const index = replicas.findIndex((each) => each.pid === Number(pid))
    const [killed, survivor] = index === 0 ? replicas : [...replicas].reverse()
    await killed?.kill('SIGKILL')
    await expect(reader?.read()).rejects.toThrow('terminated')
    for (let at = 0; at < 4; at++)
      expect((await count(key)).result?.structuredContent?.gateway).toBe(survivor?.pid)
    killed?.machine[Symbol.dispose]()
    replicas[index === 0 ? 0 : 1] = await start(ports[index])
  })

  test('while PostgreSQL is away calls go on, and the audit trail catches up', async () => {
    const key = await addKey('away')
    for (const port of ports) expect((await count(key, port)).status).toBe(200)
    const gone = replicas.map((each) => each.said('Calls go on with what is known'))
    await postgres.stop()
    await Promise.all(gone)
    for (let at = 0; at < 6; at++) expect((await count(key)).status).toBe(200)
    const back = replicas.map((each) => each.said('The store is back'))
    await postgres.start()
    await Promise.all(back)
    const audit = await openOwnAudit({
      platform: { home: admin.home, env: { ...admin.env, ...env } },
      cwd: admin.project,
    })
    const rowsOf = async () =>
      (await audit.list({ limit: 100 })).filter((row) => row.kind === 'call' && row.by?.key === 'away')
    await expect.poll(async () => (await rowsOf()).length, { timeout: 15_000 }).toBe(8)
    expect(new Set((await rowsOf()).map(({ writer }) => writer)).size).toBe(2)
    expect((await audit.verify()).problems).toEqual([])
    await audit.close()
  })

  test('a quota is exceeded by at most one portion for each gateway', async () => {
    const key = await addKey('quota')
    const said = replicas.map((each) => each.said('Serving version 5'))
    await publish({ mcpServers: { counter: server }, limits: [{ callers: ['quota'], perDay: 40 }] })
    await Promise.all(said)
    for (const port of ports)
      await expect.poll(() => toolsAt({ key, port, path: '/work' }), { timeout: 10_000 }).toBeUndefined()
    let done = 0
    let refused = 0
    while (refused < 8 && done < 100) {
      const { status } = await count(key)
      if (status === 200) done++
      else refused++
      expect([200, 429]).toContain(status)
    }
    // A portion is 5 % of 40.
    expect(done).toBeGreaterThanOrEqual(40 - 2 * 2)
    expect(done).toBeLessThanOrEqual(40 + 2 * 2)
  })

  test('a call that one gateway asks about goes on at the other, which keeps the configuration elsewhere', async () => {
    const key = await addKey('rounds')
    const said = replicas.map((each) => each.said('Serving version 6'))
    await publish({ mcpServers: { asked: server } })
    await Promise.all(said)
    const [one = 0, other = 0] = ports
    for (const port of ports)
      await expect
        .poll(() => toolsAt({ key, port }), { timeout: 10_000 })
        .toEqual(['asked__count', 'asked__wait'])
    const call = { name: 'asked__count', arguments: {} }
    const first = await askModern(call, { key, port: one })
    const { requestState } = first.result ?? {}
    expect(requestState).toEqual(expect.any(String))
    const inputResponses = { plugboard_approval: { action: 'accept', content: { allow: true } } }
    const second = await askModern({ ...call, requestState, inputResponses }, { key, port: other })
    expect(second.result).toMatchObject({ structuredContent: { count: 1 } })
  })
})
