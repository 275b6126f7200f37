import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { untilGone } from '../support/programs/alive.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { shellPrompt, openShell } from '../support/programs/open-shell.ts'
import { faultyMachine, machineWith, ownFile } from '../support/servers.ts'

const ctrlC = '\u0003'
const object = { type: 'object' }
const find = {
  name: 'find',
  description: 'Finds things.',
  inputSchema: {
    type: 'object',
    properties: { q: { type: 'string' }, n: { type: 'integer' }, kind: { enum: ['apple', 'pear'] } },
  },
}
const useful: FaultyScript = {
  capabilities: { tools: {}, prompts: {}, resources: {} },
  tools: [find, { name: 'slow', inputSchema: object }, { name: 'pid', inputSchema: object }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
  resources: [{ uri: 'note://one', name: 'one', mimeType: 'text/plain' }],
  on: {
    'tools/call:find': 'echo',
    'tools/call:slow': ['hang'],
    'prompts/get': {
      result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello there' } }] },
    },
    'resources/read': { result: { contents: [{ uri: 'note://one', text: 'first note' }] } },
  },
}

/** A machine whose server `x` writes the messages it receives to a journal. */
function createJournaledMachine(script: FaultyScript): Machine {
  const machine = createMachine()
  const x = faultyServer({ ...script, journal: machine.path('~/journal') })
  machine.write(ownFile, { mcpServers: { x } })
  return machine
}

interface JournalEntry {
  readonly event?: string
  readonly pid?: number
  readonly message?: { readonly method?: string }
}

function journalOf(machine: Machine): readonly JournalEntry[] {
  if (!existsSync(machine.path('~/journal'))) return []
  const lines = machine.read('~/journal').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as JournalEntry) // the journal is written by our own server
}

async function waitForMethod(machine: Machine, method: string): Promise<void> {
  const isReceived = () => journalOf(machine).some(({ message }) => message?.method === method)
  await expect.poll(isReceived).toBe(true)
}

const pidsOf = (machine: Machine) => [...new Set(journalOf(machine).flatMap(({ pid }) => pid ?? []))]

