import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { switchDeclaration } from '../src/config/edit/declarations.ts'
import { toListing } from '../src/config/listing.ts'
import type { DiscoverOptions } from '../src/config/discover-options.ts'
import { createPerson, pathOf, problems, servers, shortOf } from './support/person.ts'

/** The examples of the three systems' documents, verbatim, and the rules that the documents state for them. */

const dispatchExample = `{
  "servers": {
    "freecad": {
      "command": "uvx",
      "args": ["freecad-mcp"],
      "env": { "FREECAD_RPC_HOST": "localhost" }
    },
    "chrome-devtools": {
      "command": "npx",
      "args": ["chrome-devtools-mcp@latest"]
    },
    "remote-freecad": {
      "transport": "http",
      "url": "http://192.168.1.100:9876/mcp"
    }
  }
}
`

const opencodeExample = `{
  "mcp": {
    "freecad": { "command": "uvx", "args": ["freecad-mcp"] }
  }
}
`

type Files = Readonly<Record<string, unknown>>
type Env = Readonly<Record<string, string>>

/** Discovers with a preset and returns the relevant fields of each server. */
async function under(preset: NonNullable<DiscoverOptions['preset']>, files: Files, env: Env = {}) {
  const discovery = await createPerson(files, { env }).discover({ preset })
  return {
    discovery,
    problems: problems(discovery),
    servers: toListing(discovery).servers.map(
      ({ name, transport, command, args, env, url, headers, enabled }) => ({
        name,
        ...(transport === 'stdio' ? { command, args, env } : { transport, url, headers }),
        enabled,
      }),
    ),
    files: discovery.servers.map(({ name, origin }) => `${name} ${shortOf(origin.file)}`),
    trust: [...discovery.trust.values()],
  }
}

