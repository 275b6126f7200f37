import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { shellPrompt, openShell } from '../support/programs/open-shell.ts'
import { faultyMachine, machineWith, ownFile } from '../support/servers.ts'
import { keys } from '../support/programs/terminal.ts'

const { enter, down, ctrlC } = keys
const object = { type: 'object' }
const script: FaultyScript = { tools: [{ name: 'find', inputSchema: object }] }

describe.concurrent('shell: a call that needs an approval', () => {
  const asking = '---\ndescription: Asks.\npermission:\n  "*": ask\n---\n'

  test('runs once, while the shell is open, always, or not at all, as the person answers', async () => {
    using machine = faultyMachine(script)
    machine.write('.opencode/agent/careful.md', asking)
    const first = await openShell(machine, { columns: 200 })
    await first.see('1 tool')
    await first.enter('call x__find --agent careful q=1', '"q": 1')
    await first.see('◆  Call x/find?')
    first.type(enter)
    await first.see('A person said no.')
    await first.enter('call x__find --agent careful q=2', '◆  Call x/find?')
    first.type(`${down}${enter}`)
    await first.see('"arguments":{"q":2}')
    await first.enter('call x__find --agent careful q=3', '◆  Call x/find?')
    first.type(`${down}${down}${enter}`)
    await first.see('"arguments":{"q":3}')
    await first.enter('call x__find --agent careful q=4', '"arguments":{"q":4}')
    expect(await first.leave()).toBe(0)

    const second = await openShell(machine, { columns: 200 })
    await second.see('1 tool')
    await second.enter('call x__find --agent careful q=5', '◆  Call x/find?')
    second.type(`${down}${down}${down}${enter}`)
    await second.see('"arguments":{"q":5}')
    expect(await second.leave()).toBe(0)

    const third = await openShell(machine, { columns: 200 })
    await third.see('1 tool')
    await third.enter('call x__find --agent careful q=6', '"arguments":{"q":6}')
    expect(await third.leave()).toBe(0)
  })

  test('T48 a question of one shell is shown in another and answered there', async () => {
    using machine = faultyMachine(script)
    machine.write('.opencode/agent/careful.md', asking)
    const first = await openShell(machine, { columns: 200 })
    await first.see('1 tool')
    await first.enter('call x__find --agent careful q=7', '◆  Call x/find?')
    const second = await openShell(machine, { columns: 200 })
    await second.see('A question waits for your answer: questions')
    await second.enter('questions', 'approval')
    const [, id = ''] = /^([0-9a-f]{8}) +pending/m.exec(second.shown()) ?? []
    await second.enter(`answer ${id}`, '◆  Call x/find?')
    second.type(`${down}${enter}`)
    await second.see(`Answered ${id}: once.`)
    await first.see('"arguments":{"q":7}')
    expect([await first.leave(), await second.leave()]).toEqual([0, 0])
  })

  test('Ctrl-C at the question refuses the call and does not end the shell', async () => {
    using machine = faultyMachine(script)
    machine.write('.opencode/agent/careful.md', asking)
    const shell = await openShell(machine, { columns: 200 })
    await shell.see('1 tool')
    await shell.enter('call x__find --agent careful', '◆  Call x/find?')
    shell.type(ctrlC)
    await shell.see('A person said no.')
    await shell.enter('x__find', '"name":"find"')
    expect(await shell.leave()).toBe(0)
  })
})

test('shell: a question outside of a call is shown, and the half-typed line is restored after it', async () => {
  const question = {
    method: 'elicitation/create',
    params: {
      message: 'Still there?',
      requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
    },
  }
  using machine = createMachine()
  const x = faultyServer({
    ...script,
    journal: machine.path('~/journal'),
    on: { sigterm: 'hang', 'tools/call:find': [{ text: 'soon' }, { until: 'sigterm' }, { ask: [question] }] },
  })
  machine.write(ownFile, { mcpServers: { x } })
  const shell = await openShell(machine, { columns: 200 })
  await shell.see('1 tool')
  await shell.enter('x__find', 'soon')
  await shell.see(shellPrompt)
  shell.type('too')
  await shell.see('too')
  const [, pid = ''] = /"pid":(\d+)/.exec(machine.read('~/journal')) ?? []
  process.kill(Number(pid), 'SIGTERM')
  await shell.see('| Still there?')
  await shell.see('◆  What do you want to do?')
  shell.type(`${down}${enter}`)
  await shell.see(`${shellPrompt}too`)
  shell.type(`ls${enter}`)
  await shell.see('x__find')
  expect(await shell.leave()).toBe(0)
})

test('shell: all inputs of an entry are asked for without a limit, and a password is not shown', async () => {
  const ids = ['one', 'two', 'three', 'four', 'five', 'six']
  using machine = createMachine({
    '.vscode/mcp.json': {
      inputs: [
        ...ids.map((id) => ({ id, type: 'promptString', description: `Number ${id}` })),
        { id: 'word', type: 'promptString', description: 'The word', password: true },
      ],
      servers: {
        x: {
          ...faultyServer(script),
          env: Object.fromEntries(
            [...ids, 'word'].map((id) => [`OF_${id.toUpperCase()}`, `\${input:${id}}`]),
          ),
        },
      },
    },
  })
  const shell = await openShell(machine, {
    columns: 200,
    args: ['shell', '--source', 'vscode', '--trust'],
  })
  shell.type(`x__find${enter}`)
  for (const id of ids) {
    await shell.see(`◆  "x" needs ${id}: Number ${id}`)
    shell.type(`v-${id}${enter}`)
  }
  await shell.see('◆  "x" needs word: The word')
  shell.type(`hunter2hunter2${enter}`)
  await shell.see('"name":"find"')
  await shell.see('1 tool')
  expect(await shell.leave()).toBe(0)
  expect(shell.shown()).not.toContain('hunter2')
})

