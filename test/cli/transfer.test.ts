import { describe, expect, test } from 'vitest'
import { createMachine, parseDocument } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { inShell } from '../support/programs/shell.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const own = '~/.config/plugboard/mcp.json'
const cursor = '~/.cursor/mcp.json'

function shop(): Machine {
  return createMachine({
    [own]: {
      mcpServers: {
        docs: {
          type: 'http',
          url: 'https://docs.example.com/mcp',
          headers: { Authorization: 'Bearer ${DOCS_TOKEN}' },
        },
      },
    },
    [cursor]: {
      mcpServers: {
        notes: { command: 'notes-mcp', env: { HOME_DIR: '${userHome}', KEY: '${env:NOTES_KEY}' } },
        docs: { command: 'other' },
      },
    },
  })
}

const read = (machine: Machine, file: string) =>
  JSON.parse(machine.read(file)) as { mcpServers: Record<string, unknown> }

describe.concurrent('import', () => {
  test('without a terminal shows the changes, writes nothing and exits with 4', async () => {
    using machine = shop()
    const before = machine.files()
    const { code, stdout, stderr } = await machine.run('import', 'cursor')
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('+     "notes": {')
    expect(stderr).toContain('warning: "docs" was skipped: Server "docs" already exists in')
    expect(stderr).toContain(
      'error: Nothing was written: there is no terminal to ask in. Add --yes to write it.\n',
    )
    expect(machine.files()).toEqual(before)
  })

  test('--json without a terminal prints the plan and why nothing was written', async () => {
    using machine = shop()
    const before = machine.files()
    const { code, stdout, stderr } = await machine.run('import', 'cursor', '--json')
    const planned = await machine.json<object>('import', 'cursor', '--dry-run')
    expect({ code, result: parseDocument(stdout) }).toEqual({
      code: 4,
      result: {
        ...planned,
        error: {
          code: 'untrusted',
          message: 'Nothing was written: there is no terminal to ask in.',
          hint: 'Add --yes to write it.',
        },
      },
    })
    expect(planned).toMatchObject({ dryRun: true, copied: ['notes'] })
    expect(stderr).toContain(
      'error: Nothing was written: there is no terminal to ask in. Add --yes to write it.\n',
    )
    expect(machine.files()).toEqual(before)
  })

  test('skipped servers are reported after the written ones', () => {
    using machine = shop()
    expect(inShell(machine, 'plugboard import cursor --yes 2>&1').stdout).toMatch(
      /^notes: written to .*\nwarning: "docs" was skipped/,
    )
  })

  test('--quiet still shows what the question is about', async () => {
    using machine = shop()
    const terminal = openTerminal(machine, ['import', 'cursor', '--quiet'])
    await terminal.see('+     "notes": {')
    await terminal.see('Write this to')
    terminal.type(keys.ctrlC)
    expect(await terminal.ended).toBe(130)
  })

  test('--yes writes the servers in our dialect', async () => {
    using machine = shop()
    const { code, stdout } = await machine.run('import', 'cursor', '--yes')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'notes: written to ~/.config/plugboard/mcp.json\n' })
    expect(read(machine, own).mcpServers['notes']).toMatchObject({
      command: 'notes-mcp',
      env: { KEY: '${NOTES_KEY}' },
    })
    expect((await machine.run('list')).stdout).toMatch(/^notes +on/m)
  })

  test('--force replaces, --only selects, --json has all details', async () => {
    using machine = shop()
    expect(await machine.json('import', 'cursor', '--yes', '--force', '--only', 'docs')).toMatchObject({
      file: machine.path(own),
      changed: true,
      copied: ['docs'],
      skipped: [],
    })
    expect(Object.keys(read(machine, own).mcpServers)).toEqual(['docs'])
    expect(read(machine, own).mcpServers['docs']).toMatchObject({ command: 'other' })
  })

  test('--scope project writes to the project’s file', async () => {
    using machine = shop()
    expect((await machine.run('import', 'cursor', '--yes', '--scope', 'project')).stdout).toBe(
      'notes, docs: written to .mcp.json\n',
    )
    expect(Object.keys(read(machine, '.mcp.json').mcpServers)).toEqual(['notes', 'docs'])
  })

  test('nothing to import, everything skipped and something copied have different exit codes', async () => {
    using machine = shop()
    machine.write('~/.config/zed/settings.json', '{}')
    const outcome = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await machine.run('import', ...words, '--yes')
      return { code, stdout, last: stderr.trimEnd().split('\n').at(-1) }
    }
    expect(await outcome('kiro')).toEqual({
      code: 5,
      stdout: '',
      last: 'There is nothing to import: no file of Kiro was found. See: plugboard sources --all',
    })
    expect(await outcome('zed')).toEqual({
      code: 5,
      stdout: '',
      last: 'There is nothing to import: no server is declared in ~/.config/zed/settings.json.',
    })
    expect(await outcome('cursor')).toMatchObject({ code: 0 })
    expect(await outcome('cursor')).toMatchObject({
      code: 6,
      last: 'Nothing was imported: every server was skipped. Replace with --force, or choose a name with --only NAME --as NAME.',
    })
    expect(await machine.json('import', 'kiro')).toMatchObject({
      copied: [],
      skipped: [],
      error: { code: 'unknown' },
    })
  })

  test('T01 a server of the project: the printed command trusts it; --trust shows it and asks', async () => {
    using machine = createMachine({
      '.cursor/mcp.json': { mcpServers: { theirs: { command: 'their-mcp' } } },
    })
    const first = await machine.run('import', 'cursor', '--yes')
    expect([first.code, machine.has(own)]).toEqual([4, false])
    const command = /Run: plugboard (.*)/.exec(first.stderr)?.[1] ?? ''
    const shown = await machine.run(...command.split(' '))
    expect([shown.code, shown.stderr]).toEqual([4, expect.stringContaining('their-mcp') as string])

    const asked = await machine.run('import', 'cursor', '--trust')
    expect([asked.code, machine.has(own)]).toEqual([4, false])
    expect(asked.stderr).toContain('+       "command": "their-mcp"')
    expect(asked.stderr).toContain(
      'warning: "theirs" comes from this project; in ~/.config/plugboard/mcp.json it would be trusted.',
    )
    expect((await machine.run('import', 'cursor', '--trust', '--yes')).code).toBe(0)
    expect(read(machine, own).mcpServers).toMatchObject({ theirs: { command: 'their-mcp' } })
  })
})

