import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../src/index.ts'
import { startCli } from '../support/programs/cli.ts'
import { startProgram } from '../support/programs/program.ts'
import { faultyMachine, machineWith } from '../support/servers.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'

interface Running {
  readonly hosts: readonly { readonly servers: readonly { readonly pid: number; readonly line: string }[] }[]
}

describe('plugboard status', () => {
  test('says so when no server is running', async () => {
    using machine = faultyMachine({})
    expect(await machine.run('status')).toEqual({ code: 0, stdout: '', stderr: 'No servers are running.\n' })
    expect(await machine.json('status')).toEqual({ hosts: [] })
  })

  test('lists which program runs which server, and since when', async () => {
    using machine = faultyMachine({
      tools: [{ name: 'slow', inputSchema: { type: 'object' } }],
      on: { 'tools/call': 'hang' },
    })
    await using host = startCli(machine, ['call', 'x/slow'])
    const hosts = async () => (await machine.json<Running>('status')).hosts
    await expect.poll(hosts).toHaveLength(1)
    const [running] = await hosts()
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string
    expect(running).toEqual({
      pid: host.pid,
      isGone: false,
      cwd: machine.project,
      since: time,
      servers: [
        {
          id: expect.stringMatching(/^x-/) as string,
          name: 'x',
          pid: expect.any(Number) as number,
          command: process.execPath,
          line: expect.stringContaining('faulty-server') as string,
          since: time,
        },
      ],
      left: [],
    })
    const { stdout } = await machine.run('status')
    expect(stdout.split('\n')[0]?.split(/ +/)).toEqual(['SERVER', 'PID', 'SINCE', 'HOST', 'IN', 'PROGRAM'])
    expect(stdout).toContain(String(running?.servers[0]?.pid))
    await host.kill('SIGINT')
    expect(await machine.json('status')).toEqual({ hosts: [] })
  })
})

test('status tells servers of one runner apart, without their secrets', async () => {
  using machine = machineWith({
    one: {
      command: 'sh',
      args: ['-c', 'exec sleep 600', 'one', '--token', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
    },
    two: { command: 'sh', args: ['-c', 'exec sleep 600', 'two'] },
  })
  await using host = startCli(machine, ['tools'])
  const lines = async () =>
    (await machine.json<Running>('status')).hosts
      .flatMap(({ servers }) => servers.map(({ line }) => line))
      .sort()
  await expect.poll(lines).toEqual(['sh -c exec sleep 600 one --token •••', 'sh -c exec sleep 600 two'])
  await host.kill('SIGINT')
})

describe.skipIf(process.platform !== 'linux')('FI-90 plugboard status: what could not be ended', () => {
  test('FI-90 names processes of an ended server, certain or suspected, with the next step', async () => {
    using machine = faultyMachine({})
    const directory = join(machine.home, '.local/state/plugboard/started')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const { processes } = nodePlatform()
    await using one = startProgram('sleep', ['600'])
    await using other = startProgram('sleep', ['600'])
    const marks = await Promise.all(
      [one, other].map(async ({ pid }) => ({ pid, startMark: (await processes.startMarkOf(pid)) ?? '' })),
    )
    const records = [
      { host: { ...(await processes.self()), cwd: '/', at: 0 } },
      ...marks.map((mark, index) => ({ left: { ...mark, id: 'x-1', name: 'x', isCertain: index === 0 } })),
    ]
    writeFileSync(join(directory, '1.jsonl'), records.map((each) => `${JSON.stringify(each)}\n`).join(''))
    const { stderr } = await machine.run('status')
    const [first = 0, second = 0] = marks.map(({ pid }) => pid)
    expect(stderr).toContain(`Process ${first} of "x" still runs, though its server has ended.`)
    expect(stderr).toContain(`Process ${second} may belong to "x", whose server has ended.`)
  })
})

describe('plugboard cache clear', () => {
  test('forgets what is known about the named servers, or about all', async () => {
    using machine = machineWith({ a: faultyServer({}), b: faultyServer({ tools: 2 }) })
    const known = () =>
      Object.keys(machine.files()).filter((name) => name.includes('.cache/plugboard/servers/'))
    await machine.run('test', '--all')
    expect(known()).toHaveLength(2)
    expect(await machine.run('cache', 'clear', 'a')).toEqual({
      code: 0,
      stdout: 'Forgot what was known about 1 server.\n',
      stderr: '',
    })
    expect(known()).toHaveLength(1)
    expect(await machine.json('cache', 'clear')).toEqual({ cleared: 1 })
    expect(known()).toEqual([])
    expect(await machine.json('cache', 'clear')).toEqual({ cleared: 0 })
  })
})
