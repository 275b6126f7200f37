import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createMachine, parseDocument } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'
import { outputOf } from '../support/programs/program.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

async function listed(
  machine: Machine,
  preset: string,
  env: Record<string, string> = {},
): Promise<ListOutput> {
  const { stdout } = await machine.runWith({ env }, 'list', '--preset', preset, '--json')
  return parseDocument(stdout) as ListOutput
}

const short = ({ servers }: ListOutput) =>
  servers.map(({ name, transport, enabled }) => `${name} ${String(transport)} ${String(enabled)}`)
const codes = ({ diagnostics }: ListOutput) =>
  diagnostics.map(({ severity, code, server }) => [severity, code, server].filter(Boolean).join(' '))

describe.concurrent('--preset boocode', () => {
  const entries = {
    context7: {
      type: 'streamableHttp',
      url: 'https://mcp.context7.com/mcp',
      headers: { 'X-Key': '${NOT_EXPANDED}' },
    },
    files: { type: 'stdio', command: 'files-mcp', args: ['.'], env: { A: '1' } },
    off: { type: 'stdio', command: 'off-mcp', enabled: false },
  }

  test('B2 B5 B7 data/mcp.json with mcpServers, streamableHttp and stdio; no trust needed', async () => {
    using machine = createMachine({
      'data/mcp.json': { mcpServers: entries },
      '.mcp.json': { mcpServers: { other: { command: 'x' } } },
    })
    const found = await listed(machine, 'boocode', { NOT_EXPANDED: 'secret' })
    expect(short(found)).toEqual(['context7 http true', 'files stdio true', 'off stdio false'])
    expect(found.servers.map(({ trust }) => trust)).toEqual(['trusted', 'trusted', 'trusted'])
    expect(found.servers[0]?.['headers']).toEqual({ 'X-Key': '${NOT_EXPANDED}' })
  })

  test('B3 MCP_CONFIG_PATH names another file', async () => {
    using machine = createMachine({
      'data/mcp.json': { mcpServers: entries },
      'conf/servers.json': { mcpServers: { named: { command: 'x', type: 'stdio' } } },
    })
    expect(short(await listed(machine, 'boocode', { MCP_CONFIG_PATH: 'conf/servers.json' }))).toEqual([
      'named stdio true',
    ])
    expect(
      short(await listed(machine, 'boocode', { MCP_CONFIG_PATH: machine.path('conf/servers.json') })),
    ).toEqual(['named stdio true'])
    expect(short(await listed(machine, 'boocode', { MCP_CONFIG_PATH: 'missing.json' }))).toEqual([])
  })

  test('B4 without a file: no servers and no error', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { other: { command: 'x' } } } })
    const { acceptance: _, ...found } = { acceptance: undefined, ...(await listed(machine, 'boocode')) }
    expect(found).toEqual({ servers: [], shadowed: [], diagnostics: [] })
  })

  test('B7 SSE is rejected with its place, the rest loads', async () => {
    using machine = createMachine({
      'data/mcp.json': {
        mcpServers: { old: { type: 'sse', url: 'https://a.example.com' }, files: entries.files },
      },
    })
    const found = await listed(machine, 'boocode')
    expect(short(found)).toEqual(['files stdio true'])
    expect(codes(found)).toEqual(['error unsupported-transport old'])
    expect(found.diagnostics[0]).toMatchObject({ file: machine.path('data/mcp.json'), line: 4 })
  })

  test('B26 the old variables: the warning has the entry to paste', async () => {
    using machine = createMachine({ 'data/mcp.json': { mcpServers: {} } })
    const { stderr } = await machine.runWith(
      { env: { MCP_CONTEXT7_URL: 'https://x.example.com' } },
      'list',
      '--preset',
      'boocode',
    )
    expect(stderr).toContain('MCP_CONTEXT7_URL is no longer used. Add to')
  })

  test('B27 the package ships data/mcp.json with Context7, disabled', async () => {
    const packed = outputOf('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
    const [{ files }] = JSON.parse(packed) as [{ files: readonly { path: string }[] }]
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['data/mcp.json', 'dist/cli/plugboard.cjs', 'README.md', 'LICENSE']),
    )
    expect(files.filter(({ path }) => /^(src|test|bench|scripts|\.)/.test(path))).toEqual([])
    using machine = createMachine({ 'data/mcp.json': readFileSync(`${root}/data/mcp.json`, 'utf8') })
    expect(short(await listed(machine, 'boocode'))).toEqual(['context7 http false'])
  })

  test('edits are written to its file', async () => {
    using machine = createMachine({ 'data/mcp.json': { mcpServers: entries } })
    await machine.run('enable', 'off', '--preset', 'boocode')
    await machine.run('add', 'more', '--preset', 'boocode', '--url', 'https://more.example.com')
    const { mcpServers } = JSON.parse(machine.read('data/mcp.json')) as {
      mcpServers: Record<string, unknown>
    }
    expect(mcpServers['off']).toEqual({ type: 'stdio', command: 'off-mcp', enabled: true })
    expect(mcpServers['more']).toMatchObject({ type: 'streamableHttp', url: 'https://more.example.com' })
    expect(machine.has('~/.config/plugboard/mcp.json')).toBe(false)
  })
})

