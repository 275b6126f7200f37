import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBoocodeTools } from '../../src/adapters/boocode.ts'
import type { Log } from '../../src/adapters/boocode.ts'
import { nodePlatform } from '../../src/index.ts'
import type { HostOptions } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing.ts'
import { untilGone, isRunning } from '../support/programs/alive.ts'
import { nativeTool, startBoocode } from '../support/boocode.ts'
import { serverWithTools, scripted } from '../support/tool-host.ts'

const unreachable = { error: true, output: 'MCP server unreachable' }
const good = serverWithTools(['works'])
const works = '{"name":"works","arguments":{}}'
const crashing = serverWithTools(['crash', 'other'], { on: { 'tools/call:crash': { exit: 3 } } })
const absent = { type: 'stdio', command: 'no-such-program' }
const namesOf = (tools: Iterable<{ readonly name: string }>) => Array.from(tools, ({ name }) => name)

/** The events in a server's journal; empty if there is no file yet. */
function eventsOf(home: string, journal: string): readonly string[] {
  const file = join(home, journal)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  return lines.flatMap((line) => (JSON.parse(line) as { readonly event?: string }).event ?? [])
}

describe('BooCode: start, failure and end of servers', () => {
  test('P11 a server that is down at the start is left out with a warning; native tools work', async () => {
    await using boocode = await startBoocode(
      { context7: { type: 'streamableHttp', url: 'http://127.0.0.1:9/mcp' } },
      { native: [nativeTool('grep')] },
    )
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['grep'])
    expect(boocode.warnings).toEqual([expect.stringMatching(/^MCP server "context7" is left out\. ./)])
    expect(await boocode.ALL_TOOLS[0]?.execute({})).toBe('own grep')
  })

  test('P11 a server that needs a login is logged once, even if it refuses again', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // a TCP server
    await using boocode = await startBoocode({
      h: { type: 'streamableHttp', url: `http://127.0.0.1:${port}/mcp` },
    })
    await expect(boocode.host.connect('h')).rejects.toMatchObject({ code: 'server.needs-auth' })
    expect([boocode.warnings.length, boocode.errors]).toEqual([1, []])
  })

  test('P12 a tool of a server that is down returns exactly { error: true, output: "MCP server unreachable" }', async () => {
    await using boocode = await startBoocode({ x: crashing })
    expect(await boocode.run('x_crash')).toEqual(unreachable)
    expect(await boocode.run('x_other')).toEqual(unreachable)
    await boocode.host.close()
    expect(await boocode.run('x_other')).toEqual(unreachable)
  })

  test('P12 a call that times out is "MCP server unreachable"; an aborted call says that it was aborted', async () => {
    const hanging = serverWithTools(['t'], {
      journal: 'x',
      on: { 'tools/call:t': [{ progress: 1 }, 'hang'] },
    })
    const clock = createFakeClock()
    await using boocode = await startBoocode({ x: hanging }, { platform: { clock } })
    const answer = boocode.run('x_t')
    await expect.poll(() => readFileSync(join(boocode.home, 'x'), 'utf8')).toContain('tools/call')
    await clock.advance(3_600_000)
    expect(await answer).toEqual(unreachable)
    expect(await boocode.tool('x_t').execute({}, { signal: AbortSignal.abort() })).toEqual({
      error: true,
      output: expect.stringMatching(/cancel|abort/i),
    })
  })

  test('B1 servers fail independently: each failure is a warning for that server only', async () => {
    await using boocode = await startBoocode({
      dying: scripted({ on: { start: { exit: 7 } } }),
      good,
      gone: { type: 'streamableHttp', url: 'http://127.0.0.1:9/mcp' },
      mute: scripted({ on: { initialize: { error: { code: -32603, message: 'out of order' } } } }),
    })
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['good_works'])
    expect(await boocode.run('good_works')).toBe(works)
    expect(boocode.warnings.map((line) => line.split(' is left out')[0])).toEqual([
      'MCP server "dying"',
      'MCP server "gone"',
      'MCP server "mute"',
    ])
  })

  test('B8 a stdio server receives newline-delimited JSON, initialize first', async () => {
    const { command, args } = good as { readonly command: string; readonly args: readonly string[] } // the shape `serverWithTools` returns
    const recording = { command: 'sh', args: ['-c', 'tee sent | "$0" "$@"', command, ...args] }
    await using boocode = await startBoocode({ x: recording })
    expect(await boocode.run('x_works')).toBe(works)
    const lines = readFileSync(join(boocode.home, 'sent'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { readonly method: string }).method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ])
  })

  test('B20 initialize() starts a stdio server once, and it keeps running', async () => {
    await using boocode = await startBoocode({ good })
    const [pid = 0, ...others] = boocode.pids
    expect(others).toEqual([])
    for (let count = 0; count < 3; count++) expect(await boocode.run('good_works')).toBe(works)
    expect(boocode.pids).toEqual([pid])
    expect(isRunning(pid)).toBe(true)
  })

  test('B21 a server that exits later is logged as unavailable and never restarted; the others keep working', async () => {
    const clock = createFakeClock()
    await using boocode = await startBoocode({ x: crashing, good }, { platform: { clock } })
    expect(boocode.errors).toEqual([])
    await boocode.run('x_crash')
    expect(boocode.errors).toEqual([
      expect.stringMatching(/^MCP server "x" is unavailable\. .*exit(ed)? .*3/is),
    ])
    await clock.advance(24 * 3_600_000)
    expect(await Promise.all([boocode.run('x_other'), boocode.run('good_works')])).toEqual([
      unreachable,
      works,
    ])
    expect(boocode.pids).toHaveLength(2)
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['good_works', 'x_crash', 'x_other'])
  })

  test('B21 a server that exits before initialize is never restarted, not even by connect', async () => {
    const clock = createFakeClock()
    const dying = scripted({ on: { start: { exit: 7 } } })
    await using boocode = await startBoocode({ dying }, { platform: { clock } })
    await clock.advance(24 * 3_600_000)
    await expect(boocode.host.connect('dying')).rejects.toMatchObject({ code: 'server.failed' })
    await boocode.host.ready()
    expect(boocode.pids).toHaveLength(1)
    expect(boocode.host.servers()[0]?.status).toMatchObject({ state: 'failed', failure: { code: 'exit' } })
  })

  test('B22 closing a Fastify app sends SIGTERM to all servers at once, and SIGKILL after five seconds', async () => {
    const stubborn = (journal: string) => serverWithTools(['t'], { journal, on: { sigterm: [] } })
    const clock = createFakeClock()
    const servers = { a: stubborn('a.journal'), b: stubborn('b.journal'), good }
    await using boocode = await startBoocode(servers, { platform: { clock } })
    const [first = 0, second = 0, third = 0] = boocode.pids
    const app = Fastify()
    app.addHook('onClose', () => boocode.host.close())
    await app.ready()
    const closed = app.close()
    const journals = () => ['a.journal', 'b.journal'].map((name) => eventsOf(boocode.home, name))
    await expect.poll(journals).toEqual([
      ['start', 'sigterm'],
      ['start', 'sigterm'],
    ])
    await untilGone(third)
    await clock.advance(4999)
    expect([first, second].map(isRunning)).toEqual([true, true])
    await clock.advance(1)
    await closed
    expect([first, second].map(isRunning)).toEqual([false, false])
  })

  test('B22 initialize() accepts the log of a Fastify app', async () => {
    const lines: string[] = []
    const app = Fastify({ logger: { level: 'warn', stream: { write: (line) => void lines.push(line) } } })
    const log: Log = app.log
    await using boocode = await startBoocode({ absent }, { log })
    expect(boocode.ALL_TOOLS).toEqual([])
    const [line = '', ...others] = lines
    expect(others).toEqual([])
    expect(JSON.parse(line)).toMatchObject({ level: 40, msg: expect.stringContaining('MCP server "absent"') })
    await app.close()
  })

  test('B22 initialize() stops all servers if it fails', async () => {
    const pids: number[] = []
    const { spawn } = nodePlatform()
    const log: Log = {
      warn: () => {
        throw new Error('no log')
      },
      error: () => undefined,
    }
    const platform: HostOptions['platform'] = {
      async spawn(how) {
        const child = await spawn(how)
        pids.push(child.pid)
        return child
      },
    }
    await expect(startBoocode({ good, absent }, { log, platform })).rejects.toThrow('no log')
    expect(pids.map(isRunning)).toEqual([false])
  })

  test('B23 a server whose command does not exist is skipped with a warning that names it', async () => {
    await using boocode = await startBoocode({ absent, good })
    expect(boocode.warnings).toEqual([
      'MCP server "absent" is left out. "no-such-program" was not found in PATH. ' +
        'Install it, or put its full path into the entry: plugboard why --preset boocode absent',
    ])
    expect(namesOf(boocode.ALL_TOOLS)).toEqual(['good_works'])
  })

  test('B24 nothing is stored between runs: the next start lists the tools again', async () => {
    await using boocode = await startBoocode({ good })
    await boocode.host.switchServer('c1', 'good', false)
    await boocode.run('good_works')
    await boocode.host.close()
    const kept = readdirSync(boocode.home, { recursive: true, encoding: 'utf8' })
    expect(kept.filter((name) => /cache|memory|catalog|results/.test(name))).toEqual([])
    const again = createBoocodeTools()
    const { home } = boocode
    const host = await again.initialize({ cwd: home, platform: { home, systemRoot: home, env: {} } })
    await host.close()
    expect(namesOf(again.ALL_TOOLS)).toEqual(['good_works'])
  })

  test('B24 reload: the file alone decides which servers there are', async () => {
    await using boocode = await startBoocode({ x: crashing, good }, { native: [nativeTool('grep')] })
    await boocode.run('x_crash')
    const config = { mcpServers: { x: crashing, late: serverWithTools(['t']) } }
    writeFileSync(join(boocode.home, 'data/mcp.json'), JSON.stringify(config))
    await boocode.host.reload()
    expect(boocode.DEFAULT_TOOLS).toEqual(['grep', 'late_t', 'x_crash', 'x_other'])
    expect(await boocode.run('x_other')).toBe('{"name":"other","arguments":{}}')
    expect(boocode.pids.filter(isRunning)).toHaveLength(2)
  })
})
