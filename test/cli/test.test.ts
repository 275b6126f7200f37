import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { everything, faultyAddress, faultyMachine, machineWith } from '../support/servers.ts'
import { openTerminal } from '../support/programs/terminal.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'

interface Running {
  readonly hosts: readonly {
    readonly servers: readonly unknown[]
    readonly left: readonly { readonly isCertain: boolean }[]
  }[]
}

interface Report {
  readonly name: string
  readonly timings: Readonly<Record<string, number>>
  readonly counts?: Readonly<Record<string, number>>
  readonly error?: {
    readonly code: string
    readonly data: { readonly failure: Readonly<Record<string, unknown>> }
  }
}

interface Reports {
  readonly servers: readonly Report[]
}

async function reportOf(machine: Machine): Promise<Report> {
  const { servers } = await machine.json<{ readonly servers: readonly [Report] }>('test', 'x')
  return servers[0]
}

/** Exits on the first message. */
function dying(code: number, ...lines: readonly string[]): FaultyScript {
  const step = [...lines.map((line) => ({ stderr: line })), { exit: code }]
  return { on: { 'server/discover': step, initialize: step } }
}

describe.concurrent('plugboard test', () => {
  test('L8 D14 connects to a real server, shows its offers and step times, and disconnects', async () => {
    using machine = machineWith({ everything })
    const { code, stdout, stderr } = await machine.run('test', 'everything')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replace(/(?<=took +)[\d.]+ m?s/, 'N ms').replace(/(?<=[(,] ?\w+ )\d+/g, 'N')).toBe(
      [
        'ok everything',
        `  runs        ${everything.command} stdio`,
        '  says it is  mcp-servers/everything 2.0.0',
        '  speaks      MCP 2025-11-25 (legacy era)',
        '  can         tools, prompts, resources, logging, tasks, completions',
        '  offers      13 tools, 7 resources, 2 resource templates, 4 prompts',
        '  took        N ms (queued N, resolving N, starting N, greeting N, listing N)',
        '',
      ].join('\n'),
    )
    // On a busy machine a process of another program may be suspected; a certain one would be ours.
    const { hosts } = await machine.json<Running>('status')
    expect(
      hosts.flatMap(({ servers, left }) => [...servers, ...left.filter((each) => each.isCertain)]),
    ).toEqual([])
  })

  test('--json has the greeting, the counts and the step times', async () => {
    using machine = faultyMachine({
      era: 'modern',
      tools: [{ name: 'good', inputSchema: { type: 'object' } }, { name: 'bad' }],
    })
    const { timings, ...rest } = await reportOf(machine)
    expect(rest).toEqual({
      name: 'x',
      transport: 'stdio',
      era: 'modern',
      version: '2026-07-28',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'faulty-server', version: '1.0.0' },
      counts: { tools: 1 },
      quarantined: [{ tool: 'bad', reason: 'it has no inputSchema' }],
    })
    expect(Object.keys(timings)).toEqual(['queued', 'resolving', 'starting', 'greeting', 'listing', 'total'])
    const { stdout, stderr } = await machine.run('test', 'x')
    expect(stdout).toContain('  left out    1 tool\n')
    expect(stderr).toBe('warning: "x": Its tool "bad" is left out: it has no inputSchema.\n')
  })

  test('an entry with a fixed revision: no negotiation, and all lists are counted', async () => {
    const protocol = '2026-07-28'
    using machine = machineWith({ x: { ...faultyServer({ era: 'modern', tools: 2 }), protocol } })
    const { counts } = await reportOf(machine)
    expect(counts).toEqual({ tools: 2, resources: 0, resourceTemplates: 0, prompts: 0 })
    expect((await machine.run('test', 'x')).stdout).toContain('  can         unknown: not asked\n')
  })

  test('an entry with a fixed revision and an unreachable server fails', async () => {
    using machine = machineWith({ gone: { url: 'http://127.0.0.1:1/mcp', protocol: '2026-07-28' } })
    const { code, stdout, stderr } = await machine.run('test', 'gone')
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain('127.0.0.1:1')
  })

  test('connects over HTTP', async () => {
    await using remote = await faultyAddress({ tools: 3 })
    using machine = machineWith({ web: { url: remote.url.href } })
    const { code, stdout } = await machine.run('test', 'web')
    expect(code).toBe(0)
    expect(stdout).toContain(`  reaches     ${remote.url.href}\n`)
    expect(stdout).toContain('  offers      3 tools\n')
  })

  test('several servers: each is reported, and the exit code is that of a failed one', async () => {
    using machine = faultyMachine({}, { gone: { command: 'no-such-program' } })
    const { code, stdout, stderr } = await machine.run('test', 'x', 'gone', 'x')
    expect(code).toBe(7)
    expect(stdout.match(/^ok .*$/gm)).toEqual(['ok x'])
    expect(stderr).toContain('Failed to connect to "gone"')
    const { servers: reports } = await machine.json<Reports>('test', 'x', 'gone')
    expect(reports.map(({ name, counts, error }) => [name, counts, error?.code])).toEqual([
      ['x', { tools: 1 }, undefined],
      ['gone', undefined, 'server.failed'],
    ])
  })

  test('--all tests every server that is switched on', async () => {
    using machine = faultyMachine({}, { off: { command: 'x', enabled: false } })
    expect((await machine.json<Reports>('test', '--all')).servers.map(({ name }) => name)).toEqual(['x'])
    using empty = createMachine()
    expect(await empty.run('test', '--all')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No server is switched on here.\n',
    })
  })

  test('connects only to the named server', async () => {
    using machine = faultyMachine({}, { eager: { command: 'touch', args: ['started'], lifecycle: 'eager' } })
    expect((await machine.run('test', 'x')).code).toBe(0)
    expect(machine.has('started')).toBe(false)
  })

  test('the preset of the settings also applies to connecting', async () => {
    using machine = createMachine({ '~/.config/plugboard/settings.json': { preset: 'boocode' } })
    const journal = machine.path('~/journal')
    machine.write('data/mcp.json', { mcpServers: { x: faultyServer({ journal }) } })
    expect((await machine.run('test', 'x')).code).toBe(0)
    const methods = machine.read('~/journal').match(/(?<="method":")[^"]+/g)
    expect(methods?.[0]).toBe('initialize')
  })

  test('in a terminal the current step is shown', async () => {
    using machine = faultyMachine({ on: { initialize: [{ until: 'any' }] } })
    const terminal = openTerminal(machine, ['test', 'x'])
    await terminal.see('x: waiting for its greeting…')
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(terminal.shown()).toContain('Cancelled.')
  })
})

