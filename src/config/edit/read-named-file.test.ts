import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { readNamedFile, readSnippet } from './read-named-file.ts'
import type { NamedFileReading } from './read-named-file.ts'

const cwd = '/home/dana/src/shop'

function platformWith(texts: Readonly<Record<string, string>> = {}) {
  const files = memoryFiles(texts)
  return { ...nodePlatform({ os: 'linux', home: '/home/dana', cwd, env: {}, files }), files }
}

const gh = { command: 'npx', args: ['-y', 'gh-mcp@1.0.0'] }
const json = (value: unknown) => JSON.stringify(value, null, 2)

/** The source and the place of each server, or the codes of the diagnostics. */
function summary(found: NamedFileReading) {
  if (found.kind === 'unrecognized') return found.diagnostics.map(({ code }) => code)
  const servers = found.reading.servers.map(({ name, origin }) => `${name} ${origin.pointer}:${origin.line}`)
  return { source: found.source, servers }
}

describe('readSnippet: recognizes a snippet by its shape', () => {
  test.each([
    ['mcpServers', json({ mcpServers: { gh } }), 'plugboard', ['gh /mcpServers/gh:3']],
    ['a bare map', json({ gh }), 'plugboard', ['gh /gh:2']],
    ['servers', json({ servers: { gh } }), 'vscode', ['gh /servers/gh:3']],
    ['the old key in VS Code settings', json({ mcp: { servers: { gh } } }), 'vscode', ['gh /servers/gh:4']],
    ['context_servers', json({ context_servers: { gh } }), 'zed', ['gh /context_servers/gh:3']],
    [
      'a part without braces around it',
      '"mcpServers": {\n"gh": {"command": "npx"}\n},\n',
      'plugboard',
      ['gh /mcpServers/gh:2'],
    ],
    ['JSON behind a comment', '// paste this\n{"gh": {"command": "npx"}}', 'plugboard', ['gh /gh:2']],
    ['YAML', 'mcpServers:\n  gh:\n    command: npx\n', 'plugboard', ['gh /mcpServers/gh:2']],
  ])('%s', async (_shape, text, source, servers) => {
    expect(summary(await readSnippet(text, platformWith()))).toEqual({ source, servers })
  })

  test.each([
    ['mcp with local servers', json({ mcp: { gh: { type: 'local', command: ['npx', 'gh'] } } }), 'opencode'],
    [
      'mcp with layers',
      json({ mcp: { servers: { gh: { type: 'remote', url: 'https://a.example' } } } }),
      'opencode',
    ],
    ['mcp with typed servers', json({ mcp: { gh: { type: 'stdio', command: 'gh' } } }), 'crush'],
    ['amp.mcpServers', json({ 'amp.mcpServers': { gh } }), 'amp'],
    ['a list of mcpServers', 'name: mine\nmcpServers:\n  - name: gh\n    command: npx\n', 'continue'],
    [
      'extensions',
      'extensions:\n  gh:\n    type: stdio\n    enabled: true\n    cmd: npx\n    args: []\n',
      'goose',
    ],
    ['TOML tables', '# mine\n[mcp_servers.gh]\ncommand = "npx"\n', 'codex'],
    ['dotted TOML keys', 'mcp_servers.gh.command = "npx"\n', 'codex'],
    [
      'a server.json',
      json({ name: 'io.github.dana/weather', packages: [{ registryType: 'npm' }] }),
      'registry-server-json',
    ],
    [
      'a server.json of remotes',
      json({ name: 'a/b', remotes: [{ url: 'https://a.example' }] }),
      'registry-server-json',
    ],
    ['a manifest', json({ manifest_version: '0.3', server: { type: 'node' } }), 'mcpb'],
    ['an old manifest', json({ dxt_version: '0.1', server: { type: 'node' } }), 'mcpb'],
    [
      'a plugin by its schema',
      json({ $schema: 'https://agent-plugins.org/x.json', mcpServers: { gh } }),
      'agent-plugins',
    ],
    ['a plugin by its values', json({ mcpServers: { a: { command: '${PLUGIN_ROOT}/a' } } }), 'agent-plugins'],
  ])('%s', async (_shape, text, source) => {
    expect(await readSnippet(text, platformWith())).toMatchObject({ kind: 'recognized', source })
  })
})

describe('readSnippet: name of a single entry', () => {
  const entry = '{\n  "name": "own",\n  "url": "https://a.example/mcp",\n  "title": 5\n}'

  test.each([
    ['its own name', {}, entry, 'own'],
    ['the given name', { name: 'given' }, entry, 'given'],
    ['"server" without either', {}, '{"command": "npx"}', 'server'],
  ])('%s', async (_kind, options, text, name) => {
    const found = await readSnippet(text, platformWith(), options)
    expect(summary(found)).toMatchObject({ source: 'plugboard', servers: [`${name} /mcpServers/${name}:1`] })
  })

  test('a single entry keeps its lines and columns', async () => {
    const found = await readSnippet(entry, platformWith())
    const wrong =
      found.kind === 'recognized'
        ? found.reading.diagnostics.map(({ code, origin }) => [code, origin?.line])
        : []
    expect(wrong).toEqual([['wrong-type', 4]])
  })

  test('a single TOML entry gets the given name', async () => {
    const found = await readSnippet('command = "npx"\nargs = ["a"]\n', platformWith(), { name: 'a' })
    expect(summary(found)).toMatchObject({ source: 'plugboard', servers: ['a /mcpServers/a:1'] })
  })
})

