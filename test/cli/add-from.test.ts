import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/cli.ts'
import type { Machine } from '../support/cli.ts'

const own = '~/.config/plugboard/mcp.json'
const entries = (machine: Machine) => (JSON.parse(machine.read(own)) as { mcpServers: unknown }).mcpServers
const expected = { command: 'gh-mcp', args: ['--read-only'] }

const snippets: readonly (readonly [string, string, string])[] = [
  ['Claude Desktop', 'claude.json', '{"mcpServers":{"gh":{"command":"gh-mcp","args":["--read-only"]}}}'],
  ['VS Code', 'vscode.json', '{"servers":{"gh":{"type":"stdio","command":"gh-mcp","args":["--read-only"]}}}'],
  ['Codex', 'codex.toml', '[mcp_servers.gh]\ncommand = "gh-mcp"\nargs = ["--read-only"]\n'],
  [
    'Goose',
    'goose.yaml',
    'extensions:\n  gh:\n    type: stdio\n    enabled: true\n    cmd: gh-mcp\n    args: [--read-only]\n',
  ],
  [
    'Zed',
    'zed.json',
    '// settings\n{"context_servers":{"gh":{"source":"custom","command":"gh-mcp","args":["--read-only"]}}}',
  ],
  ['opencode', 'opencode.json', '{"mcp":{"gh":{"type":"local","command":["gh-mcp","--read-only"]}}}'],
  ['Continue', 'continue.yaml', 'mcpServers:\n  - name: gh\n    command: gh-mcp\n    args: [--read-only]\n'],
  ['Amp', 'amp.json', '{"amp.mcpServers":{"gh":{"command":"gh-mcp","args":["--read-only"]}}}'],
  [
    'a README',
    'fragment.txt',
    '"mcpServers": {\n  "gh": { "command": "gh-mcp", "args": ["--read-only"] }\n},\n',
  ],
]

describe.concurrent('add --from reads a snippet of any client', () => {
  test.each(snippets)('%s', async (_client, name, text) => {
    using machine = createMachine({ [name]: text })
    expect(await machine.run('add', '--from', name)).toMatchObject({
      code: 0,
      stdout: 'gh: added in ~/.config/plugboard/mcp.json\n',
    })
    expect(entries(machine)).toMatchObject({ gh: expected })
    expect((await machine.run('why', 'gh')).stdout).toContain('gh-mcp --read-only')
  })

  test.each(snippets)('%s from standard input, under another name', async (_client, _name, text) => {
    using machine = createMachine()
    expect(await machine.runWith({ stdin: text }, 'add', 'mine', '--from', '-')).toMatchObject({ code: 0 })
    expect(entries(machine)).toMatchObject({ mine: expected })
  })

  test('a single entry needs a name', async () => {
    using machine = createMachine({ 'entry.json': '{"command":"gh-mcp","args":["--read-only"]}' })
    expect((await machine.run('add', 'gh', '--from', 'entry.json')).code).toBe(0)
    expect(entries(machine)).toMatchObject({ gh: expected })
  })

  test('placeholders are written in our way', async () => {
    using machine = createMachine({
      'cursor.json':
        '{"mcpServers":{"gh":{"url":"https://a.example.com","headers":{"Authorization":"Bearer ${env:GH_TOKEN}"}}}}',
    })
    await machine.run('add', '--from', 'cursor.json')
    expect(entries(machine)).toMatchObject({
      gh: {
        url: 'https://a.example.com',
        headers: { Authorization: expect.stringMatching(/^Bearer \$\{(env:)?GH_TOKEN\}$/) as string },
      },
    })
  })

  test('of several one is chosen by number or name', async () => {
    using machine = createMachine({
      'two.json': {
        mcpServers: { a: { command: 'a-mcp' }, b: { url: 'https://b.example.com?token=verysecret1' } },
      },
    })
    const asked = await machine.run('add', '--from', 'two.json')
    expect(asked).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'There are several to choose from:\n1: a (a-mcp)\n2: b (https://b.example.com?token=•••)\nName one: --choice 1\n',
    })
    expect((await machine.run('add', '--from', 'two.json', '--choice', '1')).code).toBe(0)
    expect((await machine.run('add', '--from', 'two.json', '--choice', 'b')).code).toBe(0)
    expect((await machine.run('add', '--from', 'two.json', '--choice', '7')).code).toBe(2)
    expect(Object.keys(entries(machine) as object)).toEqual(['a', 'b'])
  })

  test.each([
    ['nothing.json', undefined, /does not exist/],
    ['broken.json', '{ "mcpServers": ', /^Invalid server config: line \d+, column \d+/],
    ['other.json', '{"name":"x"}', /^Invalid server config: No MCP server is declared here/],
    ['empty.json', '', /^Invalid server config: /],
    [
      'bad.json',
      '{"mcpServers":{"x":{"command":"a","url":"b"}}}',
      /^Invalid server config: .*both a command and a url/,
    ],
  ])('%s adds nothing and says why', async (name, text, message) => {
    using machine = createMachine(text === undefined ? {} : { [name]: text })
    const { code, stdout, stderr } = await machine.run('add', '--from', name)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(machine.has(own)).toBe(false)
  })
})

const serverJson = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.dana/weather',
  description: 'Weather',
  version: '1.0.0',
  packages: [
    {
      registryType: 'npm',
      identifier: 'weather-mcp',
      version: '1.0.0',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'named', name: '--city', isRequired: true }],
      environmentVariables: [
        { name: 'WEATHER_TOKEN', isSecret: true, isRequired: true },
        { name: 'UNITS', default: 'metric' },
      ],
    },
  ],
  remotes: [{ type: 'streamable-http', url: 'https://weather.example.com/mcp' }],
}

describe.concurrent('add --from server.json', () => {
  test('offers its ways to run, asks for what is missing, and never writes a secret', async () => {
    using machine = createMachine({ 'server.json': serverJson })
    expect((await machine.run('add', '--from', 'server.json')).stderr).toMatch(
      /^There are several to choose from:\n1: weather/,
    )
    const missing = await machine.run('add', '--from', 'server.json', '--choice', '1')
    expect({ code: missing.code, stderr: missing.stderr }).toEqual({
      code: 1,
      stderr: 'It needs --city.\nGive them: --input city=…\n',
    })
    expect(
      (await machine.run('add', '--from', 'server.json', '--choice', '1', '--input', 'city=Bern')).code,
    ).toBe(0)
    expect(entries(machine)).toMatchObject({
      weather: {
        command: 'npx',
        args: expect.arrayContaining(['weather-mcp@1.0.0', '--city', 'Bern']) as string[],
        env: { WEATHER_TOKEN: '${WEATHER_TOKEN}', UNITS: 'metric' },
      },
    })
    expect((await machine.run('add', 'far', '--from', 'server.json', '--choice', '2')).code).toBe(0)
    expect(entries(machine)).toMatchObject({ far: { url: 'https://weather.example.com/mcp' } })
  })
})
