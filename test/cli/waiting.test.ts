import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { Machine } from '../support/programs/cli.ts'
import { openShell } from '../support/programs/open-shell.ts'
import { renderScreen } from '../support/programs/screen.ts'
import { machineWith, ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const good = faultyServer({
  capabilities: { tools: {}, prompts: {}, resources: {} },
  tools: [{ name: 'find', inputSchema: { type: 'object' } }],
  prompts: [{ name: 'greet' }],
  resources: [{ uri: 'note://one', name: 'one' }],
  on: {
    'tools/call:find': { text: 'found it' },
    'prompts/get': { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] } },
    'resources/read': { result: { contents: [{ uri: 'note://one', text: 'first note' }] } },
  },
})
const deaf = { 'server/discover': 'hang', initialize: 'hang' } as const
const missing = { command: 'no-such-command-anywhere' }

/** A good, a hanging and a missing server; the hanging one writes a journal when it is started. */
function company(more: Readonly<Record<string, unknown>> = {}): Machine {
  const machine = machineWith({})
  const hangs = faultyServer({ on: deaf, journal: machine.path('~/journal') })
  machine.write(ownFile, { mcpServers: { good, hangs, missing, ...more } })
  return machine
}

interface Found {
  readonly missing: readonly { readonly server: string }[]
}

const wasStarted = (machine: Machine) => machine.has('~/journal')

describe.concurrent('FI-93 a hanging server that a command does not concern, nothing known', () => {
  test.each([
    ['call good__find', 0, 'found it'],
    ['call good/find', 0, 'found it'],
    ['call good__fimd', 5, 'Did you mean good__find?'],
    ['tool good__find', 0, 'good/find'],
    ['why good__find --tool', 0, 'No rule forbids it.'],
    ['why good', 0, 'in force'],
    ['tools good/*', 0, 'good__find'],
    ['tools good__*', 0, 'good__find'],
    ['prompt good/greet', 0, 'Hello'],
    ['prompts good', 0, 'good/greet'],
    ['resources good', 0, 'note://one'],
    ['read note://one --server good', 0, 'first note'],
    ['test good', 0, 'ok good'],
    ['doctor good', 0, '1 of 1 server ready'],
    ['list', 0, 'hangs'],
    ['agents', 0, 'No agents are defined here.'],
    ['__complete -- call ', 0, 'good/'],
  ] as const)('FI-93 %s does not start it', async (line, code, shown) => {
    using machine = company()
    const result = await machine.run(...line.split(' '))
    expect({ code: result.code, started: wasStarted(machine) }).toEqual({ code, started: false })
    expect(result.stdout + result.stderr).toContain(shown)
    expect(result.stderr).not.toContain('is missing here')
  })

  test.each(['tools', 'prompts', 'resources'])(
    'FI-93 %s --agent does not start a server of which the agent sees nothing',
    async (command) => {
      using machine = company()
      machine.write('.claude/agents/reader.md', '---\nname: reader\ntools: mcp__good__find\n---\n')
      machine.write('AGENTS.md', '')
      await machine.run('sources', 'enable', 'claude-code')
      const { code } = await machine.run(command, '--agent', 'reader')
      expect({ code, started: wasStarted(machine) }).toEqual({ code: 0, started: false })
    },
  )

  test('FI-93 once the good server is known, search, read and a plain prompt name ask only it', async () => {
    using machine = company()
    await machine.run('test', 'good')
    for (const [line, shown] of [
      ['search find', 'good__find'],
      ['read note://one', 'first note'],
      ['prompt greet', 'Hello'],
    ] as const) {
      const { code, stdout } = await machine.run(...line.split(' '))
      expect({ line, code, started: wasStarted(machine) }).toEqual({ line, code: 0, started: false })
      expect(stdout).toContain(shown)
    }
  })
})