describe.concurrent('export', () => {
  test('--dry-run only prints the preview', async () => {
    using machine = shop()
    const before = machine.files()
    const { code, stdout } = await machine.run('export', 'vscode', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('~/.config/Code/User/mcp.json (new)')
    expect(stdout).toContain('+   "servers": {')
    expect(machine.files()).toEqual(before)
  })

  test.each([
    ['claude-code', '~/.claude.json', ['"Authorization": "Bearer ${DOCS_TOKEN}"']],
    ['vscode', '~/.config/Code/User/mcp.json', ['"servers"', '"Bearer ${env:DOCS_TOKEN}"']],
    ['cursor', cursor, ['"notes"', '"docs-2"', 'Bearer ${env:DOCS_TOKEN}']],
    [
      'codex',
      '~/.codex/config.toml',
      ['[mcp_servers.docs]', 'url = "https://docs.example.com/mcp"', 'bearer_token_env_var = "DOCS_TOKEN"'],
    ],
    ['goose', '~/.config/goose/config.yaml', ['extensions:', 'uri: https://docs.example.com/mcp']],
    ['opencode', '~/.config/opencode/opencode.jsonc', ['"type": "remote"', '"Bearer {env:DOCS_TOKEN}"']],
    ['zed', '~/.config/zed/settings.json', ['"context_servers"', 'https://docs.example.com/mcp']],
    ['windsurf', '~/.codeium/windsurf/mcp_config.json', ['"serverUrl": "https://docs.example.com/mcp"']],
  ])('to %s writes its own dialect', async (client, file, pieces) => {
    using machine = shop()
    // Cursor's file has a server of that name already.
    if (client === 'cursor') machine.write(own, machine.read(own).replace('"docs"', '"docs-2"'))
    const { code, stdout } = await machine.run('export', client, '--yes')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${client === 'cursor' ? 'docs-2' : 'docs'}: written to ${file}\n`,
    })
    expect(pieces.filter((piece) => !machine.read(file).includes(piece))).toEqual([])
    expect(
      (await machine.run('why', client === 'cursor' ? 'docs-2' : 'docs', '--source', client)).stdout,
    ).toContain('https://docs.example.com/mcp')
  })

  test('keeps the rest of the file byte for byte', async () => {
    using machine = shop()
    const settings = '// zed\n{\n  "theme": "One", // mine\n}\n'
    machine.write('~/.config/zed/settings.json', settings)
    await machine.run('export', 'zed', '--yes')
    const text = machine.read('~/.config/zed/settings.json')
    expect(text.startsWith('// zed\n{\n  "theme": "One", // mine\n')).toBe(true)
  })

  test('asks in a terminal', async () => {
    using machine = shop()
    const file = '~/.config/zed/settings.json'
    for (const [key, code, written] of [
      ['n\r', 4, false],
      [keys.ctrlC, 130, false],
      ['y\r', 0, true],
    ] as const) {
      const terminal = openTerminal(machine, ['export', 'zed'])
      await terminal.see('context_servers')
      await terminal.see('Write this to ~/.config/zed/settings.json?')
      terminal.type(key)
      expect(await terminal.ended).toBe(code)
      expect(machine.has(file)).toBe(written)
    }
  })

  test('T01 writes exactly what was shown, even if the source changed meanwhile', async () => {
    using machine = shop()
    const terminal = openTerminal(machine, ['export', 'zed'])
    await terminal.see('Write this to ~/.config/zed/settings.json?')
    machine.write(own, { mcpServers: { docs: { command: 'another' } } })
    terminal.type('y\r')
    expect(await terminal.ended).toBe(0)
    expect(machine.read('~/.config/zed/settings.json')).toContain('https://docs.example.com/mcp')
    expect(machine.read('~/.config/zed/settings.json')).not.toContain('another')
  })

  test('T09 a target that changed after the preview is not written', async () => {
    using machine = shop()
    const terminal = openTerminal(machine, ['export', 'zed'])
    await terminal.see('Write this to ~/.config/zed/settings.json?')
    machine.write('~/.config/zed/settings.json', '{"theme":"One"}')
    terminal.type('y\r')
    await terminal.see('has changed since it was shown')
    expect(await terminal.ended).not.toBe(0)
    expect(machine.read('~/.config/zed/settings.json')).toBe('{"theme":"One"}')
  })

  test('values that the other client cannot express are reported', async () => {
    using machine = createMachine({
      [own]: { mcpServers: { docs: { command: 'docs-mcp', env: { KEY: '!pass show docs' } } } },
    })
    const { stderr } = await machine.run('export', 'claude-desktop', '--dry-run')
    expect(stderr).toContain(
      'warning: docs.env.KEY: The target cannot resolve !pass show docs; it is written literally.',
    )
  })

  test('a name that the client refuses is adapted with a note, or chosen with --as', async () => {
    using machine = createMachine({ [own]: { mcpServers: { 'microsoft/playwright-mcp': { command: 'x' } } } })
    expect(inShell(machine, 'plugboard export codex --yes 2>&1').stdout).toBe(
      [
        'microsoft/playwright-mcp: written to ~/.codex/config.toml',
        '"microsoft/playwright-mcp" is "microsoft-playwright-mcp" there. For another name: --only microsoft/playwright-mcp --as NAME',
        '',
      ].join('\n'),
    )
    const only = ['--only', 'microsoft/playwright-mcp', '--yes']
    expect(await machine.json('export', 'codex', ...only, '--as', 'pw')).toMatchObject({
      copied: ['microsoft/playwright-mcp'],
      renamed: [{ name: 'microsoft/playwright-mcp', as: 'pw' }],
    })
    expect(machine.read('~/.codex/config.toml')).toContain('[mcp_servers.pw]')
    expect(await machine.run('export', 'codex', '--as', 'pw')).toMatchObject({
      code: 2,
      stderr: '--as is the new name of one server.\nChoose it with --only NAME.\n',
    })
  })

  test('T01 untrusted servers are skipped; with --trust they are shown and copied', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { orders: { command: 'orders-mcp' } } } })
    const left = await machine.json('export', 'zed', '--yes')
    expect(left).toMatchObject({
      copied: [],
      skipped: [{ name: 'orders', reason: expect.stringContaining('it is not trusted') as string }],
    })
    expect(machine.has('~/.config/zed/settings.json')).toBe(false)
    expect((await machine.run('export', 'zed', '--trust')).stderr).toContain('orders-mcp')
    expect(machine.has('~/.config/zed/settings.json')).toBe(false)
    expect(await machine.json('export', 'zed', '--yes', '--trust')).toMatchObject({
      copied: ['orders'],
      untrusted: ['orders'],
    })
    expect(await machine.json('export', 'cursor', '--yes', '--scope', 'project')).toMatchObject({
      copied: ['orders'],
      file: machine.path('.cursor/mcp.json'),
    })
  })
})
