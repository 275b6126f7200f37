import { describe, expect, test } from 'vitest'
import { faultyMachine } from '../support/servers.ts'
import { createMachine } from '../support/programs/cli.ts'

const tools = [{ name: 'find', description: 'Finds things.', inputSchema: { type: 'object' } }]

describe.concurrent('shell: piped input', () => {
  test.each([[['shell']], [[]]])('plugboard %j executes each line', async (args) => {
    using machine = faultyMachine({ tools })
    const { code, stdout, stderr } = await machine.runWith(
      { stdin: 'tools\n# a remark\n\nx__find\n/quit\nnever\n' },
      ...args,
    )
    expect({ code, stderr, lines: stdout.split('\n').map((line) => line.trimEnd()) }).toEqual({
      code: 0,
      stderr: '',
      lines: ['TOOL     SERVER  DOES', 'x__find  x       Finds things.', expect.stringContaining('find'), ''],
    })
  })

  test('continues after a line that fails, and returns its exit code', async () => {
    using machine = faultyMachine({ tools })
    const { code, stdout, stderr } = await machine.runWith(
      { stdin: 'tool nothing\nwhat is this\ntools\n' },
      'shell',
    )
    expect({ code, found: stdout.includes('x__find') }).toEqual({ code: 5, found: true })
    expect(stderr).toContain('There is no tool "nothing".\nSee what there is: /mcp tools\n')
    expect(stderr).toContain('"what" is not available here.')
  })

  test('"-" is refused: piped lines are not the input of a command', async () => {
    using machine = faultyMachine({ tools })
    const { code, stderr } = await machine.runWith({ stdin: 'call x__find -\n{}\n' }, 'shell')
    expect(code).toBe(2)
    expect(stderr).toContain('The shell reads stdin itself')
  })

  test('asks no questions and trusts nothing', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
    const { code, stderr } = await machine.runWith({ stdin: 'trust orders\nadd\n' }, 'shell')
    expect(code).toBe(4)
    expect(stderr).toContain('There is no terminal to ask in.')
    expect(stderr).toContain('Say what to add')
  })

  test('without input the help is printed', async () => {
    using machine = createMachine()
    const { code, stdout } = await machine.run()
    expect(code).toBe(0)
    expect(stdout).toContain('COMMANDS')
  })

  test('changes take effect for the following lines', async () => {
    using machine = faultyMachine({ tools })
    const { code, stdout, stderr } = await machine.runWith(
      { stdin: 'tools\n/mcp disable x\ntools\n/mcp enable x\ntools\n' },
      'shell',
    )
    expect(code).toBe(0)
    expect(stdout.split('x__find').length - 1).toBe(2)
    expect(stderr).toContain('There are no tools here.')
  })
})