describe('Dispatch document', () => {
  test('D8 D11 D12 the example of .dispatch/mcp.json loads', async () => {
    const found = await under('dispatch', { '.dispatch/mcp.json': dispatchExample })
    expect(found.servers).toEqual([
      {
        name: 'freecad',
        command: 'uvx',
        args: ['freecad-mcp'],
        env: { FREECAD_RPC_HOST: 'localhost' },
        enabled: true,
      },
      {
        name: 'chrome-devtools',
        command: 'npx',
        args: ['chrome-devtools-mcp@latest'],
        env: {},
        enabled: true,
      },
      {
        name: 'remote-freecad',
        transport: 'http',
        url: 'http://192.168.1.100:9876/mcp',
        headers: {},
        enabled: true,
      },
    ])
    expect(found.problems.filter((line) => line.startsWith('error'))).toEqual([])
  })

  test('D9 C2 the example of opencode.json loads, with a command that is a string', async () => {
    const found = await under('dispatch', { 'opencode.json': opencodeExample })
    expect(found.servers).toEqual([
      { name: 'freecad', command: 'uvx', args: ['freecad-mcp'], env: {}, enabled: true },
    ])
    expect(found.problems).toEqual([])
  })

  const pasted = {
    files: {
      type: 'local',
      command: ['npx', '-y', 'files@1.0.0'],
      environment: { ROOT: '/srv' },
      enabled: true,
      timeout: 8000,
    },
    docs: { type: 'remote', url: 'https://docs.example/mcp', headers: { 'X-Team': 'a' } },
    off: { type: 'local', command: ['run'], enabled: false },
  }
  const loaded = [
    { name: 'files', command: 'npx', args: ['-y', 'files@1.0.0'], env: { ROOT: '/srv' }, enabled: true },
    {
      name: 'docs',
      transport: 'http',
      url: 'https://docs.example/mcp',
      headers: { 'X-Team': 'a' },
      enabled: true,
    },
    { name: 'off', command: 'run', args: [], env: {}, enabled: false },
  ]

  test.each([
    ['boocode', 'data/mcp.json', 'mcpServers'],
    ['dispatch', 'opencode.json', 'mcp'],
    ['dispatch', '.dispatch/mcp.json', 'servers'],
  ] as const)('C2 under %s, entries of opencode can be pasted into %s', async (preset, path, root) => {
    const found = await under(preset, { [path]: { [root]: pasted } })
    expect(found.servers).toEqual(loaded)
    expect(found.problems).toEqual([])
    expect(found.discovery.servers.map(({ timeouts }) => timeouts)).toEqual([
      { callMs: 8000, startupMs: 8000 },
      {},
      {},
    ])
  })

  test('C2 B7 under boocode, a pasted entry of another transport is refused with the transports it has', async () => {
    const found = await under('boocode', {
      'data/mcp.json': {
        mcpServers: {
          old: { type: 'sse', url: 'https://a.example/sse' },
          live: { type: 'ws', url: 'wss://a.example' },
        },
      },
    })
    expect(found.servers).toEqual([])
    expect(found.discovery.diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      ['The transport "sse" is not supported.', 'Use one of streamableHttp, stdio.'],
      ['"ws" is not a transport; it is one of streamableHttp, stdio.', undefined],
    ])
  })

  test('C2 disable writes the on/off key that opencode reads into a file in its form', async () => {
    const person = createPerson({ 'opencode.json': { mcp: { files: { type: 'local', command: ['x'] } } } })
    await switchDeclaration('files', false, { platform: person.platform, sources: ['dispatch'] })
    expect(JSON.parse(person.files.texts.get(pathOf('opencode.json')) ?? '')).toEqual({
      mcp: { files: { type: 'local', command: ['x'], enabled: false } },
    })
  })

  test('C2 the source opencode reads the same file as opencode does, where a command is a list', async () => {
    const person = createPerson({
      'opencode.json': {
        mcp: {
          text: { type: 'local', command: 'uvx' },
          list: { type: 'local', command: ['uvx', 'a'], environment: { A: '1' } },
        },
      },
    })
    const found = await person.discover({ sources: ['opencode'] })
    expect(found.servers.map(({ name, transport }) => [name, transport])).toMatchObject([
      ['list', { command: 'uvx', args: ['a'], env: { A: '1' } }],
    ])
    expect(problems(found)).toContain('error wrong-type opencode.json/mcp/text/command')
  })

  test('C2 C3 C4 our own dialect accepts every spelling', async () => {
    const entries = {
      a: { command: 'x', args: ['1'], env: { A: '1' } },
      b: { type: 'local', command: ['x', '1'], environment: { A: '1' }, enabled: true },
      c: { type: 'stdio', command: 'x', args: ['1'], env: { A: '1' }, disabled: false },
    }
    const remote = ['http', 'streamableHttp', 'streamable-http', 'remote', 'sse'].map((type) => [
      type,
      { type, url: 'https://a.example' },
    ])
    for (const root of ['mcpServers', 'servers', 'mcp']) {
      const found = await under('default', { '.mcp.json': { [root]: entries } })
      expect(found.servers.map(({ name: _name, ...rest }) => rest)).toEqual(
        Array.from({ length: 3 }, () => ({ command: 'x', args: ['1'], env: { A: '1' }, enabled: true })),
      )
    }
    const found = await under('default', { '.mcp.json': { mcpServers: Object.fromEntries(remote) } })
    expect(found.discovery.servers.map(({ transport }) => transport.kind)).toEqual([
      'http',
      'http',
      'http',
      'http',
      'sse',
    ])
  })

  test('C3 if enabled and disabled disagree, disabled wins with a diagnostic', async () => {
    const entry = { command: 'x', enabled: true, disabled: true }
    const found = await under('default', { '.mcp.json': { mcpServers: { a: entry } } })
    expect(found.servers.map(({ enabled }) => enabled)).toEqual([false])
    expect(found.problems).toEqual(['warn flag-conflict .mcp.json/mcpServers/a'])
  })

  test('D12 headers of a remote server are read', async () => {
    const entry = { transport: 'http', url: 'https://a.example', headers: { 'X-Key': '1' } }
    const found = await under('dispatch', { '.dispatch/mcp.json': { servers: { a: entry } } })
    expect(found.servers).toEqual([
      { name: 'a', transport: 'http', url: 'https://a.example', headers: { 'X-Key': '1' }, enabled: true },
    ])
  })

  test('D13 a disabled server is listed as disabled', async () => {
    const entry = { command: 'x', disabled: true }
    const found = await under('dispatch', { '.dispatch/mcp.json': { servers: { a: entry } } })
    expect(found.servers).toEqual([{ name: 'a', command: 'x', args: [], env: {}, enabled: false }])
  })

  test('D10 L6 the first file wins as a whole, and the other one is reported as shadowed', async () => {
    const files = {
      '.dispatch/mcp.json': { servers: { a: { command: 'x' } } },
      'opencode.json': { mcp: { a: { command: 'y' }, b: { command: 'z' } } },
    }
    const found = await under('dispatch', files)
    expect(found.files).toEqual(['a .dispatch/mcp.json'])
    expect(found.problems).toEqual(['warn shadowed opencode.json'])
    expect(found.discovery.shadowed.map(({ server, by }) => [server.name, shortOf(by.file)])).toEqual([
      ['a', '.dispatch/mcp.json'],
      ['b', '.dispatch/mcp.json'],
    ])
  })

  test('D10 an opencode.json that declares no servers causes no warning', async () => {
    const files = { '.dispatch/mcp.json': { servers: {} }, 'opencode.json': { lsp: {} } }
    expect((await under('dispatch', files)).problems).toEqual([])
  })

  test.each([
    ['invalid JSON', '{ "servers": ', ['error parse-error .dispatch/mcp.json']],
    ['an empty text', '', ['error parse-error .dispatch/mcp.json']],
    ['an empty object', '{}', []],
    ['without servers', '{ "servers": {} }', []],
    ['of another type', '[]', ['error wrong-type .dispatch/mcp.json']],
    [
      'with servers that cannot be used',
      '{ "servers": { "a": {} } }',
      ['error missing-endpoint .dispatch/mcp.json/servers/a'],
    ],
  ])('D10 a first file (%s) does not fall through to opencode.json', async (_what, text, said) => {
    const found = await under('dispatch', { '.dispatch/mcp.json': text, 'opencode.json': opencodeExample })
    expect(found.servers).toEqual([])
    expect(found.problems).toEqual([...said, 'warn shadowed opencode.json'])
  })

  test('D10 a first file that cannot be read does not fall through to opencode.json', async () => {
    const person = createPerson({ '.dispatch/mcp.json': '', 'opencode.json': opencodeExample })
    const readText: typeof person.files.readText = async (path, options) =>
      path === pathOf('.dispatch/mcp.json')
        ? { kind: 'problem', problem: 'no-permission', message: 'no' }
        : person.files.readText(path, options)
    const files = { ...person.files, readText }
    const found = await person.discover({ preset: 'dispatch', platform: { files } })
    expect(found.servers).toEqual([])
    expect(problems(found)).toEqual([
      'error unreadable-file .dispatch/mcp.json',
      'warn shadowed opencode.json',
    ])
  })

  test('D10 there are no built-in servers', async () => {
    expect((await under('dispatch', {})).servers).toEqual([])
  })

  test('D5 D8 files are read only from the working directory', async () => {
    const person = createPerson({ '.dispatch/mcp.json': dispatchExample }, { cwd: pathOf('web') })
    expect(await person.inForce({ preset: 'dispatch' })).toEqual([])
  })

  test('D23 C30 its files belong to the project: their servers wait for trust, and no other file is read', async () => {
    const found = await under('dispatch', {
      '.dispatch/mcp.json': dispatchExample,
      '.mcp.json': servers('ours'),
      '~/.config/plugboard/mcp.json': servers('mine'),
    })
    expect(found.files.every((line) => line.endsWith('.dispatch/mcp.json'))).toBe(true)
    expect(new Set(found.trust)).toEqual(new Set(['pending']))
  })

  test('D26 C19 env values are not expanded', async () => {
    const entry = { command: 'x', env: { A: '${HOME}', B: '!date', C: 'HOME' } }
    const person = createPerson({ '.dispatch/mcp.json': { servers: { a: entry } } }, { env: { HOME: '/h' } })
    const found = await person.discover({ preset: 'dispatch', preview: true, trust: 'project' })
    expect([found.resolved, found.diagnostics]).toEqual([new Map(), []])
  })
})