describe.concurrent('test: a failed connection gives the reason, the last output and the next step', () => {
  test('a missing program', async () => {
    using machine = machineWith({ gone: { command: 'no-such-program' } })
    expect(await machine.run('test', 'gone')).toEqual({
      code: 7,
      stdout: '',
      stderr:
        'Failed to connect to "gone": "no-such-program" was not found in PATH.\n' +
        'Install it, or put its full path into the entry: plugboard why gone\n',
    })
  })

  test('a program that exits: its exit code and last output', async () => {
    using machine = faultyMachine(dying(3, 'no database'))
    expect(await machine.run('test', 'x')).toEqual({
      code: 7,
      stdout: '',
      stderr:
        'Failed to connect to "x": The server ended with exit code 3.\n' +
        'It last said:\n  no database\nSee its output: plugboard logs x\n',
    })
    const { error } = await reportOf(machine)
    expect(error).toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'exit', exit: { code: 3, signal: null }, stderr: ['no database'] } },
    })
  })

  test('a program for another version of Node', async () => {
    using machine = faultyMachine(dying(1, 'npm error engine Unsupported engine'))
    expect((await machine.run('test', 'x')).stderr).toContain(
      'It may need a different Node version than the one in its PATH',
    )
  })

  test('a server that never answers, with --timeout', async () => {
    // A shell says it at once, whatever else the machine does.
    using machine = machineWith({ x: { command: 'sh', args: ['-c', 'echo thinking >&2; exec sleep 600'] } })
    expect(await machine.run('test', 'x', '--timeout', '2500ms')).toEqual({
      code: 9,
      stdout: '',
      stderr:
        'Failed to connect to "x": It did not get ready within 2.5 s.\nIt last said:\n  thinking\n' +
        'See its output (plugboard logs x), or allow more time: "startupTimeout" in its entry.\n',
    })
  })

  test('FI-40 a server that requires a login', async () => {
    await using remote = await faultyAddress({ on: { POST: { http: { status: 401, body: 'no' } } } })
    using machine = machineWith({ web: { url: remote.url.href } })
    expect(await machine.run('test', 'web')).toEqual({
      code: 8,
      stdout: '',
      stderr: 'Server "web" asked for a login.\nRun: plugboard login web\n',
    })
  })

  test('a server that answers 403', async () => {
    await using remote = await faultyAddress({ on: { POST: { http: { status: 403, body: 'no' } } } })
    using machine = machineWith({ web: { url: remote.url.href } })
    const { code, stderr } = await machine.run('test', 'web')
    expect(code).toBe(7)
    expect(stderr).toMatch(
      /^Failed to connect to "web": .*403.*\nIts credentials do not allow this: plugboard why web\n$/,
    )
  })

  test('a server that is switched off', async () => {
    using machine = machineWith({ off: { command: 'x', enabled: false } })
    expect(await machine.run('test', 'off')).toEqual({
      code: 7,
      stdout: '',
      stderr: '"off" is switched off.\nSwitch it on: plugboard enable off\n',
    })
  })

  test('T18 control characters in its output are escaped', async () => {
    using machine = faultyMachine(dying(1, '\u001B]0;owned\u0007\u001B[2J red'))
    const { stderr } = await machine.run('test', 'x')
    expect(stderr).toContain(String.raw`  \x1b]0;owned\x07\x1b[2J red`)
    expect(stderr).not.toContain('\u001B')
    const json = await machine.run('test', 'x', '--json')
    expect(json.stdout).not.toContain('\u001B')
  })

  test('T35 a secret it was given is hidden in its output', async () => {
    using machine = machineWith({
      x: {
        command: process.execPath,
        args: ['-e', 'console.error("password is " + process.env.DB_PASSWORD); process.exit(1)'],
        env: { DB_PASSWORD: '${DB_PASSWORD}' },
      },
    })
    const env = { DB_PASSWORD: 'correct horse battery' }
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = await machine.runWith({ env }, 'test', 'x', ...flags)
      expect(stdout + stderr).toContain('password is •••')
      expect(stdout + stderr).not.toContain('correct horse')
    }
  })
})

describe.concurrent('servers of a project', () => {
  const project = (machine: { path(name: string): string }) => ({
    mcpServers: { orders: { command: 'touch', args: [machine.path('canary')] } },
  })

  test.each([
    ['test', 'orders'],
    ['call', 'orders/find'],
    ['request', 'orders', 'ping'],
  ])('T01 %s is rejected with the next step, and nothing runs', async (...words) => {
    using machine = createMachine()
    machine.write('.mcp.json', project(machine))
    expect(await machine.run(...words)).toEqual({
      code: 4,
      stdout: '',
      stderr: '"orders" is not trusted.\nLook at it and decide: plugboard trust orders\n',
    })
    expect(machine.has('canary')).toBe(false)
  })

  test('T01 --trust applies to one command and is not remembered', async () => {
    using machine = createMachine()
    machine.write('.mcp.json', project(machine))
    expect((await machine.run('test', 'orders', '--trust')).code).toBe(7)
    expect(machine.has('canary')).toBe(true)
    expect((await machine.run('test', 'orders')).code).toBe(4)
  })
})
