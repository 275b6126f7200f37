import { describe, expect, test } from 'vitest'
import { home, memoryMachine, project } from '../../../test/support/memory-machine.ts'
import type { Env } from '../../platform/platform.ts'
import type { SourceId } from '../../sources/places.ts'
import { exportServers, importServers } from './transfer.ts'
import type { TransferOptions } from './transfer.ts'

const ourFile = `${home}/.config/plugboard/mcp.json`

function machine(texts: Readonly<Record<string, unknown>>, env: Env = {}) {
  const { platform, ...rest } = memoryMachine(texts, env)
  return {
    ...rest,
    importFrom: (client: string, options: TransferOptions = {}) =>
      importServers(client, { ...options, platform }),
    exportTo: (client: string, options: TransferOptions = {}) =>
      exportServers(client, { ...options, platform }),
  }
}

const files = {
  command: 'npx',
  args: ['-y', 'files@1.0.0'],
  env: { TOKEN: '${TOKEN}', MODE: 'fast' },
  timeout: 90_000,
}
const web = {
  url: 'https://example.com/mcp',
  headers: { Authorization: 'Bearer ${WEB_TOKEN}', 'X-Key': '${KEY}', 'X-Region': 'eu' },
}
const ours = { '~/.config/plugboard/mcp.json': { mcpServers: { files, web } } }

/** Our two servers in the dialect of each client. */
const exported: readonly (readonly [SourceId, string, unknown])[] = [
  [
    'codex',
    '~/.codex/config.toml',
    {
      mcp_servers: {
        files: {
          command: 'npx',
          args: files.args,
          env: { MODE: 'fast' },
          env_vars: ['TOKEN'],
          tool_timeout_sec: 90,
        },
        web: {
          url: web.url,
          http_headers: { 'X-Region': 'eu' },
          env_http_headers: { 'X-Key': 'KEY' },
          bearer_token_env_var: 'WEB_TOKEN',
        },
      },
    },
  ],
  [
    'goose',
    '~/.config/goose/config.yaml',
    {
      extensions: {
        files: {
          enabled: true,
          name: 'files',
          type: 'stdio',
          cmd: 'npx',
          args: files.args,
          envs: { MODE: 'fast' },
          env_keys: ['TOKEN'],
          timeout: 90,
        },
        web: {
          enabled: true,
          name: 'web',
          type: 'streamable_http',
          uri: web.url,
          headers: web.headers,
          env_keys: ['WEB_TOKEN', 'KEY'],
        },
      },
    },
  ],
  [
    'opencode',
    '~/.config/opencode/opencode.jsonc',
    {
      mcp: {
        files: {
          type: 'local',
          command: ['npx', ...files.args],
          environment: { TOKEN: '{env:TOKEN}', MODE: 'fast' },
          timeout: 90_000,
        },
        web: {
          type: 'remote',
          url: web.url,
          headers: { Authorization: 'Bearer {env:WEB_TOKEN}', 'X-Key': '{env:KEY}', 'X-Region': 'eu' },
        },
      },
    },
  ],
  ...(
    [
      ['vscode', '~/.config/Code/User/mcp.json', 'servers', 'http', 'url', {}],
      ['cursor', '~/.cursor/mcp.json', 'mcpServers', 'http', 'url', {}],
      ['windsurf', '~/.codeium/windsurf/mcp_config.json', 'mcpServers', undefined, 'serverUrl', {}],
      [
        'roo-code',
        '~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
        'mcpServers',
        'streamable-http',
        'url',
        { timeout: 90 },
      ],
    ] as const
  ).map(([id, path, root, type, urlKey, timeout]): readonly [SourceId, string, unknown] => [
    id,
    path,
    {
      [root]: {
        files: {
          ...(type !== undefined && { type: 'stdio' }),
          command: 'npx',
          args: files.args,
          env: { TOKEN: '${env:TOKEN}', MODE: 'fast' },
          ...timeout,
        },
        web: {
          ...(type !== undefined && { type }),
          [urlKey]: web.url,
          headers: { Authorization: 'Bearer ${env:WEB_TOKEN}', 'X-Key': '${env:KEY}', 'X-Region': 'eu' },
        },
      },
    },
  ]),
  ...(
    [
      ['claude-code', '~/.claude.json', { type: 'stdio' }, { type: 'http' }, 'url', {}],
      ['gemini-cli', '~/.gemini/settings.json', { type: 'stdio' }, { type: 'http' }, 'url', {}],
      ['qwen-code', '~/.qwen/settings.json', {}, {}, 'httpUrl', {}],
      [
        'copilot-cli',
        '~/.copilot/mcp-config.json',
        { type: 'stdio' },
        { type: 'http' },
        'url',
        { tools: ['*'] },
      ],
      ['kiro', '~/.kiro/settings/mcp.json', {}, {}, 'url', {}],
    ] as const
  ).map(([id, path, local, remote, urlKey, required]): readonly [SourceId, string, unknown] => [
    id,
    path,
    {
      mcpServers: {
        files: { ...local, ...files, ...required },
        web: { ...remote, [urlKey]: web.url, headers: web.headers, ...required },
      },
    },
  ]),
]

