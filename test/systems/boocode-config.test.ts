import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toListing } from '../../src/index.ts'
import { startBoocode } from '../support/boocode.ts'
import { createPerson, pathOf, problems, servers, shortOf } from '../support/person.ts'
import { serverWithTools } from '../support/tool-host.ts'
import { outputOf } from '../support/programs/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Discovers servers with the preset boocode in a world with these files. */
async function under(files: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
  const discovery = await createPerson(files, { env }).discover({ preset: 'boocode' })
  return {
    diagnostics: discovery.diagnostics,
    problems: problems(discovery),
    files: discovery.servers.map(({ name, origin }) => `${name} ${shortOf(origin.file)}`),
    trust: [...discovery.trust.values()],
    servers: toListing(discovery).servers.map(
      ({ name, transport, command, args, env: variables, url, headers, enabled }) => ({
        name,
        ...(transport === 'stdio' ? { command, args, env: variables } : { transport, url, headers }),
        enabled,
      }),
    ),
  }
}

const everywhere = {
  '/srv/own.json': servers('named'),
  '/data/mcp.json': servers('mounted'),
  'data/mcp.json': servers('local'),
}

const context7 = {
  name: 'context7',
  transport: 'http',
  url: 'https://mcp.context7.com/mcp',
  headers: {},
  enabled: false,
}

