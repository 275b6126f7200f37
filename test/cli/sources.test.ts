import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { survey } from '../support/survey.ts'

describe.concurrent('sources', () => {
  test('a file that several clients read is one row; with --all one per client', async () => {
    using machine = createMachine({
      '.mcp.json': { mcpServers: { orders: { command: 'x' }, bad: { command: 5 } } },
    })
    const shown = await survey(machine)
    expect(shown.map(({ id }) => id)).toEqual(['plugboard'])
    const all = await survey(machine, '--all')
    expect(all.length).toBeGreaterThan(30)
    expect(all.filter(({ files }) => files.some(({ found }) => found)).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['plugboard', 'oh-my-pi', 'claude-code', 'vscode', 'warp', 'pi', 'copilot-cli']),
    )
    expect(
      all.flatMap(({ id, files }) => (files.some(({ found, own }) => found && own) ? [id] : [])),
    ).toEqual(['plugboard'])
  })

  test('a problem is reported once, however many clients read the file', async () => {
    using machine = createMachine({ '.mcp.json': '{ broken' })
    for (const flags of [[], ['--all']]) {
      const { stderr } = await machine.run('sources', ...flags)
      expect(stderr.match(/parse-error/g)).toHaveLength(1)
    }
  })

  test('our own files and clients that only read shared files are not proposed', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'x' } } } })
    expect((await machine.run('sources', '--all')).stderr).toBe('')
    expect((await machine.run('list', '--preset', 'boocode')).stderr).not.toContain('enable plugboard')
  })

  test('a client that only reads a shared file is listed when it is on', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'x' } } } })
    await machine.run('sources', 'enable', 'warp')
    expect((await survey(machine)).map(({ id, use }) => `${id} ${use}`)).toEqual(['plugboard own', 'warp on'])
  })

  test('the table fits the terminal, and the next step is named', async () => {
    using machine = createMachine({ '~/.cursor/mcp.json': { mcpServers: { notes: { command: 'x' } } } })
    expect(await machine.run('sources')).toEqual({
      code: 0,
      stdout: [
        'SOURCE     USED    SERVERS  NAMES  FILES',
        'plugboard  always        0',
        'cursor     off           1  notes  ~/.cursor/mcp.json',
        '',
      ].join('\n'),
      stderr: 'Use a client’s servers: plugboard sources enable cursor\n',
    })
  })

  test('enable and disable report the change, are idempotent, and keep comments in the settings', async () => {
    using machine = createMachine({
      '~/.config/plugboard/settings.json': '// mine\n{\n  "sources": ["zed"] // first\n}\n',
    })
    expect((await machine.run('sources', 'enable', 'cursor')).code).toBe(0)
    expect((await machine.run('sources', 'enable', 'cursor')).stdout).toBe('cursor was already on.\n')
    expect(machine.read('~/.config/plugboard/settings.json')).toMatch(/^\/\/ mine\n[^]*\/\/ first/)
    expect(await machine.json('sources', 'disable', 'zed')).toEqual({
      source: 'zed',
      use: 'off',
      changed: true,
      file: machine.path('~/.config/plugboard/settings.json'),
    })
    expect((await machine.run('sources', 'disable', 'zed')).stdout).toBe('zed was already off.\n')
  })

  test('unreadable settings are not overwritten', async () => {
    using machine = createMachine({ '~/.config/plugboard/settings.json': '{ broken' })
    expect((await machine.run('sources', 'enable', 'cursor')).code).toBe(3)
    expect(machine.read('~/.config/plugboard/settings.json')).toBe('{ broken')
    expect((await machine.json<ListOutput>('list')).diagnostics.map(({ code }) => code)).toEqual([
      'settings-invalid',
    ])
  })
})