describe('O16 exportServers', () => {
  test.each(exported)('%s: writes the servers in the dialect of the client', async (id, path, expected) => {
    const { exportTo, read } = machine(ours)
    const { copied, skipped, changed, file, changes } = await exportTo(id)
    expect({ copied, skipped, changed, changes, file }).toEqual({
      copied: ['files', 'web'],
      skipped: [],
      changed: true,
      changes: [],
      file: path.replace('~', home),
    })
    expect(await read(path)).toEqual(expected)
  })

  test('reports fields that the client cannot express, with the name of the server', async () => {
    const { exportTo } = machine(ours)
    const { lost } = await exportTo('claude-desktop', { only: ['files'] })
    expect(lost).toEqual([
      {
        field: 'files.env.TOKEN',
        reason: 'The target cannot resolve ${TOKEN}; it is written literally.',
      },
      { field: 'files.timeout', reason: 'There is no key for it.' },
    ])
  })

  test('codex: a variable under another name stays a literal text and is reported', async () => {
    const entry = { command: 'x', env: { B: '${A}' } }
    const { exportTo, read } = machine({ '~/.config/plugboard/mcp.json': { mcpServers: { s: entry } } })
    const { lost } = await exportTo('codex')
    expect(lost.map(({ field }) => field)).toEqual(['s.env.B'])
    expect(await read('~/.codex/config.toml')).toEqual({
      mcp_servers: { s: { command: 'x', env: { B: '${A}' } } },
    })
  })

  test('a server that cannot be written is skipped, the others are copied', async () => {
    const { exportTo, read } = machine(ours)
    const { copied, skipped } = await exportTo('claude-desktop')
    expect([copied, skipped]).toEqual([
      ['files'],
      [{ name: 'web', reason: 'Invalid server config: this file cannot hold a server over http.' }],
    ])
    expect(await read('~/.config/Claude/claude_desktop_config.json')).toMatchObject({
      mcpServers: { files: { command: 'npx' } },
    })
  })

  test('--scope project writes the project’s file at the root of the repository', async () => {
    const { exportTo, read } = machine(ours)
    const { file } = await exportTo('cursor', { scope: 'project', only: ['files'] })
    expect(file).toBe(`${project}/.cursor/mcp.json`)
    expect(await read('.cursor/mcp.json')).toMatchObject({ mcpServers: { files: { command: 'npx' } } })
  })

  test('never writes to a file of another client, even if this client reads it', async () => {
    const { exportTo, texts } = machine({ ...ours, '.cursor/mcp.json': '{}', '.mcp.json': '{}' })
    expect((await exportTo('oh-my-pi', { scope: 'project' })).file).toBe(`${project}/.omp/mcp.json`)
    expect((await exportTo('qwen-code', { scope: 'project' })).file).toBe(`${project}/.qwen/settings.json`)
    expect([texts.get(`${project}/.cursor/mcp.json`), texts.get(`${project}/.mcp.json`)]).toEqual([
      '{}',
      '{}',
    ])
  })

  test.each([
    [{ command: 'x', env: { API_TOKEN: 'ghp_8dKq2vXw9RtZ1mNbP4sYcL7hJ3fGe5aU6iTo' } }],
    [{ command: 'x', env: { DB: 'postgres://u:hunter22secret@h/x' } }],
    [{ command: 'x', args: ['--api-key', 'sk-live-8d7f6a5b4c3d2e1f0a9b'] }],
    [{ url: 'https://h.example/mcp?api_key=abcd1234efgh5678' }],
  ])('T09 refuses to write the literal secret of %j into a project file', async (entry) => {
    const { exportTo, texts } = machine({ '~/.config/plugboard/mcp.json': { mcpServers: { s: entry } } })
    const { copied, skipped } = await exportTo('claude-code', { scope: 'project' })
    expect(copied).toEqual([])
    expect(skipped).toEqual([
      {
        name: 's',
        reason:
          'It holds a literal secret, and the project’s file is shared. Put the secret into a variable first.',
      },
    ])
    expect(texts.has(`${project}/.mcp.json`)).toBe(false)
  })

  test('T09 writes an example text into a project file: it is no secret', async () => {
    const entry = { command: 'x', env: { API_KEY: 'YOUR_KEY_HERE' } }
    const { exportTo, read } = machine({ '~/.config/plugboard/mcp.json': { mcpServers: { s: entry } } })
    expect((await exportTo('claude-code', { scope: 'project' })).skipped).toEqual([])
    expect(await read('.mcp.json')).toMatchObject({ mcpServers: { s: entry } })
  })

  test('T01 refuses an untrusted project server, with or without --only and --trust', async () => {
    const { exportTo } = machine({ ...ours, '.mcp.json': { mcpServers: { theirs: { command: 'x' } } } })
    const first = await exportTo('cursor')
    expect(first.copied).toEqual(['files', 'web'])
    expect(first.skipped).toEqual([
      {
        name: 'theirs',
        reason: 'The project declares it, and it is not trusted. Run: plugboard trust theirs',
      },
    ])
    for (const trust of [{}, { trust: 'project' } as const]) {
      await expect(exportTo('cursor', { only: ['theirs'], ...trust })).rejects.toMatchObject({
        code: 'trust.refused',
        data: { server: 'theirs' },
        message:
          '"theirs" is not copied: The project declares it, and it is not trusted. Run: plugboard trust theirs',
      })
    }
    expect((await exportTo('cursor', { only: ['theirs', 'web'], force: true })).copied).toEqual(['web'])
    expect((await exportTo('cursor', { trust: 'project', scope: 'project' })).copied).toContain('theirs')
  })

  test('copies a socket address, and reports it for a client that may not support it', async () => {
    const url = 'unix:///run/mcp.sock#/mcp'
    const texts = { '~/.config/plugboard/mcp.json': { mcpServers: { s: { type: 'http', url } } } }
    expect((await machine(texts).exportTo('vscode')).lost).toEqual([])
    const { exportTo, read } = machine(texts)
    expect((await exportTo('cursor')).lost).toEqual([
      { field: 's.url', reason: 'Cursor may not support socket addresses.' },
    ])
    expect(await read('~/.cursor/mcp.json')).toMatchObject({ mcpServers: { s: { url } } })
  })

  test('skips a disabled server if the client has no on/off key', async () => {
    const off = { mcpServers: { files: { ...files, enabled: false } } }
    const { exportTo, read } = machine({ '~/.config/plugboard/mcp.json': off })
    const { copied, skipped } = await exportTo('cursor')
    expect([copied, skipped]).toEqual([
      [],
      [
        {
          name: 'files',
          reason:
            'It is switched off, and Cursor cannot express that. Name it with --only to copy it anyway.',
        },
      ],
    ])
    await exportTo('codex')
    expect(await read('~/.codex/config.toml')).toMatchObject({ mcp_servers: { files: { enabled: false } } })
  })

  test('keeps comments and other settings of the file', async () => {
    const text = '{\n  // mine\n  "theme": "dark",\n  "context_servers": { "a": { "command": "x" } }\n}\n'
    const { exportTo, textOf } = machine({ ...ours, '~/.config/zed/settings.json': text })
    await exportTo('zed', { only: ['web'] })
    expect(textOf('~/.config/zed/settings.json')).toContain('// mine\n  "theme": "dark",')
    expect(textOf('~/.config/zed/settings.json')).toContain('"url": "https://example.com/mcp"')
  })

  test('refuses plugboard, bundles, web settings and unknown clients as targets', async () => {
    const { exportTo } = machine(ours)
    await expect(exportTo('plugboard')).rejects.toMatchObject({ code: 'usage' })
    await expect(exportTo('mcpb')).rejects.toMatchObject({ code: 'usage' })
    await expect(exportTo('copilot-coding-agent')).rejects.toMatchObject({ code: 'config.unwritable' })
    await expect(exportTo('courser')).rejects.toMatchObject({
      code: 'source.unknown',
      data: { near: ['cursor'] },
    })
  })
})