describe('BooCode: configuration', () => {
  test('B2 C7 reads /data/mcp.json, else data/mcp.json: only the first that exists', async () => {
    expect((await under(everywhere)).files).toEqual(['mounted /data/mcp.json'])
    expect((await under({ 'data/mcp.json': servers('local') })).files).toEqual(['local data/mcp.json'])
  })

  test('B2 a broken /data/mcp.json is an error and still hides data/mcp.json', async () => {
    const found = await under({ '/data/mcp.json': '{', 'data/mcp.json': servers('a') })
    expect([found.servers, found.problems]).toEqual([[], ['error parse-error /data/mcp.json']])
  })

  test('B3 MCP_CONFIG_PATH replaces both files, even if its own file is missing', async () => {
    expect((await under(everywhere, { MCP_CONFIG_PATH: '/srv/own.json' })).files).toEqual([
      'named /srv/own.json',
    ])
    const none = await under(everywhere, { MCP_CONFIG_PATH: '/srv/none.json' })
    expect([none.servers, none.problems]).toEqual([[], []])
  })

  test('B4 without a file there are no servers and no diagnostics, even if other clients have servers', async () => {
    const found = await under({ '.mcp.json': servers('a'), '~/.claude.json': servers('b') })
    expect([found.servers, found.problems]).toEqual([[], []])
  })

  test('B4 C30 servers of the file are trusted: its presence is the opt-in', async () => {
    expect((await under({ 'data/mcp.json': servers('a') })).trust).toEqual(['trusted'])
    const named = await under({ 'conf/mcp.json': servers('a') }, { MCP_CONFIG_PATH: 'conf/mcp.json' })
    expect(named.trust).toEqual(['trusted'])
  })

  test('B5 an entry has type, url, command, args, env, headers and enabled, which defaults to true', async () => {
    const found = await under({
      '/data/mcp.json': {
        mcpServers: {
          context7: { type: 'streamableHttp', url: 'https://mcp.context7.com/mcp', enabled: false },
          codecontext: { type: 'stdio', command: 'codecontext', args: ['mcp'], env: { LOG: '${HOME}' } },
          remote: { type: 'streamableHttp', url: 'https://r.example/mcp', headers: { 'X-Kind': '!k' } },
        },
      },
    })
    expect(found.servers).toEqual([
      context7,
      { name: 'codecontext', command: 'codecontext', args: ['mcp'], env: { LOG: '${HOME}' }, enabled: true },
      {
        name: 'remote',
        transport: 'http',
        url: 'https://r.example/mcp',
        headers: { 'X-Kind': '!k' },
        enabled: true,
      },
    ])
    expect(found.problems).toEqual([])
  })

  test('B5 values are literal, so the hint for a secret is to make the file private', async () => {
    const headers = { Authorization: 'Bearer s3cret-token-value' }
    const { diagnostics } = await under({
      '/data/mcp.json': {
        mcpServers: { a: { type: 'streamableHttp', url: 'https://a.example/mcp', headers } },
      },
    })
    expect(diagnostics.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      [
        'plaintext-secret',
        'headers Authorization holds a literal secret.',
        'This client cannot reference variables: make the file readable only by you.',
      ],
    ])
  })

  test('B7 C6 transports are streamableHttp and stdio: sse is an error, and the other entries load', async () => {
    const found = await under({
      '/data/mcp.json': {
        mcpServers: {
          old: { type: 'sse', url: 'https://a.example' },
          odd: { type: 'carrier-pigeon', url: 'https://a.example' },
          fine: { type: 'stdio', command: 'run' },
        },
      },
    })
    expect(found.files).toEqual(['fine /data/mcp.json'])
    expect(found.diagnostics.map(({ message, hint, origin }) => [origin?.pointer, message, hint])).toEqual([
      ['/mcpServers/old/type', 'The transport "sse" is not supported.', 'Use one of streamableHttp, stdio.'],
      [
        '/mcpServers/odd/type',
        '"carrier-pigeon" is not a transport; it is one of streamableHttp, stdio.',
        undefined,
      ],
    ])
  })

  test('B1 initialize: a problem of an entry is logged with its file, line and name', async () => {
    await using boocode = await startBoocode({ old: { type: 'sse', url: 'https://a.example' } })
    expect(boocode.warnings).toEqual([
      `${join(boocode.home, 'data/mcp.json')}:1: "old": The transport "sse" is not supported. Use one of streamableHttp, stdio.`,
    ])
  })

  test('C27 startupTimeout of an entry sets the time its server has to start', async () => {
    const { servers: found } = await createPerson({
      'data/mcp.json': { mcpServers: { slow: { command: 'x', startupTimeout: 90_000 } } },
    }).discover({ preset: 'boocode' })
    expect(found.map(({ timeouts }) => timeouts)).toEqual([{ startupMs: 90_000 }])
  })

  test('B26 MCP_CONTEXT7_URL is a diagnostic that names the file and the entry to paste', async () => {
    const hintFor = (entry: string) => [
      {
        code: 'deprecated-key',
        severity: 'warn',
        message: 'MCP_CONTEXT7_URL is no longer used.',
        hint: `Add to ${pathOf('data/mcp.json')} under "mcpServers": ${entry}`,
        origin: { file: pathOf('data/mcp.json') },
      },
    ]
    const own = await under({}, { MCP_CONTEXT7_URL: 'https://docs.example/mcp' })
    expect([own.servers, own.diagnostics]).toEqual([
      [],
      hintFor('"context7": { "type": "streamableHttp", "url": "https://docs.example/mcp" }'),
    ])
    // A URL that may contain a secret is not shown.
    const secret = await under({}, { MCP_CONTEXT7_URL: 'https://docs.example/mcp?key=s3cret' })
    expect(secret.diagnostics).toEqual(
      hintFor('"context7": { "type": "streamableHttp", "url": "https://mcp.context7.com/mcp" }'),
    )
  })

  test('B26 MCP_CONTEXT7_API_KEY is a diagnostic with the header to paste, without the key itself', async () => {
    const env = { MCP_CONTEXT7_API_KEY: 'ctx7sk-s3cret', MCP_CONFIG_PATH: '/srv/own.json' }
    const { diagnostics } = await under(everywhere, env)
    expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      [
        'MCP_CONTEXT7_API_KEY is no longer used.',
        'Add to /srv/own.json under "mcpServers": "context7": { "type": "streamableHttp", "url": ' +
          '"https://mcp.context7.com/mcp", "headers": { "Authorization": "Bearer <YOUR_API_KEY>" } }',
      ],
    ])
  })

  test('B26 the hint is to replace an existing disabled entry, or to unset the variables if it is enabled', async () => {
    const hints = async (enabled: boolean) => {
      const entry = { type: 'streamableHttp', url: 'https://mcp.context7.com/mcp', enabled }
      const files = { '/data/mcp.json': { mcpServers: { context7: entry } } }
      return (await under(files, { MCP_CONTEXT7_URL: '', MCP_CONTEXT7_API_KEY: '' })).diagnostics
    }
    expect([...(await hints(false)), ...(await hints(true))].map(({ hint }) => hint)).toEqual([
      expect.stringMatching(/^Replace in \/data\/mcp\.json under "mcpServers": "context7": \{/),
      'The entry "context7" of /data/mcp.json is used instead: unset MCP_CONTEXT7_URL and MCP_CONTEXT7_API_KEY.',
    ])
  })

  test('B26 initialize logs the diagnostic, and the CHANGELOG has the migration', async () => {
    await using boocode = await startBoocode({}, { env: { MCP_CONTEXT7_API_KEY: 'ctx7sk-s3cret' } })
    expect(boocode.warnings).toEqual([
      expect.stringMatching(/data\/mcp\.json: MCP_CONTEXT7_API_KEY is no longer used\. Add to /),
    ])
    const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    expect(changes).toMatch(/BooCode migration: .*`MCP_CONTEXT7_URL` and `MCP_CONTEXT7_API_KEY`/)
    expect(changes).toContain('"Authorization": "Bearer <YOUR_API_KEY>"')
  })

  test('B27 the package ships data/mcp.json with Context7 disabled', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-pack-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const pack = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', folder]
    const [packed] = JSON.parse(outputOf('npm', pack, { cwd: root })) as [{ readonly filename: string }] // the output format of npm pack
    const text = outputOf('tar', ['-xzOf', join(folder, packed.filename), 'package/data/mcp.json'])
    expect((await under({ 'data/mcp.json': text })).servers).toEqual([context7])
  })

  test('C7 C9 C12 C13 an option given beside the preset overrides its rule', async () => {
    const writes = { name: 'writes', annotations: { readOnlyHint: false } }
    const options = { naming: 'double', readOnly: 'off', lifecycle: 'lazy', maxResultBytes: 20 } as const
    await using boocode = await startBoocode({ a: serverWithTools([writes]) }, options)
    expect(boocode.ALL_TOOLS.map(({ name }) => name)).toEqual(['a__writes'])
    expect(boocode.READ_ONLY_TOOL_NAMES).toEqual([])
    expect(await boocode.run('a__writes')).toContain('the limit is 20.]')
  })
})
