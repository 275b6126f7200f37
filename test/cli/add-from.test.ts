import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { inShell } from '../support/programs/shell.ts'

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

describe.concurrent('add --from: snippets of clients', () => {
  test.each(snippets)('%s', async (_client, name, text) => {
    using machine = createMachine({ [name]: text })
    expect(await machine.run('add', '--from', name, '--yes')).toMatchObject({
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

  test('a name of the file is kept, adapted where the target refuses it, or chosen with --as', async () => {
    using machine = createMachine({ 'a.json': '{"mcpServers":{"a/b c":{"command":"gh-mcp"}}}' })
    const add = (...words: readonly string[]) => machine.run('add', '--from', 'a.json', '--yes', ...words)
    expect(await add()).toMatchObject({ code: 0, stdout: 'a/b c: added in ~/.config/plugboard/mcp.json\n' })
    expect(await add('--source', 'codex')).toEqual({
      code: 0,
      stdout: 'a-b-c: added in ~/.codex/config.toml\n',
      stderr: '"a/b c" is "a-b-c" there. For another name: --as NAME\n',
    })
    expect((await add('--as', 'gh')).stdout).toBe('gh: added in ~/.config/plugboard/mcp.json\n')
    expect(Object.keys(entries(machine) as object)).toEqual(['a/b c', 'gh'])
    expect((await machine.run('why', 'a/b c')).stdout).toContain('gh-mcp')
    expect(await machine.run('add', 'a/b', '--source', 'codex', '--', 'x')).toMatchObject({
      code: 1,
      stderr:
        'Invalid server config: Codex allows only letters, digits, "_" and "-" in a name.\nChoose another name, such as a-b\n',
    })
    expect((await add('NAME', '--as', 'x')).code).toBe(2)
  })

  test('a single entry needs a name', async () => {
    using machine = createMachine({ 'entry.json': '{"command":"gh-mcp","args":["--read-only"]}' })
    expect((await machine.run('add', 'gh', '--from', 'entry.json', '--yes')).code).toBe(0)
    expect(entries(machine)).toMatchObject({ gh: expected })
  })

  test('placeholders are written in our syntax', async () => {
    using machine = createMachine({
      'cursor.json':
        '{"mcpServers":{"gh":{"url":"https://a.example.com","headers":{"Authorization":"Bearer ${env:GH_TOKEN}"}}}}',
    })
    await machine.run('add', '--from', 'cursor.json', '--yes')
    expect(entries(machine)).toMatchObject({
      gh: {
        url: 'https://a.example.com',
        headers: { Authorization: expect.stringMatching(/^Bearer \$\{(env:)?GH_TOKEN\}$/) as string },
      },
    })
  })

  test('--choice selects one of several by number or name', async () => {
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
        'There are several servers to choose from:\n1: a (a-mcp)\n2: b (https://b.example.com?token=•••)\nChoose one: --choice 1\n',
    })
    expect((await machine.run('add', '--from', 'two.json', '--choice', '1', '--yes')).code).toBe(0)
    expect((await machine.run('add', '--from', 'two.json', '--choice', 'b', '--yes')).code).toBe(0)
    expect((await machine.run('add', '--from', 'two.json', '--choice', '7')).code).toBe(2)
    expect(Object.keys(entries(machine) as object)).toEqual(['a', 'b'])
  })

  test.each([
    ['nothing.json', undefined, /does not exist/],
    ['broken.json', '{ "mcpServers": ', /^Invalid server config: line \d+, column \d+/],
    ['other.json', '{"name":"x"}', /^Invalid server config: No MCP server was recognized here/],
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

describe.concurrent('T01 add --from a file of the project asks before it writes to the user’s own file', () => {
  const text = '{"mcpServers":{"gh":{"command":"gh-mcp","args":["--read-only"]}}}'

  test('without a terminal it shows the entry, writes nothing and exits with 4', async () => {
    using machine = createMachine({ 'a.json': text })
    const { code, stdout, stderr } = await machine.run('add', '--from', 'a.json')
    expect({ code, stdout, written: machine.has(own) }).toEqual({ code: 4, stdout: '', written: false })
    expect(stderr).toContain('"gh" comes from this project')
    expect(stderr).toContain('--read-only')
    expect(stderr).toContain(
      'error: Nothing was written: there is no terminal to ask in. Add --yes to write it.\n',
    )
  })

  test('T61 what is left out is said before the question', async () => {
    const env = [{ name: 'B', value: '!touch x' }]
    const choice = { registryType: 'npm', identifier: 'w', version: '1.0.0', transport: { type: 'stdio' } }
    const packages = [{ ...choice, environmentVariables: env }]
    const file = { name: 'a.b/loc', description: 'd', version: '1.0.0', packages }
    using machine = createMachine({ 'server.json': JSON.stringify(file) })
    const { code, stderr } = await machine.run('add', '--from', 'server.json')
    expect(code).toBe(4)
    expect(stderr).toMatch(/env\.B: It is plain text, [^]*!touch x; it is left out\.[^]*Nothing was written/)
    const { stderr: notes } = await machine.run('add', '--from', 'server.json', '--yes')
    expect(notes.match(/it is left out/g)).toHaveLength(1)
    expect(machine.read(own)).not.toContain('touch')
  })

  test('--json prints the plan and why nothing was written', async () => {
    using machine = createMachine({ 'a.json': text })
    const planned = await machine.json<object>('add', '--from', 'a.json', '--dry-run')
    expect(await machine.json('add', '--from', 'a.json')).toEqual({
      ...planned,
      error: {
        code: 'untrusted',
        message: 'Nothing was written: there is no terminal to ask in.',
        hint: 'Add --yes to write it.',
      },
    })
    expect(planned).toMatchObject({ name: 'gh', dryRun: true, changed: true })
    expect(machine.has(own)).toBe(false)
  })

  test('a replaced entry is shown in full', async () => {
    using machine = createMachine({
      'a.json': text,
      [own]: { mcpServers: { gh: { command: 'gh-mcp', args: ['--all'] } } },
    })
    const { code, stderr } = await machine.run('add', '--from', 'a.json', '--force')
    expect(code).toBe(4)
    expect(stderr).toContain('"command": "gh-mcp"')
  })

  test('it does not ask for the project’s own file, or for a file from elsewhere', async () => {
    using machine = createMachine({ 'a.json': text, '~/b.json': text })
    expect((await machine.run('add', '--from', 'a.json', '--scope', 'project')).code).toBe(0)
    expect((await machine.run('add', '--from', machine.path('~/b.json'))).code).toBe(0)
    expect(entries(machine)).toMatchObject({ gh: expected })
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
  test('lists its packages, asks for missing inputs, and never writes a secret', async () => {
    using machine = createMachine({ 'server.json': serverJson })
    expect((await machine.run('add', '--from', 'server.json')).stderr).toMatch(
      /^There are several servers to choose from:\n1: weather/,
    )
    const missing = await machine.run('add', '--from', 'server.json', '--choice', '1')
    expect({ code: missing.code, stderr: missing.stderr }).toEqual({
      code: 1,
      stderr: 'It needs values for --city.\nPass them: --input city=…\n',
    })
    expect(
      (await machine.run('add', '--from', 'server.json', '--choice', '1', '--input', 'city=Bern', '--yes'))
        .code,
    ).toBe(0)
    expect(entries(machine)).toMatchObject({
      weather: {
        command: 'npx',
        args: expect.arrayContaining(['weather-mcp@1.0.0', '--city', 'Bern']) as string[],
        env: { WEATHER_TOKEN: '${WEATHER_TOKEN}', UNITS: 'metric' },
      },
    })
    expect((await machine.run('add', 'far', '--from', 'server.json', '--choice', '2', '--yes')).code).toBe(0)
    expect(entries(machine)).toMatchObject({ far: { url: 'https://weather.example.com/mcp' } })
  })

  test('names the variables to set, and rejects an unknown input', async () => {
    using machine = createMachine({ 'server.json': serverJson })
    const words = ['add', '--from', 'server.json', '--choice', '1', '--input', 'city=Bern', '--yes']
    const wrong = await machine.run(...words, '--input', 'NOPE=1')
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^It has no input "NOPE"\.\nIts inputs are .*city/) as string,
    })
    expect(machine.has(own)).toBe(false)
    expect(inShell(machine, `plugboard ${words.join(' ')} 2>&1`).stdout).toBe(
      [
        'weather: added in ~/.config/plugboard/mcp.json',
        'Before it starts, set WEATHER_TOKEN in your environment.',
        '',
      ].join('\n'),
    )
  })

  test('says what is left out, what is read if set, and which command starts a package over http', () => {
    using machine = createMachine({
      'server.json': {
        ...serverJson,
        remotes: [],
        packages: [
          {
            ...serverJson.packages[0],
            transport: { type: 'streamable-http', url: 'http://localhost:3000/mcp' },
            packageArguments: [{ type: 'named', name: '--port', value: '3000' }],
            environmentVariables: [
              { name: 'API_KEY', isSecret: true, isRequired: true },
              { name: 'PROXY_KEY', isSecret: true },
              { name: 'LOG' },
            ],
          },
        ],
      },
    })
    expect(inShell(machine, 'plugboard add --from server.json --yes 2>&1').stdout).toBe(
      [
        'weather: added in ~/.config/plugboard/mcp.json',
        'Before it starts, set WEATHER_API_KEY in your environment.',
        'It also reads WEATHER_PROXY_KEY from your environment, if set.',
        'Left out for want of a value: LOG. To add one, repeat with --force --input ID=VALUE.',
        'It does not start by itself. Start it with:',
        'API_KEY="${WEATHER_API_KEY}" PROXY_KEY="${WEATHER_PROXY_KEY:-}" npx weather-mcp@1.0.0 --port 3000',
        '',
      ].join('\n'),
    )
    expect(entries(machine)).toEqual({
      weather: { type: 'http', url: 'http://localhost:3000/mcp', description: 'Weather' },
    })
  })
})