interface Times {
  readonly timeout?: number
  readonly startupTimeout?: number
}

/** The same two servers in the dialect of each client, with the timeouts it supports. */
const imported: readonly (readonly [SourceId, string, string, Times])[] = [
  [
    'codex',
    '~/.codex/config.toml',
    `[mcp_servers.files]
command = "npx"
args = ["-y", "files@1.0.0"]
env_vars = ["TOKEN"]
env = { MODE = "fast" }
tool_timeout_sec = 90
[mcp_servers.web]
url = "https://example.com/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = { X-Region = "eu" }
env_http_headers = { X-Key = "KEY" }
`,
    { timeout: 90_000 },
  ],
  [
    'goose',
    '~/.config/goose/config.yaml',
    `extensions:
  files:
    { type: stdio, name: files, enabled: true, cmd: npx, args: [-y, files@1.0.0], envs: { MODE: fast }, env_keys: [TOKEN], timeout: 90 }
  web:
    type: streamable_http
    name: web
    enabled: true
    uri: https://example.com/mcp
    env_keys: [WEB_TOKEN, KEY]
    headers: { Authorization: "Bearer $WEB_TOKEN", X-Key: "\${KEY}", X-Region: eu }
`,
    { timeout: 90_000 },
  ],
  [
    'opencode',
    '~/.config/opencode/opencode.jsonc',
    `{
  // servers of the first layout
  "mcp": {
    "files": {
      "type": "local", "command": ["npx", "-y", "files@1.0.0"],
      "environment": { "TOKEN": "{env:TOKEN}", "MODE": "fast" }, "timeout": 90000,
    },
    "web": {
      "type": "remote", "url": "https://example.com/mcp",
      "headers": { "Authorization": "Bearer {env:WEB_TOKEN}", "X-Key": "{env:KEY}", "X-Region": "eu" },
    },
  },
}`,
    { timeout: 90_000, startupTimeout: 90_000 },
  ],
  ...(
    [
      ['vscode', '~/.config/Code/User/mcp.json', 'servers', { type: 'http', url: web.url }, {}],
      ['cursor', '~/.cursor/mcp.json', 'mcpServers', { url: web.url }, {}],
      ['windsurf', '~/.codeium/windsurf/mcp_config.json', 'mcpServers', { serverUrl: web.url }, {}],
      [
        'cline',
        '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
        'mcpServers',
        { type: 'streamableHttp', url: web.url },
        { timeout: 90 },
      ],
    ] as const
  ).map(([id, path, root, remote, timeout]): readonly [SourceId, string, string, Times] => [
    id,
    path,
    JSON.stringify({
      [root]: {
        files: { ...files, timeout: undefined, ...timeout, env: { TOKEN: '${env:TOKEN}', MODE: 'fast' } },
        web: {
          ...remote,
          headers: { Authorization: 'Bearer ${env:WEB_TOKEN}', 'X-Key': '${env:KEY}', 'X-Region': 'eu' },
        },
      },
    }),
    'timeout' in timeout ? { timeout: 90_000 } : {},
  ]),
  [
    'claude-code',
    '~/.claude.json',
    JSON.stringify({ mcpServers: { files, web: { type: 'http', ...web } } }),
    { timeout: 90_000 },
  ],
  [
    'mcporter',
    '~/.mcporter/mcporter.json',
    JSON.stringify({
      imports: [],
      mcpServers: {
        files: { command: 'npx', args: files.args, env: { TOKEN: '$env:TOKEN', MODE: 'fast' } },
        web: {
          baseUrl: web.url,
          headers: { 'X-Key': '$env:KEY', 'X-Region': 'eu' },
          bearerTokenEnv: 'WEB_TOKEN',
        },
      },
    }),
    {},
  ],
]