describe('the shell', () => {
  test('opens with `plugboard` in a terminal, and its status line follows the servers', async () => {
    using machine = faultyMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools · 1 ready')
    expect(await shell.leave()).toBe(0)
    expect(shell.shown()).toContain('/help for help')
  })

  test('calls a tool with typed arguments, with JSON, and by its ref', async () => {
    using machine = faultyMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    await shell.enter('x__find q=hi n=3', '"arguments":{"q":"hi","n":3}')
    await shell.enter('x__find {"q": "two words", "n": 4}', '"arguments":{"q":"two words","n":4}')
    await shell.enter('x/find q="two words"', '"arguments":{"q":"two words"}')
    await shell.enter('x__find n=many', 'See its arguments')
    await shell.enter('x__fnid', 'Did you mean x__find')
    await shell.enter('tolls', 'Did you mean tools')
    expect(await shell.leave()).toBe(0)
  })

  test('fills in a prompt as /server:prompt, and reads a resource', async () => {
    using machine = faultyMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    await shell.enter('/x:greet who=Ann', 'Hello there')
    await shell.enter('/x:greet', 'See its arguments')
    await shell.enter('read note://one', 'first note')
    await shell.enter('/mcp prompts', 'x/greet')
    await shell.enter('/mcp resources', 'note://one')
    expect(await shell.leave()).toBe(0)
  })

  test('Ctrl-C cancels the call, not the shell', async () => {
    using machine = createJournaledMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    shell.type('x__slow\r')
    await waitForMethod(machine, 'tools/call')
    shell.type(ctrlC)
    await shell.see('Cancelled.')
    await waitForMethod(machine, 'notifications/cancelled')
    await shell.enter('x__find q=after', '"q":"after"')
    expect(await shell.leave()).toBe(0)
    await untilGone(...pidsOf(machine))
  })

  test('Ctrl-D cancels the call and exits', async () => {
    using machine = createJournaledMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    shell.type('x__slow\r')
    await waitForMethod(machine, 'tools/call')
    expect(await shell.leave()).toBe(0)
    await waitForMethod(machine, 'notifications/cancelled')
    expect(shell.shown()).toMatch(/Cancelled\.\s+[^]*Leaving\.\s*$/)
    await untilGone(...pidsOf(machine))
  })

  test('Ctrl-C clears the line; twice on an empty line it exits', async () => {
    using machine = createMachine()
    const shell = await openShell(machine)
    shell.type('nonsense')
    await shell.see('nonsense')
    shell.type(ctrlC)
    await shell.see(shellPrompt)
    shell.type(ctrlC)
    await shell.see('Ctrl-C again')
    await shell.see(shellPrompt)
    shell.type(ctrlC)
    expect(await shell.ended).toBe(0)
  })

  test('Ctrl-D stops every server process, also one that is connecting or ignores SIGTERM', async () => {
    const machine = createMachine()
    const journal = machine.path('~/journal')
    machine.write(ownFile, {
      mcpServers: {
        good: faultyServer({ ...useful, journal }),
        stubborn: faultyServer({ ...useful, journal, on: { eof: 'hang', sigterm: 'hang' } }),
        mute: faultyServer({ journal, on: { '*': 'hang', initialize: 'hang' } }),
      },
    })
    const shell = await openShell(machine)
    await expect.poll(() => pidsOf(machine).length).toBe(3)
    expect(await shell.leave()).toBe(0)
    await untilGone(...pidsOf(machine))
    machine[Symbol.dispose]()
  })

  test('a terminal that hangs up stops every server process', async () => {
    using machine = createJournaledMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    shell.hangUp()
    await shell.ended
    await untilGone(...pidsOf(machine))
    expect(pidsOf(machine)).toHaveLength(1)
  })

  test('SIGTERM exits with 143 and stops every server process', async () => {
    using machine = createJournaledMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    shell.type('x__slow\r')
    await waitForMethod(machine, 'tools/call')
    process.kill(shell.pid, 'SIGTERM')
    expect(await shell.ended).toBe(143)
    await untilGone(...pidsOf(machine))
    expect(shell.shown()).toContain('Ended by SIGTERM.')
  })

  test('lines typed ahead run one after the other', async () => {
    using machine = faultyMachine(useful)
    const shell = await openShell(machine)
    await shell.see('3 tools')
    shell.type('x__find q=one\rx__find q=two\rx__find q=three\r')
    await shell.see('"q":"one"')
    await shell.see('"q":"two"')
    await shell.see('"q":"three"')
    expect(await shell.leave()).toBe(0)
  })

  test('shows the progress of a call as a bar', async () => {
    using machine = faultyMachine({
      tools: [{ name: 'work', inputSchema: object }],
      on: {
        'tools/call:work': [{ progress: { times: 5, total: 10 } }, { text: 'done' }],
      },
    })
    const shell = await openShell(machine)
    await shell.see('1 tool')
    await shell.enter('x__work', '[##########----------] 5 of 10')
    await shell.see('done')
    expect(await shell.leave()).toBe(0)
  })

  test('O20 preset omp: test of a disabled server names the operation that enables it, in the words of omp', async () => {
    using machine = createMachine({
      '~/.omp/mcp.json': { mcpServers: { x: { ...faultyServer(useful), enabled: false } } },
    })
    const shell = await openShell(machine, { args: ['shell', '--preset', 'omp'] })
    await shell.enter('/mcp test x', 'Server "x" is disabled. Run /mcp enable x first.')
    expect(await shell.leave()).toBe(0)
  })

  test('flags of the whole shell are refused on a line', async () => {
    using machine = machineWith({})
    const shell = await openShell(machine)
    await shell.enter(
      'tools --cwd /',
      '"--cwd" is not available here. It applies to a whole shell: plugboard shell --cwd',
    )
    await shell.enter('shell', 'This is the shell already.')
    expect(await shell.leave()).toBe(0)
  })

  test('Tab completes commands, tools, argument names, values and prompts', async () => {
    using machine = faultyMachine({
      ...useful,
      capabilities: { tools: {}, prompts: {}, completions: {} },
      on: { ...useful.on, 'completion/complete': { result: { completion: { values: ['Anna', 'Anton'] } } } },
    })
    const shell = await openShell(machine)
    await shell.see('3 tools')
    shell.type('x__f\t')
    await shell.see('x__find ')
    shell.type('ki\t')
    await shell.see('kind=')
    shell.type('pe\t')
    await shell.see('ar ')
    shell.type(`${ctrlC}/x:g\t`)
    await shell.see('/x:greet ')
    shell.type('who=\t')
    await shell.see('An')
    shell.type('\t')
    await shell.see('Anton')
    shell.type(`${ctrlC}/mcp disa\t`)
    await shell.see('ble ')
    shell.type('\t')
    await shell.see('x ')
    shell.type(ctrlC)
    await shell.see(shellPrompt)
    expect(await shell.leave()).toBe(0)
  })
})