test('C6 without a preset, sse is a transport of its own, and http may fall back to it', async () => {
  const found = await createPerson({
    '.mcp.json': {
      mcpServers: {
        old: { type: 'sse', url: 'https://a.example' },
        new: { type: 'http', url: 'https://a.example' },
      },
    },
  }).discover()
  expect(found.servers.map(({ transport }) => transport)).toMatchObject([
    { kind: 'sse' },
    { kind: 'http', fallback: 'sse' },
  ])
})

describe('omp document', () => {
  const one = (entry: object) => ({ '.omp/mcp.json': { mcpServers: { a: entry } } })

  test('O2 O8 the three types are read, and a missing type is inferred', async () => {
    const found = await under('omp', {
      '.omp/mcp.json': {
        mcpServers: {
          stdio: { type: 'stdio', command: 'x', args: ['1'], env: { A: '1' }, cwd: '/srv' },
          http: { type: 'http', url: 'https://a.example', headers: { H: '1' } },
          sse: { type: 'sse', url: 'https://a.example' },
          command: { command: 'x' },
          url: { url: 'https://a.example' },
        },
      },
    })
    expect(found.discovery.servers.map(({ name, transport }) => [name, transport.kind])).toEqual([
      ['stdio', 'stdio'],
      ['http', 'http'],
      ['sse', 'sse'],
      ['command', 'stdio'],
      ['url', 'http'],
    ])
    expect(found.discovery.servers[0]?.transport).toMatchObject({ cwd: '/srv', env: { A: '1' } })
  })

  test('O2 the shared keys enabled, timeout and auth are read', async () => {
    const auth = { type: 'oauth', credentialId: 'c1' }
    const found = await under('omp', one({ type: 'http', url: 'https://a.example', timeout: 500, auth }))
    expect(found.discovery.servers).toMatchObject([
      { enabled: true, timeouts: { callMs: 500 }, transport: { auth } },
    ])
  })

  test('O5 C6 sse is accepted', async () => {
    const found = await under('omp', one({ type: 'sse', url: 'https://a.example' }))
    expect(found.discovery.servers.map(({ transport }) => transport.kind)).toEqual(['sse'])
    expect(found.problems).toEqual([])
  })

  test.each([
    ['both command and url', { command: 'x', url: 'https://a.example' }, 'command-and-url'],
    ['stdio without a command', { type: 'stdio' }, 'missing-endpoint'],
    ['stdio with only a url', { type: 'stdio', url: 'https://a.example' }, 'missing-endpoint'],
    ['http without a url', { type: 'http', command: 'x' }, 'missing-endpoint'],
    ['sse without a url', { type: 'sse' }, 'missing-endpoint'],
    ['an unknown type', { type: 'tcp', url: 'https://a.example' }, 'unknown-transport'],
  ])('O3 %s is refused', async (_what, entry, code) => {
    const found = await under('omp', one(entry))
    expect(found.servers).toEqual([])
    expect(found.discovery.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code])
  })

  test('C5 O8 strictType: a url without a type is an incomplete stdio entry, and the message suggests a type', async () => {
    const person = createPerson(one({ url: 'https://a.example' }))
    const found = await person.discover({ preset: 'omp', strictType: true })
    expect(found.servers).toEqual([])
    expect(found.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      [
        'missing-endpoint',
        'No "type": the entry is treated as stdio, which requires "command". Set "type": "http".',
      ],
    ])
  })

  test('O6 O7 one name in every file: the highest is in force, nothing is merged, the rest is shadowed', async () => {
    const order = [
      '.omp/mcp.json',
      '~/.omp/agent/mcp.json',
      '~/.omp/mcp.json',
      '.claude/mcp.json',
      '~/.claude/mcp.json',
      '.cursor/mcp.json',
      '~/.cursor/mcp.json',
      '.vscode/mcp.json',
      'mcp.json',
      '.mcp.json',
    ]
    const textOf = (file: string) => {
      const entry = { a: { command: file, env: { [file]: '1' } } }
      return file === '.vscode/mcp.json' ? { servers: entry } : { mcpServers: entry }
    }
    for (let first = 0; first < order.length; first++) {
      const files = order.slice(first)
      const found = await under('omp', Object.fromEntries(files.map((file) => [file, textOf(file)])))
      const [winner = ''] = files
      expect(found.servers).toEqual([
        { name: 'a', command: winner, args: [], env: { [winner]: '1' }, enabled: true },
      ])
      expect(found.discovery.shadowed.map(({ server }) => shortOf(server.origin.file))).toEqual(
        files.slice(1),
      )
    }
  })

  test('O9 ${VAR} and ${VAR:-default} are expanded in text fields; an unset variable stays literal', async () => {
    const entry = { command: '${BIN}', args: ['${PORT:-80}', '${NONE}'] }
    const person = createPerson(one(entry), { env: { BIN: '/bin/x' } })
    const found = await person.discover({ preset: 'omp', preview: true, trust: 'project' })
    expect(found.servers[0]?.transport).toMatchObject(entry)
    expect(found.diagnostics.map(({ message }) => message)).toEqual([
      'NONE is not set; the text stays as it is.',
    ])
  })

  describe('O10 an invalid enabled or timeout is a warning, not a failure', () => {
    test.each([
      ['enabled', 'yes', { enabled: true, timeouts: {} }],
      ['timeout', 'long', { enabled: true, timeouts: {} }],
      ['timeout', -1, { enabled: true, timeouts: {} }],
    ])('%s: %j is ignored, and the server loads', async (key, value, fields) => {
      const found = await under('omp', one({ command: 'x', [key]: value }))
      expect(found.discovery.servers).toMatchObject([fields])
      expect(found.problems).toEqual([
        expect.stringMatching(`^warn (wrong-type|out-of-range) .omp/mcp.json/mcpServers/a/${key}$`),
      ])
    })
  })

  test('O21 an invalid file is a diagnostic, and the others load', async () => {
    const found = await under('omp', { '.omp/mcp.json': '{ "mcpServers"', '~/.omp/mcp.json': servers('a') })
    expect(found.files).toEqual(['a ~/.omp/mcp.json'])
    expect(found.problems).toEqual(['error parse-error .omp/mcp.json'])
  })

  test('C8 C30 its list of sources is enabled; servers of the project wait for trust', async () => {
    const found = await under('omp', { '.cursor/mcp.json': servers('p'), '~/.cursor/mcp.json': servers('u') })
    expect(found.files).toEqual(['p .cursor/mcp.json', 'u ~/.cursor/mcp.json'])
    expect(found.trust).toEqual(['pending', 'trusted'])
  })

  describe('O22 the six rules for authors: breaking one has the documented consequence', () => {
    test('rule 1: the same name in two sources is shadowed', async () => {
      const found = await under('omp', { '.omp/mcp.json': servers('a'), 'mcp.json': servers('a') })
      expect(found.problems).toEqual(['info shadowed mcp.json/mcpServers/a'])
    })
    test('rule 2: a name that cannot be written is still read', async () => {
      const found = await under('omp', { '.omp/mcp.json': servers('my server') })
      expect(found.files).toEqual(['my server .omp/mcp.json'])
    })
    test('rule 3: a type that contradicts the entry is refused', async () => {
      expect((await under('omp', one({ type: 'stdio', url: 'https://a.example' }))).servers).toEqual([])
    })
    test('rule 4: enabled: false disables the server and still shadows its name', async () => {
      const files = { ...one({ command: 'x', enabled: false }), '.mcp.json': servers('a') }
      expect((await under('omp', files)).servers.map(({ enabled }) => enabled)).toEqual([false])
    })
    test('rule 5: a credentialId is kept for the login and is not part of the listing', async () => {
      const auth = { type: 'oauth', credentialId: 'cred-7' }
      const found = await under('omp', one({ type: 'http', url: 'https://a.example', auth }))
      expect(found.discovery.servers[0]?.transport.auth).toEqual(auth)
      expect(JSON.stringify(toListing(found.discovery))).not.toContain('cred-7')
    })
    test('rule 6: a command in a value is reported with its place', async () => {
      const found = await under('omp', one({ command: 'x', env: { TOKEN: '!op read x' } }))
      expect(found.problems).toEqual(['warn runs-command .omp/mcp.json/mcpServers/a/env/TOKEN'])
    })
  })
})