describe('O16 importServers', () => {
  test.each(imported)(
    '%s: writes the servers of the client in our dialect',
    async (id, path, text, times) => {
      const { importFrom, read, textOf } = machine({ [path]: text })
      const { copied, skipped, file } = await importFrom(id)
      expect({ copied, skipped, file }).toEqual({ copied: ['files', 'web'], skipped: [], file: ourFile })
      expect(await read('~/.config/plugboard/mcp.json')).toEqual({
        mcpServers: {
          files: { type: 'stdio', command: 'npx', args: files.args, env: files.env, ...times },
          web: { type: 'http', ...web },
        },
      })
      expect(textOf(path)).toBe(text)
    },
  )

  test('omp: a bare word becomes a reference if a variable of that name is set, otherwise it stays text', async () => {
    const entry = { command: 'x', env: { TOKEN: 'GITHUB_TOKEN', MODE: 'production' } }
    const { importFrom, read } = machine(
      { '~/.omp/agent/mcp.json': { mcpServers: { s: entry } } },
      { GITHUB_TOKEN: 'x' },
    )
    await importFrom('oh-my-pi')
    expect(await read('~/.config/plugboard/mcp.json')).toMatchObject({
      mcpServers: { s: { env: { TOKEN: '${GITHUB_TOKEN}', MODE: 'production' } } },
    })
  })

  test('reports fields that are not copied and texts that we would expand', async () => {
    const web = { type: 'http', url: 'https://example.com/mcp', headersHelper: 'make-headers' }
    const text = { command: 'x', env: { HOME_PAGE: '${HOME}/index.html' } }
    const { importFrom } = machine({
      '~/.claude.json': { mcpServers: { web } },
      '~/.config/Claude/claude_desktop_config.json': { mcpServers: { text } },
    })
    expect((await importFrom('claude-code')).lost).toEqual([
      { field: 'web.headersCommand', reason: 'It is not copied.' },
    ])
    expect((await importFrom('claude-desktop')).lost).toEqual([
      {
        field: 'text.env.HOME_PAGE',
        reason: 'It is plain text, and the target would resolve ${HOME}; it is left out.',
      },
    ])
  })

  test('skips existing names with the reason; --force replaces them', async () => {
    const { importFrom, read } = machine({
      ...ours,
      '~/.cursor/mcp.json': { mcpServers: { files: { command: 'other' }, extra: { command: 'y' } } },
    })
    const first = await importFrom('cursor')
    expect([first.copied, first.skipped]).toEqual([
      ['extra'],
      [{ name: 'files', reason: `Server "files" already exists in ${ourFile}` }],
    ])
    expect(await read('~/.config/plugboard/mcp.json')).toMatchObject({ mcpServers: { files } })

    const forced = await importFrom('cursor', { force: true })
    expect([forced.copied, forced.skipped]).toEqual([['files', 'extra'], []])
    expect(await read('~/.config/plugboard/mcp.json')).toMatchObject({
      mcpServers: { files: { command: 'other', timeout: 90_000 } },
    })
  })

  test('--only copies the named servers, and an unknown name is an error', async () => {
    const theirs = { '~/.cursor/mcp.json': { mcpServers: { a: { command: 'a' }, bee: { command: 'b' } } } }
    const { importFrom, read, texts } = machine(theirs)
    await expect(importFrom('cursor', { only: ['bea'] })).rejects.toMatchObject({
      code: 'server.unknown',
      data: { server: 'bea', near: ['bee'] },
      message: 'There is no server "bea" to copy.',
    })
    expect(texts.has(ourFile)).toBe(false)
    expect((await importFrom('cursor', { only: ['bee'] })).copied).toEqual(['bee'])
    expect(await read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: { bee: { type: 'stdio', command: 'b' } },
    })
  })

  test('--scope project writes the project’s .mcp.json', async () => {
    const { importFrom, read } = machine({ '~/.cursor/mcp.json': { mcpServers: { a: { command: 'a' } } } })
    expect((await importFrom('cursor', { scope: 'project' })).file).toBe(`${project}/.mcp.json`)
    expect(await read('.mcp.json')).toEqual({ mcpServers: { a: { type: 'stdio', command: 'a' } } })
  })

  test('--dry-run writes nothing and returns the whole change', async () => {
    const { importFrom, texts } = machine({ '~/.cursor/mcp.json': { mcpServers: { a: { command: 'a' } } } })
    const before = new Map(texts)
    const { copied, changes } = await importFrom('cursor', { dryRun: true })
    expect(copied).toEqual(['a'])
    expect(changes).toEqual([
      {
        file: ourFile,
        before: '',
        after:
          '{\n  "mcpServers": {\n    "a": {\n      "type": "stdio",\n      "command": "a"\n    }\n  }\n}\n',
        mode: 0o600,
      },
    ])
    expect(texts).toEqual(before)
  })

  test('skips an invalid entry with the reason and copies the others', async () => {
    const { importFrom } = machine({
      '~/.claude.json': { mcpServers: { bad: { url: 'https://a' }, good: { command: 'x' } } },
    })
    const { copied, skipped } = await importFrom('claude-code')
    expect([copied, skipped]).toEqual([
      ['good'],
      [
        {
          name: 'bad',
          reason:
            'Without a "type" the entry is treated as stdio and skipped. Set "type" to "http" or "sse".',
        },
      ],
    ])
  })

  test('a file that cannot be read is an error, not an empty import', async () => {
    const { importFrom } = machine({ '~/.cursor/mcp.json': '{ "mcpServers": {' })
    await expect(importFrom('cursor')).rejects.toMatchObject({
      code: 'config.invalid',
      data: { file: `${home}/.cursor/mcp.json` },
    })
  })

  test('--only: copying none of the named servers is an error with every reason', async () => {
    const { importFrom } = machine({
      '~/.cursor/mcp.json': { mcpServers: { a: { command: 'x' }, b: { command: 5 }, c: { command: 'x' } } },
      '~/.config/plugboard/mcp.json': { mcpServers: { a: { command: 'y' } } },
    })
    await expect(importFrom('cursor', { only: ['a', 'b'] })).rejects.toMatchObject({
      code: 'config.exists',
      data: { server: 'a', file: `${home}/.config/plugboard/mcp.json` },
      message: expect.stringMatching(/^"b" is not copied: .*\n"a" is not copied: .* already exists in /),
    })
    await expect(importFrom('cursor', { only: ['b'] })).rejects.toMatchObject({
      code: 'config.invalid',
      data: { server: 'b' },
    })
    const { copied, skipped } = await importFrom('cursor', { only: ['a', 'c'] })
    expect([copied, skipped.map(({ name }) => name)]).toEqual([['c'], ['a']])
  })

  test('T01 refuses to copy an untrusted project server into the user’s file', async () => {
    const { importFrom } = machine({ '.cursor/mcp.json': { mcpServers: { theirs: { command: 'x' } } } })
    const { copied, skipped } = await importFrom('cursor')
    expect([copied, skipped.map(({ name }) => name)]).toEqual([[], ['theirs']])
    expect((await importFrom('cursor', { scope: 'project' })).copied).toEqual(['theirs'])
    for (const trust of [{}, { trust: 'project' } as const]) {
      await expect(importFrom('cursor', { only: ['theirs'], ...trust })).rejects.toMatchObject({
        code: 'trust.refused',
      })
    }
  })

  test('T35 never copies live tokens from the files of Cline and Crush', async () => {
    const token = 'live-token-0123456789'
    const { importFrom, texts } = machine({
      '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json': {
        mcpServers: {
          a: {
            type: 'streamableHttp',
            url: 'https://a',
            oauth: {
              tokens: { access_token: token, refresh_token: token },
              clientInformation: { client_secret: token },
            },
          },
        },
      },
      '~/.config/crush/crush.json': {
        mcp: { b: { type: 'http', url: 'https://b', oauth: true, oauth_token: { access_token: token } } },
      },
    })
    expect((await importFrom('cline')).copied).toEqual(['a'])
    expect((await importFrom('crush')).copied).toEqual(['b'])
    const text = texts.get(ourFile) ?? ''
    expect(text).not.toContain(token)
    expect(JSON.parse(text)).toEqual({
      mcpServers: {
        a: { type: 'http', url: 'https://a', auth: { type: 'oauth' } },
        b: { type: 'http', url: 'https://b', auth: { type: 'oauth' } },
      },
    })
  })

  test('copies a login in our dialect', async () => {
    const { importFrom, read } = machine({
      '~/.cursor/mcp.json': {
        mcpServers: {
          a: { url: 'https://a', auth: { CLIENT_ID: 'c', CLIENT_SECRET: '${env:SECRET}', scopes: ['r'] } },
        },
      },
    })
    await importFrom('cursor')
    expect(await read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: {
        a: {
          type: 'http',
          url: 'https://a',
          auth: { type: 'oauth', clientId: 'c', clientSecret: '${SECRET}', scopes: ['r'] },
        },
      },
    })
  })

  test('a disabled server stays disabled', async () => {
    const text = '[mcp_servers.a]\ncommand = "x"\nenabled = false\n'
    const { importFrom, read } = machine({ '~/.codex/config.toml': text })
    await importFrom('codex')
    expect(await read('~/.config/plugboard/mcp.json')).toEqual({
      mcpServers: { a: { type: 'stdio', command: 'x', enabled: false } },
    })
  })
})

