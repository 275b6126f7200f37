import { chmodSync, chownSync, mkdirSync, rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { good, listProblems } from '../support/bad-input.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput } from '../support/programs/cli.ts'
import { outputOf } from '../support/programs/program.ts'

const own = '~/.config/plugboard/mcp.json'

describe('an unusable file is a diagnostic with its place, and the rest loads', () => {
  test.each([
    [
      'broken JSON',
      'plugboard',
      '.mcp.json',
      '{\n  "mcpServers": {\n    "a": }\n',
      'error parse-error .mcp.json:3',
    ],
    ['plain text instead of JSON', 'plugboard', '.mcp.json', 'hello', 'error parse-error .mcp.json:1'],
    [
      'broken TOML',
      'codex',
      '~/.codex/config.toml',
      'model = "x"\n[mcp_servers.a\n',
      'error parse-error ~/.codex/config.toml:2',
    ],
    [
      'broken YAML',
      'goose',
      '~/.config/goose/config.yaml',
      'extensions:\n  a: [1\n',
      'error parse-error ~/.config/goose/config.yaml:3',
    ],
    ['a list at the top', 'plugboard', '.mcp.json', '[]', 'error wrong-type .mcp.json:1'],
    ['a list of servers', 'plugboard', '.mcp.json', '{\n"mcpServers": []\n}', 'error wrong-type .mcp.json:2'],
    [
      'invalid UTF-8',
      'plugboard',
      '.mcp.json',
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      'error unreadable-file .mcp.json',
    ],
    [
      'UTF-16',
      'plugboard',
      '.mcp.json',
      Buffer.from('\uFEFF{"mcpServers":{}}', 'utf16le'),
      'error unreadable-file .mcp.json',
    ],
    [
      'a depth bomb',
      'plugboard',
      '.mcp.json',
      `{"mcpServers":{"a":{"command":"x","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`,
      'error parse-error .mcp.json:1',
    ],
    [
      'a depth bomb of objects',
      'plugboard',
      '.mcp.json',
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      'error parse-error .mcp.json:1',
    ],
    [
      'an alias bomb',
      'goose',
      '~/.config/goose/config.yaml',
      yamlBomb(),
      'error parse-error ~/.config/goose/config.yaml:1',
    ],
  ])('%s', async (_what, source, file, content, problem) => {
    using machine = createMachine({ [own]: { mcpServers: good } })
    machine.write(file, content)
    const { code, names, problems } = await listProblems(machine, ...new Set(['plugboard', source]))
    expect({ code, names }).toEqual({ code: 1, names: ['good'] })
    expect(problems).toEqual([problem])
  })

  test('a directory, a FIFO and a file of 100 MB are reported', async () => {
    using machine = createMachine({ [own]: { mcpServers: good } })
    const file = machine.path('.mcp.json')
    const expected = { code: 1, names: ['good'], problems: ['error unreadable-file .mcp.json'] }
    mkdirSync(file)
    expect(await listProblems(machine)).toEqual(expected)
    rmSync(file, { recursive: true })
    outputOf('mkfifo', [file])
    expect(await listProblems(machine)).toEqual(expected)
    rmSync(file)
    machine.write('mcp.json', '')
    truncateSync(machine.path('mcp.json'), 100 * 1024 * 1024)
    const { code, stdout } = await machine.run('list', '--json')
    const { servers, diagnostics } = JSON.parse(stdout) as ListOutput
    expect({ code, names: servers.map(({ name }) => name) }).toEqual({ code: 1, names: ['good'] })
    expect(diagnostics.map(({ code: problem }) => problem)).toEqual(['unreadable-file'])
    rmSync(machine.path('mcp.json'))
  })

  test('a file without read permission is reported', async () => {
    using machine = createMachine({
      [own]: { mcpServers: good },
      '.mcp.json': { mcpServers: { secret: { command: 'x' } } },
    })
    chmodSync(machine.path('.mcp.json'), 0)
    const uid = process.getuid?.() === 0 ? 65_534 : undefined
    if (uid !== undefined)
      for (const path of [own, '~/.config/plugboard', '~/.config', '~/', '.mcp.json'])
        chownSync(machine.path(path), uid, uid)
    const { code, stdout } = await machine.runWith({ ...(uid !== undefined && { uid }) }, 'list', '--json')
    const { servers, diagnostics } = JSON.parse(stdout) as ListOutput
    expect({ code, names: servers.map(({ name }) => name) }).toEqual({ code: 1, names: ['good'] })
    expect(diagnostics.map(({ code: problem, file, hint }) => ({ problem, file, hint }))).toEqual([
      {
        problem: 'unreadable-file',
        file: machine.path('.mcp.json'),
        hint: 'Give yourself read permission, or remove the file.',
      },
    ])
  })

  test('BOM and CRLF are accepted', async () => {
    using machine = createMachine({
      '.mcp.json': `\uFEFF${JSON.stringify({ mcpServers: good }, null, 2).replaceAll('\n', '\r\n')}`,
    })
    expect(await listProblems(machine)).toEqual({ code: 0, names: ['good'], problems: [] })
  })
})

function yamlBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let index = 1; index < 9; index++)
    lines.push(`a${index}: &a${index} [${Array.from({ length: 10 }, () => `*a${index - 1}`).join(', ')}]`)
  return `${lines.join('\n')}\nextensions: {}\n`
}
