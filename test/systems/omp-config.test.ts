import { describe, expect, test } from 'vitest'
import { loadAllMCPConfigs, validateServerConfig } from '../../src/adapters/omp.ts'
import type { MCPConfigOptions, MCPServerConfig } from '../../src/adapters/omp.ts'
import type { Diagnostic } from '../../src/index.ts'
import { ompMachine, projectFile, userFile, withServers } from './omp-support.ts'
import type { OmpMachine } from './omp-support.ts'

async function load({ project, platform }: OmpMachine, options: MCPConfigOptions = {}) {
  const diagnostics: Diagnostic[] = []
  const loaded = await loadAllMCPConfigs(project, {
    platform,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  const reported = diagnostics.map(({ severity, code, server }) =>
    `${severity} ${code} ${server ?? ''}`.trim(),
  )
  return { ...loaded, reported }
}

const one = (command: string) => ({ mcpServers: { same: { command } } })
const entry = (config: object) => config as MCPServerConfig // may be invalid on purpose

describe('omp: configuration', () => {
  test('O1 the highest rank claims a name, then entries are validated, then disabled ones are dropped', async () => {
    const machine = ompMachine({
      [projectFile]: {
        mcpServers: {
          bad: { command: 'x', url: 'https://a.example.com' },
          off: { command: 'x', enabled: false },
          good: { command: 'project' },
        },
      },
      [userFile]: {
        mcpServers: {
          bad: { command: 'low' },
          off: { command: 'low' },
          good: { command: 'low' },
          own: { command: 'own' },
        },
      },
    })
    const { configs, sources, reported } = await load(machine)
    expect(configs).toEqual({
      good: { type: 'stdio', command: 'project' },
      own: { type: 'stdio', command: 'own' },
    })
    expect(sources).toEqual({
      good: { provider: 'native', providerName: 'OMP', level: 'project', path: machine.path(projectFile) },
      own: { provider: 'native', providerName: 'OMP', level: 'user', path: machine.path(userFile) },
    })
    expect(reported).toEqual(expect.arrayContaining(['error command-and-url bad', 'info shadowed off']))
    const why = await machine.run('why', 'off', '--preset', 'omp')
    expect(why.stdout).toContain('hidden by .omp/mcp.json')
  })

  test('O2 loadAllMCPConfigs: reads the three types with their own and the shared fields', async () => {
    const auth = { type: 'oauth', credentialId: 'c1' }
    const program = {
      command: 'x',
      args: ['a'],
      env: { A: '1' },
      cwd: '.',
      timeout: 1000,
      enabled: true,
      auth,
    }
    const remote = { url: 'https://a.example.com/mcp', headers: { 'X-A': '1' }, timeout: 0, auth }
    const { configs } = await load(
      withServers({
        program: { type: 'stdio', ...program },
        http: { type: 'http', ...remote },
        old: { type: 'sse', ...remote },
        more: { command: 'x', instructions: false, requestIdFormat: 'string' },
      }),
    )
    expect(configs).toEqual({
      program: { type: 'stdio', ...program },
      http: { type: 'http', ...remote },
      old: { type: 'sse', ...remote },
      more: { type: 'stdio', command: 'x', instructions: false, requestIdFormat: 'string' },
    })
  })

  test('O3 validateServerConfig: reports structural problems only', () => {
    expect(validateServerConfig('x', { command: 'x' })).toEqual([])
    expect(validateServerConfig('x', { type: 'http', url: 'https://nobody.invalid/mcp' })).toEqual([])
    expect(validateServerConfig('x', { type: 'sse', url: 'not even an address' })).toEqual([])
    expect(validateServerConfig('x', entry({ command: 'x', url: 'https://a.example.com' }))).toEqual([
      'Server "x" has both "command" and "url"; keep one',
    ])
    expect(validateServerConfig('x', entry({ type: 'stdio' }))).toEqual([
      'Server "x": stdio requires "command"',
    ])
    expect(validateServerConfig('x', entry({ type: 'http' }))).toEqual(['Server "x": http requires "url"'])
    expect(validateServerConfig('x', entry({ type: 'sse', url: ' ' }))).toEqual([
      'Server "x": sse requires "url"',
    ])
    expect(validateServerConfig('x', entry({ type: 'ws', url: 'wss://a' }))).toEqual([
      'Server "x" has an unknown type "ws"; use stdio, http or sse',
    ])
    expect(validateServerConfig('x', entry([]))).toEqual(['Server "x" is not an object'])
  })

  test('O6 O7 files are read in their order; the first declaration of a name is used, entries are not merged', async () => {
    const files = {
      [projectFile]: one('project'),
      [userFile]: one('user'),
      '.claude/mcp.json': one('claude'),
      '.cursor/mcp.json': one('cursor'),
      '.vscode/mcp.json': { servers: { same: { command: 'vscode' } } },
      'mcp.json': one('root'),
      '.mcp.json': { mcpServers: { same: { command: 'dot', args: ['never merged'] } } },
    }
    const order: [unknown, string][] = []
    for (const [index] of Object.entries(files).entries()) {
      const { configs, sources } = await load(
        ompMachine(Object.fromEntries(Object.entries(files).slice(index))),
      )
      order.push([configs['same'], `${sources['same']?.providerName} ${sources['same']?.level}`])
    }
    expect(order).toEqual([
      [{ type: 'stdio', command: 'project' }, 'OMP project'],
      [{ type: 'stdio', command: 'user' }, 'OMP user'],
      [{ type: 'stdio', command: 'claude' }, 'Claude Code project'],
      [{ type: 'stdio', command: 'cursor' }, 'Cursor project'],
      [{ type: 'stdio', command: 'vscode' }, 'VS Code project'],
      [{ type: 'stdio', command: 'root' }, 'MCP JSON project'],
      [{ type: 'stdio', command: 'dot', args: ['never merged'] }, 'MCP JSON project'],
    ])
  })

  test('enableProjectConfig: false ignores the project’s files, and entries they shadowed are used', async () => {
    const machine = ompMachine({
      [projectFile]: one('project'),
      [userFile]: one('user'),
      'mcp.json': one('root'),
    })
    const { configs } = await load(machine, { enableProjectConfig: false })
    expect(configs).toEqual({ same: { type: 'stdio', command: 'user' } })
  })

  test('O8 C5 an omitted type is inferred from command or url; with strictType it means stdio, and the error says what to set', async () => {
    const machine = withServers({ program: { command: 'x' }, remote: { url: 'https://a.example.com/mcp' } })
    expect((await load(machine)).configs).toEqual({
      program: { type: 'stdio', command: 'x' },
      remote: { type: 'http', url: 'https://a.example.com/mcp' },
    })
    const strict = await load(machine, { strictType: true })
    expect([Object.keys(strict.configs), strict.reported]).toEqual([
      ['program'],
      ['error missing-endpoint remote'],
    ])
    expect(validateServerConfig('remote', entry({ url: 'https://a.example.com/mcp' }))).toEqual([
      'Server "remote": stdio requires "command"; without "type" it is stdio: set "type": "http"',
    ])
  })

  test('O9 ${VAR} and ${VAR:-default} are expanded in every string; an unset variable stays literal', async () => {
    const servers = {
      a: {
        command: '${TOOL}',
        args: ['${MODE:-fast}', '${EMPTY:-full}', '${NOWHERE}', '$TOOL'],
        env: { A: 'x${TOOL}y' },
      },
    }
    const env = { TOOL: 'tool-mcp', EMPTY: '' }
    const filled = {
      command: 'tool-mcp',
      args: ['fast', 'full', '${NOWHERE}', '$TOOL'],
      env: { A: 'xtool-mcpy' },
    }
    const { configs, reported } = await load(withServers(servers, env))
    expect(configs).toEqual({ a: { type: 'stdio', ...filled } })
    expect(reported).toContain('warn missing-env a')
    const project = ompMachine({ [projectFile]: { mcpServers: servers } }, env)
    expect((await load(project)).configs).toEqual({ a: { type: 'stdio', ...servers.a } })
    expect((await load(project, { trust: 'project' })).configs).toEqual({ a: { type: 'stdio', ...filled } })
  })

  test('O10 an invalid enabled or timeout is a warning and is ignored', async () => {
    const { configs, reported } = await load(
      withServers({
        a: { command: 'x', enabled: 'no', timeout: 'soon' },
        b: { command: 'y', timeout: -5 },
        c: { command: 'z' },
      }),
    )
    expect(configs).toEqual({
      a: { type: 'stdio', command: 'x' },
      b: { type: 'stdio', command: 'y' },
      c: { type: 'stdio', command: 'z' },
    })
    expect(reported).toEqual(['warn wrong-type a', 'warn wrong-type a', 'warn out-of-range b'])
  })

  test('O21 a file that is not JSON is a diagnostic, and the other files are used', async () => {
    const machine = ompMachine({ [userFile]: '{ broken', [projectFile]: one('good') })
    const { configs, reported } = await load(machine)
    expect(configs).toEqual({ same: { type: 'stdio', command: 'good' } })
    expect(reported).toEqual(['error parse-error'])
  })

  test('O22 breaking a rule for authors is a diagnostic', async () => {
    const machine = ompMachine({
      [projectFile]: { mcpServers: { twice: { command: 'x' } } },
      [userFile]: {
        mcpServers: {
          twice: { command: 'y' },
          untyped: { url: 'https://a.example.com/mcp' },
          off: { command: 'x', enabled: false },
          secret: { command: 'x', env: { TOKEN: '!print-token' } },
        },
      },
    })
    const { configs, reported } = await load(machine, { strictType: true })
    expect(Object.keys(configs)).toEqual(['twice', 'secret'])
    expect(reported).toEqual(
      expect.arrayContaining([
        'info shadowed twice',
        'error missing-endpoint untyped',
        'warn runs-command secret',
      ]),
    )
  })
})