describe('O16 transfer of inputs', () => {
  const inputs = [
    { type: 'promptString', id: 'key', description: 'API key', password: true, default: 'hush' },
    { type: 'pickString', id: 'region', description: 'Region', options: ['eu', 'us'], default: 'eu' },
    { type: 'promptString', id: 'unused', description: 'No value uses it' },
  ]
  const server = { type: 'stdio', command: 'x', args: ['${input:region}'], env: { KEY: '${input:key}' } }
  const editors = { '~/.config/Code/User/mcp.json': { inputs, servers: { a: server } } }
  const definitions = [
    { id: 'key', type: 'promptString', description: 'API key', password: true },
    { id: 'region', type: 'pickString', description: 'Region', options: ['eu', 'us'], default: 'eu' },
  ]

  test('import reports definitions that our file cannot store', async () => {
    const { importFrom, read } = machine(editors)
    expect((await importFrom('vscode')).lost).toEqual([
      {
        field: 'a.inputs.key',
        reason:
          'The file has no place for its definition (API key, a secret). Enter the value when the server starts, or use a variable instead of ${input:key}.',
      },
      {
        field: 'a.inputs.region',
        reason:
          'The file has no place for its definition (Region). Enter the value when the server starts, or use a variable instead of ${input:region}.',
      },
    ])
    expect(await read('~/.config/plugboard/mcp.json')).toMatchObject({
      mcpServers: { a: { args: ['${input:region}'], env: { KEY: '${input:key}' } } },
    })
  })

  test('export copies the definitions, without the default of a secret', async () => {
    const { exportTo, read } = machine(editors)
    const { lost } = await exportTo('visual-studio', { sources: ['vscode'] })
    expect([lost, await read('~/.mcp.json')]).toEqual([[], { servers: { a: server }, inputs: definitions }])
  })

  test('export keeps an existing definition of the same id, and comments', async () => {
    const own = '{\n  "inputs": [\n    // mine\n    { "id": "key", "type": "promptString" }\n  ]\n}\n'
    const { exportTo, read, textOf } = machine({ ...editors, '~/.mcp.json': own })
    await exportTo('visual-studio', { sources: ['vscode'] })
    expect(textOf('~/.mcp.json')).toContain('// mine')
    expect(await read('~/.mcp.json')).toEqual({
      inputs: [{ id: 'key', type: 'promptString' }, definitions[1]],
      servers: { a: server },
    })
  })

  test('export to a client without inputs reports each value that uses one', async () => {
    const { importFrom, exportTo } = machine(editors)
    await importFrom('vscode')
    expect((await exportTo('gemini-cli')).lost.map(({ field }) => field)).toEqual(['a.args.0', 'a.env.KEY'])
  })
})
