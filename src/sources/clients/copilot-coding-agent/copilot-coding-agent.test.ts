import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'
import { discover } from '../../../config/discover.ts'
import { memoryFiles } from '../../../testing/memory-files.ts'

const config = '/elsewhere/repository-settings.json'
const settings = (mcpServers: object) =>
  read('copilot-coding-agent', { [config]: { mcpServers } }, { config })

function agentFile(...lines: readonly string[]): string {
  return ['---', ...lines, '---', 'Do the work.', ''].join('\n')
}

describe('Copilot coding agent: repository settings', () => {
  test('only names with the prefix COPILOT_MCP_ and the entry’s own env are available', async () => {
    const { names, problems } = await settings({
      a: {
        type: 'local',
        command: 'a',
        args: ['--host=$HOST', '${HOME}/x', '${MODE:-fast}'],
        tools: ['t'],
        env: {
          SELF: '$SELF',
          HOST: 'h',
          KEY: '$COPILOT_MCP_KEY',
          OTHER: '${{ secrets.OTHER }}',
          OK: '${{ vars.COPILOT_MCP_V }}',
        },
      },
    })
    expect(names).toEqual(['a'])
    expect(problems).toEqual([
      'error missing-env /mcpServers/a/args/1',
      'error missing-env /mcpServers/a/env/OTHER',
      'error missing-env /mcpServers/a/env/SELF',
    ])
  })

  test('values are never resolved', async () => {
    const { servers, problems } = await read(
      'copilot-coding-agent',
      {
        [config]: {
          mcpServers: { a: { type: 'local', command: '$COPILOT_MCP_BIN', args: [], tools: ['t'] } },
        },
      },
      { config, env: { COPILOT_MCP_BIN: '/bin/a' } },
    )
    expect(servers['a']).toMatchObject({ command: '$COPILOT_MCP_BIN' })
    expect(servers['a']).not.toHaveProperty('resolved')
    expect(problems).toEqual([])
  })

  test('the name of a secret is not reported as a literal secret', async () => {
    const { problems } = await settings({
      a: {
        type: 'local',
        command: 'a',
        tools: ['t'],
        env: { API_TOKEN: 'COPILOT_MCP_TOKEN', PASSWORD: 'hunter2' },
      },
    })
    expect(problems).toEqual(['warn plaintext-secret /mcpServers/a/env/PASSWORD'])
  })

  test('tools are required; "*" is reported if the entry is usable', async () => {
    const { names, problems } = await settings({
      none: { type: 'http', url: 'https://a.example/mcp' },
      empty: { type: 'http', url: 'https://a.example/mcp', tools: [] },
      all: { type: 'http', url: 'https://a.example/mcp', tools: ['*'] },
      broken: { type: 'http', url: 'https://a.example/$PATH', tools: ['*'] },
    })
    expect(names).toEqual(['none', 'empty', 'all', 'broken'])
    expect(problems).toEqual([
      'error missing-env /mcpServers/broken/url',
      'error missing-key /mcpServers/none',
      'warn no-approval /mcpServers/all/tools',
      'warn no-tools /mcpServers/empty/tools',
    ])
  })

  test('a url without a type is reported, and four types are accepted', async () => {
    const { servers, names, problems } = await settings({
      untyped: { url: 'https://a.example/mcp', tools: ['t'] },
      stream: { type: 'streamable-http', url: 'https://a.example/mcp', tools: ['t'] },
      stdio: { type: 'stdio', command: 'a', tools: ['t'], cwd: '/srv' },
    })
    expect(names).toEqual(['untyped', 'stdio'])
    expect(servers['untyped']).toMatchObject({ transport: 'http' })
    expect(servers['stdio']).toMatchObject({ cwd: null })
    expect(problems).toEqual([
      'error unknown-transport /mcpServers/stream/type',
      'warn missing-type /mcpServers/untyped',
      'warn unknown-key /mcpServers/stdio/cwd',
    ])
  })
})

describe('Copilot coding agent: agent files', () => {
  test('a server belongs to its agent and hides no other server', async () => {
    const board = (command: string) => [
      'mcp-servers:',
      '  board:',
      '    type: local',
      `    command: ${command}`,
      '    tools: ["*"]',
    ]
    const { names, diagnostics, shadowed } = await read('copilot-coding-agent', {
      '.github/agents/triage.agent.md': agentFile('name: triage', ...board('one')),
      '.github/agents/release.md': agentFile('description: no name', ...board('two')),
    })
    expect(names).toEqual(['board', 'board'])
    expect(shadowed).toEqual([])
    expect(diagnostics).toEqual([])
  })

  test('the agent is named by its name key, or by its file', async () => {
    const entry = ['mcp-servers:', '  s:', '    type: local', '    command: s', '    tools: [t]']
    const files = memoryFiles({
      [`${project}/.github/agents/a.agent.md`]: agentFile('name: named', ...entry),
      [`${project}/.github/agents/b.agent.md`]: agentFile(...entry),
      [`${project}/.github/agents/c.md`]: agentFile(...entry),
    })
    const platform = { os: 'linux', home, cwd: project, env: {}, systemRoot: '/', files } as const
    const { servers } = await discover({ platform, sources: ['copilot-coding-agent'] })
    expect(servers.map(({ agent, origin }) => [agent, origin.scope, origin.line])).toEqual([
      ['named', 'agent:named', 4],
      ['b', 'agent:b', 3],
      ['c', 'agent:c', 3],
    ])
  })

  test('a problem has the line number of the whole file', async () => {
    const { diagnostics } = await read('copilot-coding-agent', {
      '.github/agents/a.md': agentFile(
        'mcp-servers:',
        '  s:',
        '    command: s',
        '    tools: [t]',
        '    cwd: /x',
      ),
    })
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([['unknown-key', 6]])
  })

  test('a file without servers is accepted, broken front matter is reported', async () => {
    const { names, problems } = await read('copilot-coding-agent', {
      '.github/agents/plain.md': '# An agent without front matter\n',
      '.github/agents/quiet.md': agentFile('name: quiet'),
      '.github/agents/broken.md': agentFile('name: [broken', 'mcp-servers: {}'),
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error parse-error'])
  })
})
