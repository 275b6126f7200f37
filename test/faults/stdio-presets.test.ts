import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { untilGone, isRunning } from '../support/programs/alive.ts'
import { callOutcome, faultHost, faulty, newHome } from '../support/fault-host.ts'
import type { FaultHost } from '../support/fault-host.ts'

const methodsOf = async (fault: FaultHost) =>
  (await fault.journal()).flatMap(({ message }) =>
    message?.method === 'tools/call' ? [] : (message?.method ?? []),
  )

describe('stdio under boocode', () => {
  const boocode = (servers: Readonly<Record<string, JsonObject>>) => {
    const home = newHome()
    const config = { mcpServers: { ...servers, good: faulty({ info: { name: 'good', version: '1.0.0' } }) } }
    return faultHost(servers, {
      home,
      preset: 'boocode',
      isConfigGiven: true,
      files: { 'data/mcp.json': JSON.stringify(config) },
      platform: {
        env: { HOME: home, PATH: process.env['PATH'], MCP_CONFIG_PATH: join(home, 'data/mcp.json') },
      },
    })
  }

  test('B20 C13 servers start with the host and run as long as it does', async () => {
    await using fault = await boocode({ x: faulty() })
    expect(fault.status()).toMatchObject({ state: 'ready', era: 'legacy', version: '2025-11-25' })
    const [pid] = fault.pids()
    for (let count = 0; count < 3; count++) await fault.call()
    await fault.clock.advance(24 * 3_600_000)
    await fault.call()
    expect(fault.pids()).toEqual([pid])
    expect(isRunning(pid ?? 0)).toBe(true)
  })

  test('B21 C14 P12 a server that exits is not restarted, others continue, and calls to it fail with the reason', async () => {
    await using fault = await boocode({ x: faulty({ on: { 'tools/call:crash': { exit: 1 } } }) })
    expect(await callOutcome(fault.call('crash'))).toMatchObject({
      code: 'call.outcome-unknown',
      failure: { code: 'exit' },
    })
    expect(fault.status()).toMatchObject({
      state: 'failed',
      reason: 'crashed',
      failure: { code: 'exit', exit: { code: 1, signal: null } },
    })
    await fault.clock.advance(24 * 3_600_000)
    await fault.goodAnswers()
    expect(await callOutcome(fault.call())).toMatchObject({
      code: 'server.failed',
      server: 'x',
      failure: { code: 'exit' },
    })
    expect(fault.pids()).toHaveLength(1)
  })

  test('B1 B23 P11 a missing command and a server that exits at once do not affect other servers', async () => {
    await using fault = await boocode({
      absent: { command: 'no-such-program', args: [] },
      dying: faulty({ info: { name: 'dying', version: '1' }, on: { start: { exit: 7 } } }),
    })
    expect(fault.status('absent')).toMatchObject({ state: 'failed', failure: { code: 'spawn' } })
    expect(fault.status('dying')).toMatchObject({
      failure: { code: 'exit', exit: { code: 7, signal: null } },
    })
    await fault.goodAnswers()
  })

  test('B22 C15 close sends SIGTERM immediately, and SIGKILL after five seconds', async () => {
    await using fault = await boocode({ x: faulty({ journal: 'journal', on: { sigterm: [] } }) })
    const [pid = 0] = fault.pids()
    const events = () =>
      readFileSync(join(fault.home, 'journal'), 'utf8')
        .trimEnd()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { readonly event?: string }).event ?? [])
    const closed = fault.host.close()
    await expect.poll(events).toContain('sigterm')
    expect(events().indexOf('eof')).toBe(-1)
    await untilGone(...fault.pids('good'))
    await fault.clock.advance(4900)
    expect(isRunning(pid)).toBe(true)
    await fault.clock.advance(100)
    await fault.advanceUntil(closed)
    expect(isRunning(pid)).toBe(false)
  })

  test('B8 C1 messages are lines, and there is no probe before initialize', async () => {
    await using fault = await boocode({ x: recording() })
    await fault.call()
    expect(sent(fault).map((line) => (JSON.parse(line) as { readonly method: string }).method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
  })
})

/** A server behind a program that records every byte it receives. */
function recording(script: Parameters<typeof faulty>[0] = {}, fields: JsonObject = {}): JsonObject {
  const { command, args } = faulty(script) as { readonly command: string; readonly args: readonly string[] } // as `faulty` builds it
  return { command: 'sh', args: ['-c', 'tee sent | "$0" "$@"', command, ...args], ...fields }
}

function sent(fault: FaultHost): readonly string[] {
  return readFileSync(join(fault.home, 'sent'), 'utf8').trimEnd().split('\n')
}

const initialize =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"dispatch","version":"0.0.0"}}}'