describe.concurrent('T20 shell: a server that needs an input', () => {
  const withInput = { ...faultyServer(script), env: { KEY: '${input:key}' } }

  test.each(['lazy', 'background', 'eager'])(
    'T20 %s: the shell opens on its prompt, other lines run, and it asks when it is used',
    async (lifecycle) => {
      using machine = machineWith({ asks: { ...withInput, lifecycle }, other: faultyServer(script) })
      const shell = await openShell(machine, { columns: 200 })
      await shell.see('1 tool')
      await shell.enter('other__find', '"name":"find"')
      await shell.enter('list', 'SERVER')
      await shell.see(shellPrompt)
      expect(shell.shown()).not.toContain('needs key')
      await shell.enter('asks__find', '◆  "asks" needs key')
      shell.type(`a-value${enter}`)
      await shell.see('"name":"find"')
      await shell.see('2 tools')
      expect(await shell.leave()).toBe(0)
    },
  )

  test('T20 trusting it asks for nothing: the next line is a command, and the question comes with the first use', async () => {
    using machine = createMachine({ '.vscode/mcp.json': { servers: { asks: withInput } } })
    const shell = await openShell(machine, { columns: 200, args: ['shell', '--source', 'vscode'] })
    await shell.enter('/mcp trust asks', '◆  ')
    shell.type(`y${enter}`)
    await shell.see(shellPrompt)
    await shell.enter('help', 'Ctrl-R searches the history')
    await shell.enter('list', 'SERVER')
    await shell.see(shellPrompt)
    expect(shell.shown()).not.toContain('needs key')
    await shell.enter('asks__find', '◆  "asks" needs key')
    shell.type(`a-value${enter}`)
    await shell.see('"name":"find"')
    expect(await shell.leave()).toBe(0)
    // It has no definition, so it may be a secret.
    expect(shell.shown()).not.toContain('a-value')
  })

  test('T20 keys typed ahead of the question are a command, not the answer', async () => {
    using machine = machineWith({ asks: withInput })
    const shell = await openShell(machine, { columns: 200 })
    shell.type(`asks.find${enter}help${enter}`)
    await shell.see('◆  "asks" needs key')
    shell.type(keys.ctrlC)
    await shell.see('key')
    await shell.see('Ctrl-R searches the history')
    expect(await shell.leave()).toBe(0)
  })
})

const question = (id: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: {
    message: 'Still there?',
    requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
  },
})

test('shell: simultaneous questions are asked one at a time, and "decline all" declines every one of them', async () => {
  using machine = createMachine()
  const all = Array.from({ length: 20 }, (_, at) => question(`q${at}`))
  const x = faultyServer({
    ...script,
    journal: machine.path('~/journal'),
    on: { 'tools/call:find': [{ send: all }, { text: 'asked' }] },
  })
  machine.write(ownFile, { mcpServers: { x } })
  const shell = await openShell(machine, { columns: 200 })
  await shell.see('1 tool')
  shell.type(`x__find${enter}`)
  await shell.see('◆  What do you want to do?')
  shell.type(`${down}${down}${enter}`)
  await shell.see(shellPrompt)
  await shell.enter('tools', 'x__find')
  expect(await shell.leave()).toBe(0)
  const declined = machine.read('~/journal').match(/"action":"decline"/g) ?? []
  expect(declined).toHaveLength(20)
  expect(shell.shown().split('◆  What do you want to do?')).toHaveLength(2)
})

test('shell: the question of a server disappears when the server exits', async () => {
  using machine = createMachine()
  const x = faultyServer({
    ...script,
    journal: machine.path('~/journal'),
    on: { sigterm: 'hang', 'tools/call:find': [{ send: question('q') }, { until: 'sigterm' }, { exit: 3 }] },
  })
  machine.write(ownFile, { mcpServers: { x } })
  const shell = await openShell(machine, { columns: 200 })
  await shell.see('1 tool')
  await shell.enter('x__find', '◆  What do you want to do?')
  const [, pid = ''] = /"pid":(\d+)/.exec(machine.read('~/journal')) ?? []
  process.kill(Number(pid), 'SIGTERM')
  await shell.see('The server ended with exit code 3.')
  await shell.see(shellPrompt)
  await shell.enter('tools', 'x__find')
  expect(await shell.leave()).toBe(0)
})

test('shell: a hundred lines cause no warning of leaked listeners', async () => {
  using machine = faultyMachine(script)
  const shell = await openShell(machine)
  await shell.see('1 tool')
  shell.type('x__find q=1\r/mcp list\r'.repeat(50))
  shell.type('x__find q=last\r')
  await shell.see('"q":"last"')
  expect(await shell.leave()).toBe(0)
  expect(shell.shown()).not.toContain('Warning')
})

test('shell: doctor and the other commands of the command line work', async () => {
  using machine = faultyMachine(script)
  const shell = await openShell(machine, { columns: 200 })
  await shell.see('1 tool')
  await shell.enter('/mcp doctor x', 'x')
  await shell.see(shellPrompt)
  await shell.enter('search find', 'x__find')
  await shell.enter('tool x__find', 'call it')
  await shell.enter('sources', 'SOURCE')
  await shell.enter('cache clear x', 'Forgot what was known about')
  await shell.enter('list --json', '"servers"')
  await shell.enter('add --help', 'USAGE')
  await shell.enter('/help why', 'USAGE')
  expect(await shell.leave()).toBe(0)
})
