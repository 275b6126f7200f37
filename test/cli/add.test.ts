import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'

const own = '~/.config/plugboard/mcp.json'

function entries(machine: Machine, file = own): unknown {
  return (JSON.parse(machine.read(file)) as { mcpServers: unknown }).mcpServers
}

describe.concurrent('add in one line', () => {
  test.each([
    [
      'a url',
      ['docs', '--url', 'https://docs.example.com/mcp'],
      { type: 'http', url: 'https://docs.example.com/mcp' },
    ],
    [
      'a url with a token from a variable',
      ['docs', '--url', 'https://docs.example.com/mcp', '--token', '${DOCS_TOKEN}'],
      {
        type: 'http',
        url: 'https://docs.example.com/mcp',
        headers: { Authorization: 'Bearer ${DOCS_TOKEN}' },
      },
    ],
    [
      'a url with headers in both notations, and the old transport',
      [
        'docs',
        '--url',
        'https://a.example.com',
        '--header',
        'X-A=1',
        '--header',
        'X-B: two words',
        '--type',
        'sse',
      ],
      { type: 'sse', url: 'https://a.example.com', headers: { 'X-A': '1', 'X-B': 'two words' } },
    ],
    ['a url from a variable', ['docs', '--url', '${DOCS_URL}'], { type: 'http', url: '${DOCS_URL}' }],
    [
      'a command with arguments that look like our flags',
      ['docs', '--', 'npx', '-y', 'docs-mcp@1.0.0', '--json', '--url', 'x', '--', '.'],
      { command: 'npx', args: ['-y', 'docs-mcp@1.0.0', '--json', '--url', 'x', '--', '.'] },
    ],
    [
      'a command with variables',
      ['docs', '--env', 'A=1', '--env', 'B=x=y: z', '--env', 'EMPTY=', '--', 'docs-mcp'],
      { command: 'docs-mcp', env: { A: '1', B: 'x=y: z', EMPTY: '' } },
    ],
    [
      'an entry as JSON',
      ['docs', '--json', '{"command":"docs-mcp","timeout":5000,"unknownKey":[1]}'],
      { command: 'docs-mcp', timeout: 5000, unknownKey: [1] },
    ],
    ['an entry with --entry', ['docs', '--entry', '{"command":"docs-mcp"}'], { command: 'docs-mcp' }],
  ])('%s', async (_title, words, entry) => {
    using machine = createMachine()
    expect(await machine.run('add', ...words)).toEqual({
      code: 0,
      stdout: 'docs: added in ~/.config/plugboard/mcp.json\n',
      stderr: '',
    })
    expect(entries(machine)).toEqual({ docs: entry })
    expect((await machine.run('list')).stdout).toMatch(/^docs +on/m)
  })

  test('--json twice: for the result and for the entry', async () => {
    using machine = createMachine()
    expect(await machine.json('add', 'docs', '--json', '{"command":"docs-mcp"}')).toEqual({
      name: 'docs',
      action: 'added',
      file: machine.path(own),
      changed: true,
      lost: [],
    })
  })

  test('--scope project writes to the project’s file and mentions trust', async () => {
    using machine = createMachine()
    expect(await machine.run('add', 'docs', '--scope', 'project', '--', 'docs-mcp')).toEqual({
      code: 0,
      stdout: 'docs: added in .mcp.json\n',
      stderr: 'It starts once you trust it. Run: plugboard trust docs\n',
    })
    expect(entries(machine, '.mcp.json')).toEqual({ docs: { command: 'docs-mcp' } })
  })

  test('--config and --source select the file to write', async () => {
    using machine = createMachine()
    await machine.run('add', 'docs', '--config', 'mine.json', '--', 'docs-mcp')
    expect(entries(machine, 'mine.json')).toEqual({ docs: { command: 'docs-mcp' } })
    await machine.run('add', 'docs', '--source', 'codex', '--', 'docs-mcp', 'a')
    expect(machine.read('~/.codex/config.toml')).toBe(
      '[mcp_servers.docs]\ncommand = "docs-mcp"\nargs = ["a"]\n',
    )
    expect(machine.has(own)).toBe(false)
  })

  test('--dry-run shows the change and writes nothing', async () => {
    using machine = createMachine()
    const { code, stdout } = await machine.run('add', 'docs', '--dry-run', '--', 'docs-mcp')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        '~/.config/plugboard/mcp.json (new)',
        '+ {',
        '+   "mcpServers": {',
        '+     "docs": {',
        '+       "command": "docs-mcp"',
        '+     }',
        '+   }',
        '+ }',
        '',
      ].join('\n'),
    })
    expect(machine.files()).toEqual({})
  })

  test('--force replaces an entry of the same name and keeps the text around it', async () => {
    using machine = createMachine({
      [own]:
        '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" },\n    "docs": { "command": "old" } // here\n  }\n}\n',
    })
    expect((await machine.run('add', 'docs', '--force', '--', 'new')).code).toBe(0)
    expect(machine.read(own)).toContain('// mine')
    expect(machine.read(own)).toContain('// here')
    expect(machine.read(own)).toMatch(/"docs": \{\s*"command": "new"/)
  })
})