describe('readNamedFile', () => {
  test('gives servers the authority "explicit" and their place in the file', async () => {
    const platform = platformWith({ [`${cwd}/snippet.json`]: json({ mcpServers: { gh } }) })
    const found = await readNamedFile('snippet.json', platform)
    const [server] = found.kind === 'recognized' ? found.reading.servers : []
    const { source, scope, authority, file, pointer } = server?.origin ?? {}
    expect({ source, scope, authority, file, pointer }).toEqual({
      source: 'plugboard',
      scope: 'explicit',
      authority: 'explicit',
      file: `${cwd}/snippet.json`,
      pointer: '/mcpServers/gh',
    })
  })

  test.each([
    [`${cwd}/.cursor/mcp.json`, { mcpServers: { gh } }, 'cursor'],
    [`${cwd}/.roo/mcp.json`, { mcpServers: { gh } }, 'roo-code'],
    [`${cwd}/.mcp.json`, { mcpServers: { gh } }, 'plugboard'],
    ['/home/dana/.claude.json', { mcpServers: { gh } }, 'claude-code'],
    [`${cwd}/.vs/mcp.json`, { servers: { gh } }, 'visual-studio'],
    [`${cwd}/crush.json`, { mcp: { gh } }, 'crush'],
    [`${cwd}/kilo.json`, { mcp: { gh: { type: 'local', command: ['gh'] } } }, 'kilo-code'],
    [`${cwd}/manifest.json`, { manifest_version: '0.3', server: {} }, 'mcpb'],
  ])('recognizes the client of %s by its path', async (path, value, source) => {
    expect(await readNamedFile(path, platformWith({ [path]: json(value) }))).toMatchObject({ source })
  })

  test('reads a plugin with the plugin.json beside it', async () => {
    const deploy = { type: 'stdio', command: 'node', args: [] }
    const schema = (name: string) => ({
      $schema: `https://agent-plugins.org/schemas/1.0.0/${name}.schema.json`,
    })
    const platform = platformWith({
      '/plugins/deploy/mcp.json': json({ ...schema('mcp'), mcpServers: { deploy } }),
      '/plugins/deploy/plugin.json': json({ ...schema('plugin'), name: 'acme', version: '1.0.0' }),
    })
    const found = await readNamedFile('/plugins/deploy/mcp.json', platform)
    const origins = found.kind === 'recognized' ? found.reading.servers.map(({ origin }) => origin) : []
    expect(origins.map(({ scope, authority, file }) => ({ scope, authority, file }))).toEqual([
      { scope: 'plugin:acme', authority: 'explicit', file: '/plugins/deploy/mcp.json' },
    ])
  })
})

describe('readNamedFile: unusable files', () => {
  const at = `${cwd}/x.json`

  test('a missing file is reported', async () => {
    const message = `${at} does not exist.`
    expect(await readNamedFile(at, platformWith())).toEqual({
      kind: 'unrecognized',
      diagnostics: [{ code: 'unreadable-file', severity: 'error', message, origin: { file: at } }],
    })
  })

  test('a syntax error is reported with line and column', async () => {
    expect(await readNamedFile(at, platformWith({ [at]: '{\n  "mcpServers": {' }))).toEqual({
      kind: 'unrecognized',
      diagnostics: [
        {
          code: 'parse-error',
          severity: 'error',
          message: 'line 2, column 18: a closing "}" is missing here.',
          hint: 'Correct the text there, then try again.',
          origin: { file: at, line: 2, column: 18 },
        },
      ],
    })
  })

  const nothing = [
    '{}',
    '[]',
    '5',
    '{"mcp": {}}',
    '{"packages": ["a"]}',
    '{"extensions": {"a": {}}}',
    '{"name": "x"}',
  ]
  test.each(nothing)('a text without servers is reported: %s', async (text) => {
    expect(await readNamedFile(at, platformWith({ [at]: text }))).toEqual({
      kind: 'unrecognized',
      diagnostics: [
        {
          code: 'missing-endpoint',
          severity: 'error',
          message: 'No MCP server was recognized here.',
          hint: 'Use a map under "mcpServers", or one entry with a "command" or a "url".',
          origin: { file: at },
        },
      ],
    })
  })
})

describe('readNamedFile: bundles', () => {
  const manifest = json({ manifest_version: '0.3', name: 'shop', server: { type: 'node', mcp_config: gh } })

  test.each(['shop.mcpb', 'shop.DXT'])(
    '%s is read by its manifest, with its files for unpacking',
    async (name) => {
      const platform = platformWith()
      platform.files.bytes.set(
        `${cwd}/${name}`,
        zipSync({ 'manifest.json': strToU8(manifest), 'a.js': strToU8('1') }),
      )
      const found = await readNamedFile(name, platform)
      expect(found).toMatchObject({ kind: 'recognized', source: 'mcpb', archive: { manifest } })
      expect(found.kind === 'recognized' ? [...(found.archive?.files.keys() ?? [])] : []).toEqual([
        'manifest.json',
        'a.js',
      ])
    },
  )

  test('T46 an unsafe archive is refused', async () => {
    const platform = platformWith()
    platform.files.bytes.set('/x.mcpb', zipSync({ 'manifest.json': strToU8(manifest), '../x': strToU8('1') }))
    expect(await readNamedFile('/x.mcpb', platform)).toEqual({
      kind: 'unrecognized',
      diagnostics: [
        {
          code: 'unsafe-archive',
          severity: 'error',
          message: '"../x" points outside its folder.',
          origin: { file: '/x.mcpb' },
        },
      ],
    })
  })

  test('a missing bundle is reported', async () => {
    expect(summary(await readNamedFile('/x.mcpb', platformWith()))).toEqual(['unreadable-file'])
  })
})