describe('stdio under dispatch', () => {
  const dispatch = (servers: Readonly<Record<string, JsonObject>>) =>
    faultHost(servers, {
      preset: 'dispatch',
      trust: 'project',
      isConfigGiven: true,
      files: {
        '.dispatch/mcp.json': JSON.stringify({
          servers: { ...servers, good: faulty({ info: { name: 'good', version: '1.0.0' } }) },
        }),
      },
    })

  test('D14 L8 C13 the first request starts a server once for all callers, and its status is reported', async () => {
    await using fault = await dispatch({ x: faulty() })
    expect(fault.status()).toMatchObject({ state: 'idle', reason: 'declared' })
    await fault.goodAnswers()
    expect(fault.pids()).toEqual([])
    await Promise.all([fault.call(), fault.call(), fault.call()])
    expect(fault.status()).toMatchObject({ state: 'ready' })
    expect(fault.pids()).toHaveLength(1)
  })

  test('D15 L5 initialize, initialized, then the list; a change is passed on, and the list is read again', async () => {
    await using fault = await dispatch({ x: faulty({ tools: { count: 1, changing: true } }) })
    const first = await fault.host.list('x', 'tools')
    expect(await methodsOf(fault)).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    await fault.act([{ listChanged: 'tools' }, 'answer'])
    await fault.until('list.changed', ({ list }) => list === 'tools')
    expect(await fault.host.list('x', 'tools')).not.toEqual(first)
    const [pid = 0] = fault.pids()
    await fault.advanceUntil(fault.host.close())
    expect(isRunning(pid)).toBe(false)
  })

  test('L2 C28 the initialize request is byte for byte that of the document', async () => {
    await using fault = await dispatch({ x: recording() })
    await fault.call()
    expect(sent(fault)[0]).toBe(initialize)
  })

  test('D30 C1 with content-length framing both sides use it', async () => {
    await using fault = await faultHost(
      { x: recording({ framing: 'content-length' }, { framing: 'content-length' }) },
      { preset: 'dispatch' },
    )
    expect(JSON.parse(await fault.call('grüße'))).toEqual({ name: 'grüße', arguments: {} })
    const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    const bytes = readFileSync(join(fault.home, 'sent'), 'utf8')
    expect(bytes.startsWith(`${framed(initialize)}${framed(initialized)}Content-Length: `)).toBe(true)
    await fault.goodAnswers()
  })
})

function framed(json: string): string {
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

test('C1 without a framing option lines are written, and both framings are read', async () => {
  await using fault = await faultHost({
    x: recording(
      { on: { 'tools/call:framed': { answer: { write: 'content-length' } } } },
      { protocol: 'legacy' },
    ),
  })
  expect(JSON.parse(await fault.call('plain'))).toEqual({ name: 'plain', arguments: {} })
  expect(JSON.parse(await fault.call('framed'))).toEqual({ name: 'framed', arguments: {} })
  expect(JSON.parse(await fault.call('plain'))).toEqual({ name: 'plain', arguments: {} })
  expect(sent(fault).filter((line) => !line.startsWith('{'))).toEqual([])
})

test('C28 an embedder can set clientInfo', async () => {
  const clientInfo = { name: 'my-agent', version: '2.1.0' }
  await using fault = await faultHost({ x: faulty({}, { protocol: 'legacy' }) }, { clientInfo })
  await fault.call()
  const [greeting] = (await fault.journal()).filter(({ message }) => message?.method === 'initialize')
  expect(greeting?.message?.params?.['clientInfo']).toEqual(clientInfo)
})

test('C21 a list change is passed on even if the server did not declare it', async () => {
  await using fault = await faultHost({
    x: faulty({ capabilities: {}, tools: { count: 2, changing: true } }),
  })
  const before = await fault.host.list('x', 'tools')
  await fault.act([{ notify: 'notifications/tools/list_changed' }, 'answer'])
  await fault.until('list.changed', ({ list }) => list === 'tools')
  expect(await fault.host.list('x', 'tools')).not.toEqual(before)
})

test('C27 timeouts: a call has the timeout of its entry or caller, and 0 means no limit', async () => {
  await using fault = await faultHost({ x: faulty({ on: { 'tools/call:slow': 'hang' } }, { timeout: 5000 }) })
  await fault.host.connect('x')
  const [usual, short, endless] = [
    fault.call('slow'),
    fault.call('slow', { timeoutMs: 1000 }),
    fault.call('slow', { timeoutMs: 0 }),
  ]
  await fault.clock.advance(1000)
  await expect(short).rejects.toThrow('No answer to tools/call within 1000 ms.')
  await fault.clock.advance(4000)
  await expect(usual).rejects.toThrow('No answer to tools/call within 5000 ms.')
  await fault.clock.advance(24 * 3_600_000)
  await fault.host.stop('x')
  expect(await callOutcome(endless)).toMatchObject({ code: 'call.cancelled' })
})

test('C13 lifecycle: lazy starts on first use, background starts without waiting, eager is waited for', async () => {
  const named = (name: string, fields: JsonObject) => faulty({ info: { name, version: '1' } }, fields)
  await using fault = await faultHost({
    lazy: named('lazy', { lifecycle: 'lazy' }),
    background: named('background', { lifecycle: 'background' }),
    eager: named('eager', { lifecycle: 'eager' }),
  })
  expect(fault.status('lazy')).toMatchObject({ state: 'idle' })
  expect(fault.status('eager')).toMatchObject({ state: 'ready' })
  await fault.untilStatus('ready', 'background')
  expect(fault.pids('lazy')).toEqual([])
})

test('L3 L4 requests, notifications in both directions, and an injected spawn', async () => {
  await using fault = await faultHost({ x: faulty() })
  await fault.host.connect('x')
  fault.host.notify('x', 'notifications/hello', { to: 'server' })
  await fault.act([{ notify: { method: 'notifications/hello', params: { to: 'host' } } }, 'answer'])
  const { params } = await fault.until('server.notified', ({ method }) => method === 'notifications/hello')
  expect(params).toEqual({ to: 'host' })
  const heard = (await fault.journal()).find(({ message }) => message?.method === 'notifications/hello')
  expect(heard?.message?.params).toEqual({ to: 'server' })
  expect(await fault.request('x', 'ping')).toEqual({})
  // Only the injected spawn records pids.
  expect(fault.pids()).toHaveLength(1)
})
