import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { inShell } from '../support/programs/shell.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const names = [
  ['orders', 'orders'],
  ['my server', "'my server'"],
  ['it’s; rm -rf .', "'it’s; rm -rf .'"],
  ["it's", `'it'\\''s'`],
  ['$(date)', "'$(date)'"],
  ['--all', '-- --all'],
] as const

describe.concurrent('a command in a hint can be copied and run, whatever the server’s name', () => {
  test.each(names)('a server named %s', async (name, quoted) => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { [name]: { command: 'x' } } } })
    expect((await machine.run('list')).stderr).toContain(`See: plugboard trust ${quoted}\n`)
    expect((await machine.run('why', '--', name)).stdout).toContain(`Run: plugboard trust ${quoted}\n`)
    const { stderr } = await machine.run('trust', '--', name)
    const [, hint = ''] = /exact entry: (plugboard trust --hash .*)\n/.exec(stderr) ?? []
    expect(hint).toMatch(/^plugboard trust --hash sha256:[0-9a-f]{64} /)
    expect(inShell(machine, hint)).toEqual({ status: 0, stdout: `Trusted "${name}".\n`, stderr: '' })
  })

  test('add without --: the hint inserts it', async () => {
    using machine = createMachine()
    expect((await machine.run('add', 'notes', 'npx', 'my notes')).stderr).toBe(
      "Put the command after --: plugboard add notes -- npx 'my notes'\n",
    )
  })

  test('T10 trust --quiet still shows what it asks about', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
    const terminal = openTerminal(machine, ['trust', 'orders', '--quiet'])
    await terminal.see('It would run:\norders-mcp')
    await terminal.see('Trust "orders"?')
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
  })
})
