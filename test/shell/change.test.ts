import { describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { openShell } from '../support/programs/open-shell.ts'
import { faultyMachine, machineWith, ownFile } from '../support/servers.ts'
import { keys } from '../support/programs/terminal.ts'

const { enter, ctrlC } = keys
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })
const server = (...names: readonly string[]) => faultyServer({ tools: names.map(tool) })

describe.concurrent('shell: changes of the configuration', () => {
  test('O16 O18 add: the wizard adds a server, and its tools can be called at once', async () => {
    using machine = createMachine()
    const { command, args } = server('find')
    const shell = await openShell(machine, { columns: 200 })
    expect(shell.shown()).toContain('no servers yet: /mcp add')
    await shell.enter('/mcp add', 'What is it called?')
    shell.type(`docs${enter}`)
    await shell.see('How do you connect to it?')
    shell.type(enter)
    await shell.see('Which command starts it?')
    shell.type(`${command} ${args.map((arg) => `'${arg}'`).join(' ')}${enter}`)
    await shell.see('Environment variables')
    shell.type(enter)
    await shell.see('docs: added in ~/.config/plugboard/mcp.json')
    await shell.see('"docs" is new. 1 tool is offered.')
    await shell.enter('docs__find', '"name":"find"')
    expect(await shell.leave()).toBe(0)
  })

  test('O16 add: Ctrl-C in the wizard ends the wizard, not the shell, and nothing is written', async () => {
    using machine = createMachine()
    const shell = await openShell(machine)
    await shell.enter('add', 'What is it called?')
    shell.type(ctrlC)
    await shell.see('Nothing was added.')
    await shell.enter('/mcp list', 'No MCP servers are in force here.')
    expect(await shell.leave()).toBe(0)
    expect(machine.has(ownFile)).toBe(false)
  })

  test('O16 O20 add: preset omp reports wrong flags in the words of omp', async () => {
    using machine = createMachine({ '~/.omp/mcp.json': { mcpServers: { x: server('find') } } })
    const shell = await openShell(machine, { args: ['shell', '--preset', 'omp'], columns: 200 })
    await shell.enter(
      '/mcp add a --url https://a.example -- npx a',
      'Use either --url or -- <command...>, not both.',
    )
    await shell.enter('/mcp add a --token t', '--token requires --url (HTTP/SSE transport).')
    await shell.enter('/mcp add a,b -- npx a', 'Invalid server config:')
    await shell.enter('/mcp add x -- npx a', 'Server "x" already exists in ')
    await shell.enter('/mcp add y -- no-such-program', 'y: added in ~/.omp/mcp.json')
    await shell.enter('/mcp test y', 'Failed to connect to "y": ')
    expect(await shell.leave()).toBe(0)
  })

  test('O16 O18 disable, enable, remove and rm take effect at once', async () => {
    using machine = machineWith({ x: server('find'), y: server('look'), z: server('see') })
    const shell = await openShell(machine, { columns: 200 })
    await shell.see('3 tools')
    await shell.enter('/mcp disable x', '"x" changed. 2 tools are offered.')
    await shell.enter('x__find', '"x" is switched off.')
    await shell.enter('/mcp enable x', '"x" changed. 3 tools are offered.')
    await shell.enter('x__find', '"name":"find"')
    await shell.enter('/mcp remove y', '"y" is gone. 2 tools are offered.')
    await shell.enter('rm z', '"z" is gone. 1 tool is offered.')
    await shell.enter('/mcp remove y', 'No server "y" is declared.')
    expect(await shell.leave()).toBe(0)
    expect(Object.keys((JSON.parse(machine.read(ownFile)) as { mcpServers: object }).mcpServers)).toEqual([
      'x',
    ])
  })

  test('O16 test, tools, list, status, why, logs, restart and reload work in the shell', async () => {
    using machine = machineWith({
      x: faultyServer({ tools: [tool('find')], on: { start: [{ stderr: 'good morning\n' }, 'answer'] } }),
      gone: { command: 'no-such-program' },
    })
    const shell = await openShell(machine, { columns: 200 })
    await shell.see('1 failed (gone)')
    await shell.enter('/mcp test x', 'ok x')
    await shell.see('1 tool')
    await shell.enter('/mcp test gone', 'Failed to connect to "gone"')
    await shell.enter('/mcp tools', 'x__find')
    await shell.enter('/mcp list', 'COMMAND OR URL')
    await shell.see('ready')
    await shell.enter('/mcp status', 'gone  failed since')
    await shell.enter('/mcp why x', 'declared in')
    await shell.enter('/mcp why x__find', 'seen')
    await shell.enter('/mcp logs x --follow', 'good morning')
    shell.type(ctrlC)
    await shell.see('Cancelled.')
    await shell.enter('/mcp restart x', 'Restarted "x".')
    await shell.enter('/mcp reload', 'Reloaded the configuration: nothing changed. 1 tool is offered.')
    await shell.enter('/mcp help', '/mcp enable | disable NAME')
    await shell.enter('/mcp nonsense', '"nonsense" is not available here.')
    expect(await shell.leave()).toBe(0)
  })

  test('trust: shows what would run, and a yes lets the server start', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: server('order') } } })
    const shell = await openShell(machine, { columns: 200 })
    expect(shell.shown()).toContain('1 needs trust (orders)')
    await shell.enter('/mcp trust orders', 'It would run:')
    await shell.see('Trust "orders"?')
    shell.type('y\r')
    await shell.see('Trusted "orders".')
    await shell.enter('orders__order', '"name":"order"')
    expect(await shell.leave()).toBe(0)
  })

  test('O18 a config file edited by another program takes effect at once, and the half-typed line stays', async () => {
    using machine = machineWith({ x: server('find') })
    const shell = await openShell(machine, { columns: 200 })
    await shell.see('1 tool')
    shell.type('tool')
    await shell.see('tool')
    machine.write(ownFile, { mcpServers: { x: server('find'), y: server('look') } })
    await shell.see('A config file changed: "y" is new.')
    await shell.see('2 tools')
    await shell.see('plugboard> tool')
    shell.type(`s${enter}`)
    await shell.see('y__look')
    expect(await shell.leave()).toBe(0)
  })

  test('a config file that becomes invalid changes nothing, and its place is reported', async () => {
    using machine = machineWith({ x: server('find') })
    const shell = await openShell(machine, { columns: 200 })
    await shell.see('1 tool')
    machine.write(ownFile, '{ "mcpServers": {')
    await shell.see('.config/plugboard/mcp.json')
    await shell.enter('x__find', '"name":"find"')
    expect(await shell.leave()).toBe(0)
  })

  test('O21 an invalid config file is reported at the start, and by list, status and reload', async () => {
    using machine = createMachine({ [ownFile]: '{ "mcpServers": {' })
    const shell = await openShell(machine, { columns: 200 })
    expect(shell.shown()).toContain('is missing here.')
    for (const line of ['/mcp list', '/mcp status', '/mcp reload'])
      await shell.enter(line, 'is missing here.')
    machine.write(ownFile, { mcpServers: { x: server('find'), bad: { url: 7 } } })
    await shell.see('"x" is new')
    await shell.enter('list', '"url" must be a string, not 7.')
    expect(await shell.leave()).toBe(0)
  })

  test('two shells edit the same file: no edit is lost, and each shell sees those of the other', async () => {
    using machine = faultyMachine({ tools: [tool('find')] })
    const [one, two] = [
      await openShell(machine, { columns: 200 }),
      await openShell(machine, { columns: 200 }),
    ]
    await Promise.all([one.see('1 tool'), two.see('1 tool')])
    one.type(`/mcp add a -- no-such-a${enter}`)
    two.type(`/mcp add b -- no-such-b${enter}`)
    await Promise.all([one.see('a: added in'), two.see('b: added in')])
    await Promise.all([one.see('2 failed ('), two.see('2 failed (')])
    expect(await Promise.all([one.leave(), two.leave()])).toEqual([0, 0])
    const { mcpServers } = JSON.parse(machine.read(ownFile)) as { mcpServers: object }
    expect(Object.keys(mcpServers).sort()).toEqual(['a', 'b', 'x'])
  })
})
