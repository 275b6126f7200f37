import { appendFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { untilGone, isRunning } from '../support/programs/alive.ts'
import { faultHost, faulty, newHome } from '../support/fault-host.ts'
import { runProgram, startProgram } from '../support/programs/program.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import type { Script } from '../support/programs/processes.ts'

let program = ''

beforeAll(async () => {
  program = await bundleScript('host-process.ts')
})

const stubborn = { on: { eof: [], sigterm: [] } }
/** Ignores the end of its input and SIGTERM. */
const deaf = (name: string) => faulty({ info: { name, version: '1' }, ...stubborn })

function temporaryHome(): string {
  const home = newHome()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function configure(home: string, servers: JsonObject): string {
  const config = join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers: servers }))
  return config
}

async function serve(
  home: string,
  servers: JsonObject,
): Promise<Script & { readonly pids: readonly number[] }> {
  const script = runScript(program, ['serve', home, configure(home, servers)])
  const { pids } = JSON.parse((await script.nextLine()) ?? '') as { readonly pids: readonly number[] } // printed by the script
  return { ...script, pids }
}

test('FI-24 host killed: the next host ends its twenty orphaned servers, and no other process', async () => {
  const home = temporaryHome()
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const killed = await serve(home, Object.fromEntries(names.map((name) => [name, deaf(name)])))
  const started = join(home, '.local/state/plugboard/started')
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(killed.pids.filter(isRunning)).toHaveLength(20)

  // A process with a recorded pid but another start time.
  await using bystander = startProgram('sleep', ['600'], { detached: true })
  const [file = ''] = readdirSync(started)
  const line = {
    started: { pid: bystander.pid, startMark: '1@before', id: 'x', name: 'x', command: 'x', at: 0 },
  }
  appendFileSync(join(started, file), `${JSON.stringify(line)}\n`)
  await using fault = await faultHost({}, { home })
  await fault.goodAnswers()
  await fault.advanceUntil(fault.host.close())
  expect(killed.pids.filter(isRunning)).toEqual([])
  expect(isRunning(bystander.pid)).toBe(true)
  // The next host may name processes of other tests that run meanwhile, which it cannot tell from escaped ones (FI-90).
  expect(readdirSync(started)).not.toContain(file)
})

/** A server that starts a program outside its group and loses it. The program's pid is in the file. */
function escaping(
  home: string,
  script: FaultyScript = {},
): { readonly entry: JsonObject; readonly pid: () => number } {
  const { command, args } = faultyServer(script)
  const file = join(home, 'escaped')
  const line = `setsid -f sh -c 'echo $$ > "$0"; exec sleep 600' "$0"; exec "$@"`
  return {
    entry: { command: 'sh', args: ['-c', line, file, command, ...args] },
    pid: () => Number(readFileSync(file, 'utf8')),
  }
}

describe('FI-90 host: a program that left the group of its server', () => {
  test('is ended when the host is closed', async () => {
    const home = temporaryHome()
    const { entry, pid } = escaping(home)
    await using fault = await faultHost({ x: entry }, { home })
    expect(JSON.parse(await fault.call())).toEqual({ name: 'tool-0', arguments: {} })
    const escaped = pid()
    expect(isRunning(escaped)).toBe(true)
    await fault.advanceUntil(fault.host.close())
    expect(isRunning(escaped)).toBe(false)
  })

  test('is ended when the server crashes, while the host goes on', async () => {
    const home = temporaryHome()
    const { entry, pid } = escaping(home, { on: { 'tools/call:crash': { exit: 1 } } })
    await using fault = await faultHost({ x: entry }, { home })
    await fault.call()
    const escaped = pid()
    await fault.call('crash').catch(() => undefined)
    await fault.advanceUntil(expect.poll(() => isRunning(escaped)).toBe(false))
    await fault.goodAnswers()
  })

  test('is ended by the next host if the host was killed', async () => {
    const home = temporaryHome()
    const { entry, pid } = escaping(home)
    const killed = await serve(home, { x: entry })
    killed.child.kill('SIGKILL')
    await killed.ended
    const escaped = pid()
    expect(isRunning(escaped)).toBe(true)
    await using fault = await faultHost({}, { home })
    await fault.goodAnswers()
    await fault.advanceUntil(fault.host.close())
    expect([...killed.pids, escaped].filter(isRunning)).toEqual([])
  })
})

describe('FI-25 host exit', () => {
  test.each([
    ['SIGINT', 130, { on: { eof: [] } }],
    ['SIGTERM', 143, {}],
    ['SIGHUP', 129, {}],
  ] as const)('by %s closes first and leaves no process', async (signal, code, script) => {
    const host = await serve(temporaryHome(), { good: faulty(), x: faulty(script) })
    host.child.kill(signal)
    expect(await host.ended).toEqual({ code, signal: null })
    expect(host.pids.filter(isRunning)).toEqual([])
  })

  test('by an uncaught exception ends even servers that ignore signals', async () => {
    const host = await serve(temporaryHome(), { good: faulty(), x: deaf('x') })
    host.go()
    expect(await host.ended).toEqual({ code: 70, signal: null })
    await untilGone(...host.pids)
  })
})

test('FI-83 out of file descriptors: a server fails to start for now, and starts once there are some', async () => {
  const home = temporaryHome()
  const config = configure(home, {
    good: faulty(),
    x: faulty({ on: { 'tools/call:crash': { exit: 1 } } }, { lifecycle: 'background', protocol: 'legacy' }),
  })
  const { code, stdout } = await runProgram(
    'sh',
    ['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, program, 'starve', home, config],
    { env: { PATH: process.env['PATH'] ?? '' }, stderr: 'inherit' },
  )
  expect({
    code,
    said: stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  }).toEqual({
    code: 0,
    said: [
      { code: 'call.outcome-unknown' },
      {
        state: 'waiting',
        reason: 'failed',
        message: expect.stringMatching(
          / was not started: too many files are open in this process \(EMFILE\)\.$/,
        ),
      },
      { answered: '{"name":"tool-0","arguments":{}}' },
    ],
  })
})
