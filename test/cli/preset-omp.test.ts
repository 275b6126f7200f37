import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'

async function listed(
  machine: Machine,
  env: Record<string, string> = {},
  ...more: string[]
): Promise<ListOutput> {
  const { stdout } = await machine.runWith({ env }, 'list', '--preset', 'omp', '--json', ...more)
  return JSON.parse(stdout) as ListOutput
}

const commands = ({ servers }: ListOutput) => servers.map(({ name, command }) => `${name} ${String(command)}`)
const codes = ({ diagnostics }: ListOutput, severity: string) =>
  diagnostics
    .filter((found) => found.severity === severity)
    .map(({ code, server }) => `${code} ${String(server)}`)
const one = (command: string) => ({ mcpServers: { same: { command } } })

describe.concurrent('--preset omp', () => {
  test('O6 O7 the files in their order; one name wins, nothing is merged, the rest is shadowed', async () => {
    const files = {
      '.omp/mcp.json': one('project'),
      '~/.omp/mcp.json': one('user'),
      '.claude/mcp.json': one('claude'),
      '.cursor/mcp.json': one('cursor'),
      '.vscode/mcp.json': { servers: { same: { command: 'vscode' } } },
      'mcp.json': one('root'),
      '.mcp.json': one('dot-root'),
    }
    using machine = createMachine(files)
    const found = await listed(machine)
    expect(commands(found)).toEqual(['same project'])
    expect(found.shadowed.map(({ file }) => String(file).slice(machine.home.length + 1))).toEqual([
      '.omp/mcp.json',
      'shop/.claude/mcp.json',
      'shop/.cursor/mcp.json',
      'shop/.vscode/mcp.json',
      'shop/mcp.json',
      'shop/.mcp.json',
    ])
    const { stdout } = await machine.run('why', 'same', '--preset', 'omp')
    expect(stdout).toContain('Of 7 declarations, this one is in force')
    expect(stdout.match(/^hidden by \.omp\/mcp\.json:3$/gm)).toHaveLength(6)
  })

  test('O1 an invalid or disabled winner still shadows, and why says so', async () => {
    using machine = createMachine({
      '.omp/mcp.json': {
        mcpServers: {
          bad: { command: 'x', url: 'https://a.example.com' },
          off: { command: 'x', enabled: false },
        },
      },
      '~/.omp/mcp.json': { mcpServers: { bad: { command: 'good' }, off: { command: 'good' } } },
    })
    const found = await listed(machine)
    expect(found.servers.map(({ name, enabled }) => `${name} ${String(enabled)}`)).toEqual(['off false'])
    expect(found.shadowed.map(({ name }) => name)).toEqual(['bad', 'off'])
    expect((await machine.run('why', 'bad', '--preset', 'omp')).stdout).toContain(
      'The declaration that claims this name cannot be used, and it still hides the others.',
    )
  })

  test('O2 O5 O8 transport types, and the default when type is omitted', async () => {
    using machine = createMachine({
      '.omp/mcp.json': {
        mcpServers: {
          program: { command: 'x', args: ['a'], env: { A: '1' }, cwd: '.', timeout: 1000 },
          http: { type: 'http', url: 'https://a.example.com', headers: { A: '1' } },
          old: { type: 'sse', url: 'https://a.example.com' },
          untyped: { url: 'https://a.example.com' },
        },
      },
    })
    const { servers } = await listed(machine)
    expect(servers.map(({ name, transport }) => `${name} ${String(transport)}`)).toEqual([
      'program stdio',
      'http http',
      'old sse',
      'untyped http',
    ])
    expect(servers[0]).toMatchObject({ args: ['a'], env: { A: '1' }, cwd: '.', timeoutMs: 1000 })
  })

  test('O3 invalid entries are rejected with their codes', async () => {
    using machine = createMachine({
      '.omp/mcp.json': {
        mcpServers: {
          both: { command: 'x', url: 'https://a.example.com' },
          neither: {},
          noCommand: { type: 'stdio' },
          noUrl: { type: 'http' },
          pigeon: { type: 'pigeon', url: 'https://a.example.com' },
          good: { command: 'x' },
        },
      },
    })
    const found = await listed(machine)
    expect(commands(found)).toEqual(['good x'])
    expect(codes(found, 'error')).toEqual([
      'command-and-url both',
      'missing-endpoint neither',
      'missing-endpoint noCommand',
      'missing-endpoint noUrl',
      'unknown-transport pigeon',
    ])
  })

  test('O9 ${VAR} and ${VAR:-default}; an unset variable stays as written', async () => {
    using machine = createMachine({
      '~/.omp/mcp.json': {
        mcpServers: {
          a: { command: '${TOOL}', args: ['${MODE:-fast}'] },
          b: { command: 'x', args: ['${NOWHERE}'] },
        },
      },
    })
    const { servers, diagnostics } = await listed(machine, { TOOL: 'tool-mcp' }, '--resolved')
    expect(servers[0]).toMatchObject({
      command: '${TOOL}',
      resolved: { command: 'tool-mcp', args: ['fast'] },
    })
    expect(diagnostics.map(({ code, server }) => `${code} ${String(server)}`)).toContain('missing-env b')
  })

  test('O10 an invalid enabled or timeout is a warning', async () => {
    using machine = createMachine({
      '.omp/mcp.json': {
        mcpServers: { a: { command: 'x', enabled: 'yes', timeout: 'soon' }, b: { command: 'y' } },
      },
    })
    const found = await listed(machine)
    expect(commands(found)).toEqual(['a x', 'b y'])
    expect(codes(found, 'error')).toEqual([])
    expect(codes(found, 'warn')).toEqual(expect.arrayContaining(['wrong-type a']))
  })

  test('O4 O16 add and disable write to omp’s own file', async () => {
    using machine = createMachine()
    expect((await machine.run('add', 'mine', '--preset', 'omp', '--', 'mine-mcp')).code).toBe(0)
    const { servers } = await listed(machine)
    expect(servers).toMatchObject([{ source: { file: expect.stringContaining('/.omp/') as string } }])
    expect((await machine.run('disable', 'mine', '--preset', 'omp')).code).toBe(0)
    expect((await listed(machine)).servers[0]).toMatchObject({ enabled: false })
    expect((await machine.run('rm', 'mine', '--preset', 'omp')).code).toBe(0)
    expect((await machine.run('add', 'bad name', '--preset', 'omp', '--', 'x')).stderr).toMatch(
      /^Invalid server config: /,
    )
  })

  test('O21 a broken file is a diagnostic when read, and an error when written', async () => {
    using machine = createMachine({ '~/.omp/agent/mcp.json': '{ broken', '.omp/mcp.json': one('good') })
    expect(codes(await listed(machine), 'error')).toEqual(['parse-error undefined'])
    expect((await machine.run('add', 'more', '--preset', 'omp', '--', 'x')).code).toBe(1)
    expect(machine.read('~/.omp/agent/mcp.json')).toBe('{ broken')
  })
})
