import { describe, expect, test } from 'vitest'
import { startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { faultyMachine, machineWith } from '../support/servers.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

interface Line {
  readonly at: string
  readonly host: number
  readonly text: string
}

interface Log {
  readonly lines: readonly Line[]
}

const says = (...lines: readonly string[]) => ({ on: { start: lines.map((line) => ({ stderr: line })) } })

const texts = (lines: readonly Line[]) => lines.map(({ text }) => text)

const follow = (machine: Machine, ...flags: readonly string[]) =>
  startCli(machine, ['logs', 'x', '--follow', ...flags])

describe.concurrent('plugboard logs', () => {
  test('prints the stderr of a server from any host; the files are private', async () => {
    using machine = faultyMachine(says('one', 'two'))
    await machine.run('test', 'x')
    await machine.runWith({ from: 'dist' }, 'request', 'x', 'ping')
    const { lines } = await machine.json<Log>('logs', 'x')
    expect(texts(lines)).toEqual(['one', 'two', 'one', 'two'])
    expect(new Set(lines.map(({ host }) => host)).size).toBe(2)
    const { code, stdout, stderr } = await machine.run('logs', 'x')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(lines.map(({ at, text }) => `${at} ${text}\n`).join(''))
    const [file = ''] = Object.keys(machine.files()).filter((name) => name.endsWith('.log'))
    expect(machine.mode(`~/${file}`)).toBe(0o600)
  })

  test('--lines limits the number of last lines', async () => {
    using machine = faultyMachine(says('one', 'two', 'three'))
    await machine.run('test', 'x')
    expect(texts((await machine.json<Log>('logs', 'x', '--lines', '2')).lines)).toEqual(['two', 'three'])
    expect(await machine.json('logs', 'x', '--lines', '0')).toEqual({ lines: [] })
  })

  test('a server that never ran: no output yet', async () => {
    using machine = faultyMachine({})
    expect(await machine.run('logs', 'x')).toEqual({
      code: 0,
      stdout: '',
      stderr: '"x": no output yet.\n',
    })
    expect(await machine.json('logs', 'x')).toEqual({ lines: [] })
  })

  test('T18 T35 control characters are escaped and secrets hidden', async () => {
    const { command, args } = faultyServer(says('\u001B[2Jkey: open sesame now\u202E'))
    using machine = machineWith({ x: { command, args, env: { KEY: '${KEY}' } } })
    await machine.runWith({ env: { KEY: 'open sesame now' } }, 'test', 'x')
    expect((await machine.run('logs', 'x')).stdout).toMatch(/Z \\x1b\[2Jkey: •••\\u\{202e\}\n$/)
    expect(texts((await machine.json<Log>('logs', 'x')).lines)).toEqual(['\\x1b[2Jkey: •••\u202E'])
  })

  test('--follow prints new lines from other programs until Ctrl-C', async () => {
    using machine = faultyMachine(says('hello'))
    await machine.run('test', 'x')
    await using log = follow(machine)
    expect(await log.nextLine()).toMatch(/Z hello$/)
    await machine.run('test', 'x')
    expect(await log.nextLine()).toMatch(/Z hello$/)
    expect((await log.kill('SIGINT')).code).toBe(130)
  })

  test('--follow --json prints one object per line, the first with the version', async () => {
    using machine = faultyMachine(says('hel\u202Elo', 'again'))
    await machine.run('test', 'x')
    await using log = follow(machine, '--json')
    expect(JSON.parse((await log.nextLine()) ?? '')).toMatchObject({ version: 1, text: 'hel\u202Elo' })
    const second = JSON.parse((await log.nextLine()) ?? '') as object
    expect(second).toMatchObject({ text: 'again' })
    expect(second).not.toHaveProperty('version')
    expect((await log.kill('SIGTERM')).code).toBe(143)
    expect(JSON.parse((await log.nextLine()) ?? '')).toEqual({
      version: 1,
      error: { code: 'terminated', message: 'Ended by SIGTERM.' },
    })
    expect(await log.nextLine()).toBeUndefined()
  })

  test('--follow ends when its reader closes, and with --timeout', async () => {
    using machine = faultyMachine(says('hello'))
    await machine.run('test', 'x')
    await using log = follow(machine)
    await log.nextLine()
    log.child.stdout.destroy()
    // The next line finds no reader.
    await machine.run('test', 'x')
    expect((await log.ended).code).toBe(0)
    expect((await machine.run('logs', 'x', '--follow', '--timeout', '50ms')).code).toBe(0)
  })
})