describe.concurrent('FI-93 a command that ends before a server is ready', () => {
  test.each([
    ['search find', 'good__find'],
    ['read note://one', 'first note'],
    ['prompt greet', 'Hello'],
  ])('FI-93 %s ends soon after one server has what it asks for, with success', async (line, shown) => {
    using machine = company()
    const { code, stdout, stderr } = await machine.run(...line.split(' '))
    expect({ code, started: wasStarted(machine) }).toEqual({ code: 0, started: true })
    expect(stdout).toContain(shown)
    // The first limit of a server that is not known.
    expect(stderr).not.toContain('No answer for 10 s')
  })

  test('FI-93 search names who is missing, why and since when, and what waits for it', async () => {
    using machine = company()
    const { missing: found } = await machine.json<{ readonly missing: readonly object[] }>('search', 'find')
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string
    expect(found).toEqual([
      {
        server: 'hangs',
        state: 'connecting',
        since,
        message: 'It is not ready yet.',
        hint: 'Wait for it as long as it takes: plugboard test hangs',
      },
      expect.objectContaining({ server: 'missing', state: 'failed', since }),
    ])
  })

  test('FI-93 --timeout leaves a start unfinished: the list is shown, with exit 9 and the begin of the start', async () => {
    using machine = company()
    await machine.run('test', 'good')
    const before = Date.now()
    const { code, stdout } = await machine.run('tools', '--timeout', '3s', '--json')
    const { tools, missing: found } = JSON.parse(stdout) as {
      readonly tools: readonly { readonly name: string }[]
      readonly missing: readonly { readonly server: string; readonly state: string; readonly since: string }[]
    }
    expect({ code, names: tools.map(({ name }) => name) }).toEqual({ code: 9, names: ['good__find'] })
    expect(found[0]).toMatchObject({ server: 'hangs', state: 'connecting' })
    const since = Date.parse(found[0]?.since ?? '')
    expect(since).toBeGreaterThanOrEqual(before - 1000)
    // The command ended three seconds after its begin.
    expect(since).toBeLessThan(Date.now() - 500)
  })

  test('FI-93 a server that had its whole start-up time is remembered until it is tested again', async () => {
    using machine = company()
    const slow = faultyServer({ on: { initialize: [{ wait: 60_000 }, 'answer'] }, tools: [] })
    machine.write(ownFile, { mcpServers: { good, slow: { ...slow, startupTimeout: 500 } } })
    expect((await machine.run('test', 'slow')).stderr).toContain('did not get ready within 500 ms')
    const remembered = () => Object.values(machine.files()).filter((text) => text.includes('"timed-out"'))
    expect(remembered()).toHaveLength(1)
    const { code, stdout } = await machine.run('tools')
    expect({ code, shows: stdout.includes('good__find') }).toEqual({ code: 0, shows: true })
    // A test forgets it, even if it is cancelled.
    const terminal = openTerminal(machine, ['test', 'slow', '--timeout', '20s'])
    await terminal.see('slow: waiting for its greeting')
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
    expect(remembered()).toHaveLength(0)
  })
})

test('FI-93 a server that is given one second because it hung before says when that was', async () => {
  const hangs = { ...faultyServer({ on: deaf }), startupTimeout: 1500 }
  using machine = machineWith({ good, hangs })
  await machine.run('test', 'hangs')
  const { missing: found } = await machine.json<Found>('tools')
  expect(found.find(({ server }) => server === 'hangs')).toMatchObject({
    state: 'connecting',
    message: expect.stringMatching(/^It did not get ready within 1\.5 s at \d{4}-\d\d-\d\dT.*Z\.$/) as string,
    hint: 'Try it again: plugboard test hangs',
  })
})

describe('FI-93 the line that shows who is awaited, in a terminal', () => {
  const names = ['first', 'second', 'third', 'fourth', 'fifth'].map((word) => `${word}-server-of-the-shop`)
  const servers = Object.fromEntries(names.map((name) => [name, faultyServer({ on: deaf })]))

  test.each([
    [60, 'waiting for first-server-of-the-shop and 4 more… '],
    [
      120,
      'waiting for first-server-of-the-shop, second-server-of-the-shop, third-server-of-the-shop and 2 more… ',
    ],
  ])('FI-93 %d columns: it names as many servers as fit, and for how long', async (columns, line) => {
    using machine = machineWith(servers)
    const terminal = openTerminal(machine, ['tools'], { columns })
    await terminal.see(line)
    // One line: nothing of it was wrapped.
    await expect
      .poll(() => renderScreen(terminal.raw(), columns))
      .toEqual([expect.stringMatching(/^waiting for .*… \d+ s$/)])
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
  })

  test('FI-93 a single server is shown with its step, and the whole time counts', async () => {
    using machine = machineWith({ x: faultyServer({ on: deaf }) })
    const terminal = openTerminal(machine, ['call', 'x__find'])
    await terminal.see('x: waiting for its greeting… 1 s')
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
  })

  test('FI-93 in the shell, a command shows the server that it waits for and that was connecting already', async () => {
    using machine = company()
    const shell = await openShell(machine)
    await shell.see('1 connecting (hangs)')
    await shell.enter('call hangs__find', 'hangs: waiting for its greeting…')
    shell.type(keys.ctrlC)
    await shell.see('plugboard> ')
    await shell.enter('good__find', 'found it')
    await shell.enter('call good__fimd', 'Did you mean good__find?')
    expect(shell.shown()).not.toContain('is missing here')
    expect(await shell.leave()).toBe(0)
  })
})
