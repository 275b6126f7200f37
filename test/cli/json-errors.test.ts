import { describe, expect, test } from 'vitest'
import { createMachine, parseDocument } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { openTerminal } from '../support/programs/terminal.ts'

const own = '~/.config/plugboard/mcp.json'
const ghToken = `ghp_${'a1B2'.repeat(9)}`

function shop(): Machine {
  return createMachine({
    '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } },
    [own]: { mcpServers: { docs: { command: 'docs-mcp' } } },
  })
}

const noServer = { code: 'server.unknown', data: { server: 'ordrs', near: ['orders'] } }
const noSource = {
  code: 'source.unknown',
  message: 'There is no source "curser".',
  hint: 'Did you mean cursor?',
  data: { source: 'curser', near: ['cursor'] },
}

describe.concurrent('--json: a failure is one JSON object on stdout, and the message stays on stderr', () => {
  test.each<[string, number, Readonly<Record<string, unknown>>]>([
    [
      'why ordrs',
      5,
      { ...noServer, message: 'No server "ordrs" is declared here.', hint: 'Did you mean orders?' },
    ],
    [
      'remove ordrs',
      5,
      { ...noServer, message: 'No server "ordrs" is declared.', hint: 'Did you mean orders?' },
    ],
    [
      'enable ordrs',
      5,
      { ...noServer, message: 'No server "ordrs" is declared.', hint: 'Did you mean orders?' },
    ],
    [
      'disable ordrs',
      5,
      { ...noServer, message: 'No server "ordrs" is declared.', hint: 'Did you mean orders?' },
    ],
    [
      'trust ordrs',
      5,
      { ...noServer, message: 'No server "ordrs" is in force here.', hint: 'Did you mean orders?' },
    ],
    [
      'untrust orders',
      5,
      {
        code: 'server.unknown',
        message: '"orders" was not trusted.',
        hint: 'See: plugboard list',
        data: { server: 'orders' },
      },
    ],
    ['list --source curser', 5, noSource],
    ['sources enable curser', 5, noSource],
    ['import curser', 5, noSource],
    ['export curser', 5, noSource],
    [
      'completion tcsh',
      2,
      {
        code: 'usage',
        message: 'There is no completion for "tcsh".',
        hint: 'Use one of bash, zsh, fish.',
      },
    ],
    ['trust', 2, { code: 'usage', message: 'Name a server, or use --all.' }],
    [
      'lits',
      2,
      {
        code: 'usage',
        message: 'No command registered for `lits`, did you mean `list`?',
        hint: 'See: plugboard --help',
      },
    ],
    [
      'list --frobnicate',
      2,
      { code: 'usage', message: 'No flag registered for --frobnicate', hint: 'See: plugboard list --help' },
    ],
    ['why', 2, { code: 'usage', message: 'Expected argument for NAME', hint: 'See: plugboard why --help' }],
  ])('%s', async (line, code, error) => {
    using machine = shop()
    const words = line.split(' ')
    const told = await machine.run(...words)
    const result = await machine.run(...words, '--json')
    expect({ ...result, stdout: parseDocument(result.stdout) }).toEqual({
      code,
      stdout: { error },
      stderr: told.stderr,
    })
    expect({ code: told.code, stdout: told.stdout }).toEqual({ code, stdout: '' })
  })

  test('add: a name that is already taken', async () => {
    using machine = shop()
    const { code, stdout } = await machine.run('add', 'docs', '--json', '--', 'other')
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 6,
      error: {
        code: 'config.exists',
        hint: 'Replace it with --force, or choose another name.',
        data: { server: 'docs', file: machine.path(own) },
      },
    })
  })

  test('add --json ENTRY does not request JSON output', async () => {
    using machine = shop()
    const { code, stdout } = await machine.run('add', 'docs', '--json', '{"command":"other"}')
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
  })

  test('--json after -- does not request JSON output', async () => {
    using machine = shop()
    expect((await machine.run('add', 'docs', '--', 'other', '--json')).stdout).toBe('')
  })

  test('T35 T18 secrets are hidden and control characters escaped', async () => {
    using machine = shop()
    const { stdout, stderr } = await machine.run('why', `${ghToken}\u001B[2J`, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ error: { data: { server: '•••\u001B[2J' } } })
    expect(stdout + stderr).not.toContain(ghToken)
    expect(stdout + stderr).not.toContain('\u001B')
  })

  test('add: a cancelled wizard', async () => {
    using machine = createMachine()
    const terminal = openTerminal(machine, ['add', '--json'], { declines: true })
    await terminal.see('Nothing was added.')
    await terminal.see('"code": "cancelled"')
    expect(await terminal.ended).toBe(130)
  })

  test('trust without a terminal: the error comes with the details of the server', async () => {
    using machine = shop()
    const { code, stdout } = await machine.run('trust', 'orders', '--json')
    const { servers } = parseDocument(stdout) as { readonly servers: readonly [{ readonly hash: string }] }
    const [{ hash, ...rest }] = servers
    expect({ code, rest }).toMatchObject({
      code: 4,
      rest: {
        name: 'orders',
        trust: 'pending',
        error: {
          code: 'untrusted',
          message: 'There is no terminal to ask in.',
          hint: `In a script, name the exact entry: plugboard trust --hash ${hash} orders`,
        },
      },
    })
  })
})