describe('D28 GLOSSARY.md', () => {
  const text = textOf('GLOSSARY.md')
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (?:word|-)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, word = '', meaning = '', not = '']) => ({ word, meaning, not }))

  test('defines MCP, MCP server and MCP host, and names the word to avoid', () => {
    const named = (word: string) => rows.find((row) => row.word === `**${word}**`)
    expect(['MCP', 'MCP server', 'MCP host'].map((word) => named(word)?.word)).toEqual([
      '**MCP**',
      '**MCP server**',
      '**MCP host**',
    ])
    expect(named('MCP server')?.not).toBe('MCP provider')
    expect(text).toContain('"MCP client" is the inside of a connection, not a word for people.')
  })

  test('uses none of the words that it excludes', () => {
    const forbidden = ['MCP provider', 'manager']
    const used = rows.flatMap(({ word, meaning }) =>
      forbidden.filter((each) => `${word} ${meaning}`.includes(each)),
    )
    expect(used).toEqual([])
  })

  test.each([
    'README.md',
    'ARCHITECTURE.md',
    'docs/guide/trust.md',
    'docs/guide/sources.md',
    'docs/guide/values.md',
  ])('%s does not say "MCP provider"', (file) => expect(textOf(file)).not.toMatch(/MCP provider/i))
})

describe('L11 L13 npm test', () => {
  const scripts = JSON.parse(textOf('package.json')).scripts as Record<string, string>
  const gate = textOf('scripts/test.mjs')

  test('L13 runs types, formatting, lint, the build, the documents, dead exports and all tests', () => {
    expect(scripts['test']).toBe('node scripts/test.mjs')
    const steps = [...gate.matchAll(/^run\('([^']+)'|\[\s*'([^']+)'(?:,|\])/gm)].map(
      ([, alone, beside]) => alone ?? beside,
    )
    const expected = ['tsc', 'oxfmt', 'oxlint', 'scripts/build.mjs', 'scripts/docs.mjs', 'knip', 'vitest']
    expect(steps).toEqual(expect.arrayContaining([...expected, 'scripts/conformance.mjs']))
  })

  test('L11 no test mocks one of our modules', () => {
    const mocks = testFiles().filter((file) => /\bvi\.(?:mock|doMock)\(/.test(textOf(file)))
    expect(mocks).toEqual([])
    expect(testFiles().length).toBeGreaterThan(60)
  })
})

function textOf(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

function testFiles(): readonly string[] {
  const under = (folder: string) =>
    readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`)
  return [...under('src'), ...under('test')]
}