describe.concurrent('--preset dispatch', () => {
  const own = {
    servers: {
      queue: { command: 'queue-mcp', args: ['-v'], env: { A: '1' } },
      web: { transport: 'http', url: 'https://a.example.com', headers: { X: '1' } },
      off: { command: 'off', disabled: true },
    },
  }
  const fallback = { mcp: { fromOpencode: { command: 'oc-mcp' } } }

  test('D8 D11 D12 D13 .dispatch/mcp.json with servers: stdio, http, disabled', async () => {
    using machine = createMachine({ '.dispatch/mcp.json': own })
    const found = await listed(machine, 'dispatch')
    expect(short(found)).toEqual(['queue stdio true', 'web http true', 'off stdio false'])
    expect(found.servers[0]).toMatchObject({
      command: 'queue-mcp',
      args: ['-v'],
      env: { A: '1' },
      trust: 'pending',
    })
    expect(found.servers[1]).toMatchObject({ url: 'https://a.example.com', headers: { X: '1' } })
  })

  test('D9 opencode.json is the fallback', async () => {
    using machine = createMachine({ 'opencode.json': fallback })
    expect(short(await listed(machine, 'dispatch'))).toEqual(['fromOpencode stdio true'])
  })

  test('D10 the first file wins as a whole, with a warning', async () => {
    using machine = createMachine({ '.dispatch/mcp.json': own, 'opencode.json': fallback })
    const found = await listed(machine, 'dispatch')
    expect(short(found)).toHaveLength(3)
    expect(codes(found)).toEqual(['warn shadowed'])
  })

  test.each([
    ['{ "servers": ', 'error parse-error'],
    ['{ "servers": {} }', 'warn shadowed'],
  ])('D10 %s does not fall through', async (text, code) => {
    using machine = createMachine({ '.dispatch/mcp.json': text, 'opencode.json': fallback })
    const found = await listed(machine, 'dispatch')
    expect(short(found)).toEqual([])
    expect(codes(found)).toContain(code)
  })

  test('D5 each working directory has its own file; no other is read', async () => {
    using machine = createMachine({
      '.dispatch/mcp.json': own,
      'sub/.dispatch/mcp.json': { servers: { only: { command: 'x' } } },
      'empty/x': '',
    })
    const at = async (cwd: string) =>
      JSON.parse(
        (await machine.run('list', '--preset', 'dispatch', '--cwd', cwd, '--json')).stdout,
      ) as ListOutput
    expect(short(await at('sub'))).toEqual(['only stdio true'])
    expect(short(await at('empty'))).toEqual([])
    expect(short(await at('.'))).toHaveLength(3)
  })
})

describe('plugboard presets', () => {
  test('prints the whole table of one system, with ids, names and notes', async () => {
    using machine = createMachine({})
    const { stdout } = await machine.run('presets', 'dispatch')
    expect(stdout).toMatch(/^dispatch \(Dispatch\)\n/)
    expect(stdout).toMatch(/^names +<serverId>__<toolName> +D16, L7, C9$/m)
    expect(stdout).toMatch(/^D31 +the files of its module/m)
  })

  test('prints all systems as JSON', async () => {
    using machine = createMachine({})
    const { stdout } = await machine.run('presets', '--json')
    const { presets: told } = parseDocument(stdout) as {
      readonly presets: readonly { readonly name: string; readonly rows: readonly unknown[] }[]
    }
    expect(told.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['default', 18],
      ['boocode', 18],
      ['dispatch', 18],
      ['omp', 18],
    ])
  })

  test('an unknown preset: lists the known ones', async () => {
    using machine = createMachine({})
    const { stderr, code } = await machine.run('presets', 'other')
    expect(code).toBe(2)
    expect(stderr).toContain('use one of default, boocode, dispatch, omp')
  })
})
