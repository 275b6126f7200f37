import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { untilGone, isRunning } from '../support/programs/alive.ts'
import { createMachine, parseDocument, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'

/** A machine whose server `x` keeps a journal. */
function journaled(script: FaultyScript): Machine {
  const machine = createMachine()
  const tools = [{ name: 'slow', inputSchema: { type: 'object' } }]
  const x = faultyServer({ tools, ...script, journal: machine.path('~/journal') })
  machine.write(ownFile, { mcpServers: { x } })
  return machine
}

interface Heard {
  readonly event?: string
  readonly pid?: number
  readonly message?: { readonly method?: string }
}

function heardBy(machine: Machine): readonly Heard[] {
  if (!existsSync(machine.path('~/journal'))) return []
  const lines = machine.read('~/journal').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Heard) // written by our own server
}

async function untilHeard(machine: Machine, what: string): Promise<void> {
  const isThere = () =>
    heardBy(machine).some(({ event, message }) => event === what || message?.method === what)
  await expect.poll(isThere).toBe(true)
}

interface Host {
  readonly pid: number
  readonly cwd: string
  readonly servers: readonly { readonly name: string; readonly pid: number }[]
}

/** The server processes that `status` reports. */
async function serverPids(machine: Machine): Promise<readonly number[]> {
  const { hosts } = await machine.json<{ readonly hosts: readonly Host[] }>('status')
  return hosts.flatMap(({ servers }) => servers.map(({ pid }) => pid))
}

const signals = [
  ['SIGINT', 130, 'Cancelled.\n'],
  ['SIGTERM', 143, 'Ended by SIGTERM.\n'],
  ['SIGHUP', 129, 'Ended by SIGHUP.\n'],
] as const

describe('FI-25 a signal ends a command and everything it started', () => {
  test.each(signals)('%s during a tool call: exit %i', async (signal, code, said) => {
    using machine = journaled({ on: { 'tools/call': [{ grandchild: { holds: 'stdout' } }, 'hang'] } })
    await using program = startCli(machine, ['call', 'x/slow'])
    await untilHeard(machine, 'grandchild')
    const pids = [
      ...(await serverPids(machine)),
      ...heardBy(machine).flatMap(({ event, pid }) => (event === 'grandchild' && pid ? [pid] : [])),
    ]
    expect(pids.map(isRunning)).toEqual([true, true])
    program.child.kill(signal)
    expect(await program.result).toEqual({ code, stdout: '', stderr: said })
    await untilGone(...pids)
    expect(await serverPids(machine)).toEqual([])
  })

  test.each(signals)('%s while connecting: exit %i', async (signal, code, said) => {
    using machine = journaled({ on: { initialize: 'hang' } })
    await using program = startCli(machine, ['test', 'x'])
    await untilHeard(machine, 'initialize')
    const pids = await serverPids(machine)
    expect(pids).toHaveLength(1)
    program.child.kill(signal)
    expect(await program.result).toEqual({ code, stdout: '', stderr: said })
    await untilGone(...pids)
  })

  test.each(['initialize', 'tools/list'])(
    'SIGINT ends scan during %s, and leaves no process',
    async (method) => {
      using machine = journaled({ on: { [method]: [{ grandchild: { holds: 'stdout' } }, 'hang'] } })
      await using program = startCli(machine, ['scan'])
      await untilHeard(machine, 'grandchild')
      const pids = [
        ...(await serverPids(machine)),
        ...heardBy(machine).flatMap(({ event, pid }) => (event === 'grandchild' && pid ? [pid] : [])),
      ]
      expect(pids.map(isRunning)).toEqual([true, true])
      program.child.kill('SIGINT')
      expect(await program.result).toEqual({ code: 130, stdout: '', stderr: 'Cancelled.\n' })
      await untilGone(...pids)
    },
  )

  test('--json reports the end as JSON', async () => {
    using machine = journaled({ on: { 'tools/call': 'hang' } })
    await using program = startCli(machine, ['call', 'x/slow', '--json'])
    await untilHeard(machine, 'tools/call')
    program.child.kill('SIGINT')
    const { code, stdout } = await program.result
    expect({ code, stdout: parseDocument(stdout) }).toEqual({
      code: 130,
      stdout: { error: { code: 'cancelled', message: 'Cancelled.' } },
    })
  })

  test.each([
    ['during a tool call', 'tools/call', ['call', 'x/slow'], 'eof', []],
    // A server that never answered is not given time after the end of its input.
    ['while connecting', 'initialize', ['test', 'x'], 'sigterm', ['sigterm']],
  ])('a second signal does not wait for a slow server, %s', async (_title, method, words, last, terms) => {
    using machine = journaled({ on: { [method]: 'hang', eof: [], sigterm: [] } })
    await using program = startCli(machine, words)
    await untilHeard(machine, method)
    const pids = await serverPids(machine)
    program.child.kill('SIGINT')
    await untilHeard(machine, last)
    program.child.kill('SIGINT')
    expect((await program.result).code).toBe(130)
    await untilGone(...pids)
    // It was killed at once, before another signal was due.
    const heard = heardBy(machine).map(({ event }) => event)
    expect(heard.filter((event) => event === 'sigterm')).toEqual(terms)
  })

  test('Ctrl-C in a terminal ends the command', async () => {
    using machine = journaled({ on: { 'tools/call': 'hang' } })
    const terminal = openTerminal(machine, ['call', 'x/slow'])
    await untilHeard(machine, 'tools/call')
    const pids = await serverPids(machine)
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
    await untilGone(...pids)
  })

  test.each([
    ['an exception', 'throw new Error("boom")'],
    ['a rejection', 'Promise.reject(new Error("boom"))'],
  ])('%s that is not caught: exit 70', async (_title, fault) => {
    using machine = journaled({ on: { 'tools/call': 'hang' } })
    const hook = machine.write('~/hook.cjs', `process.on('SIGUSR2', () => { ${fault} })`)
    await using program = startCli(machine, ['call', 'x/slow'], {
      env: { NODE_OPTIONS: `--require ${hook}` },
    })
    await untilHeard(machine, 'tools/call')
    const pids = await serverPids(machine)
    program.child.kill('SIGUSR2')
    const { code, stderr } = await program.result
    expect(code).toBe(70)
    expect(stderr).toMatch(/^Plugboard failed unexpectedly: Error: boom\n/)
    await untilGone(...pids)
  })

  test('an uncaught exception in a command that starts no server: exit 70', async () => {
    using machine = createMachine()
    const hook = machine.write(
      '~/hook.cjs',
      `process.on('newListener', (name) => {
        if (name === 'uncaughtException') setImmediate(() => { throw new Error('boom') })
      })`,
    )
    const { code, stderr } = await startCli(machine, ['list'], { env: { NODE_OPTIONS: `--require ${hook}` } })
      .result
    expect(code).toBe(70)
    expect(stderr).toContain('Plugboard failed unexpectedly: Error: boom\n')
  })
})
