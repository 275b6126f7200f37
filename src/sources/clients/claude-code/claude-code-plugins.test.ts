import { describe, expect, test } from 'vitest'
import { project, read } from '../../../../test/support/read.ts'

const main = '~/.claude.json'

describe('Claude Code: plugins', () => {
  const root = '~/.claude/plugins/cache/acme/deploy/1.2.0'

  test('placeholders resolve to the plugin’s folders and the project', async () => {
    const { servers, problems } = await read('claude-code', {
      [`${root}/.mcp.json`]: {
        tool: {
          command: '${CLAUDE_PLUGIN_ROOT}/bin/x',
          args: ['${CLAUDE_PLUGIN_DATA}', '${CLAUDE_PROJECT_DIR}'],
        },
      },
    })
    const folder = '/home/dana/.claude/plugins'
    expect(servers['tool']?.['resolved']).toEqual({
      command: `${folder}/cache/acme/deploy/1.2.0/bin/x`,
      args: [`${folder}/data/deploy-acme`, project],
    })
    expect(problems).toEqual(['info bare-root'])
  })

  test('user_config values are reported as inputs, because only Claude Code knows them', async () => {
    const { servers, problems } = await read('claude-code', {
      [`${root}/.claude-plugin/plugin.json`]: {
        name: 'deploy',
        mcpServers: { tool: { command: 'x', env: { REGION: '${user_config.region}' } } },
      },
    })
    expect(servers['tool']).not.toHaveProperty('resolved')
    expect(problems).toEqual(['warn needs-input /mcpServers/tool/env/REGION'])
  })

  test('a manifest may name .mcp.json; other files are reported as not read', async () => {
    const { names, problems } = await read('claude-code', {
      [`${root}/.mcp.json`]: { mcpServers: { tool: { command: 'x' } } },
      [`${root}/.claude-plugin/plugin.json`]: { mcpServers: ['./.mcp.json', './more.json'] },
    })
    expect(names).toEqual(['tool'])
    expect(problems).toEqual(['warn reads-file /mcpServers'])
  })

  test('the newest version of a plugin wins', async () => {
    const server = (command: string) => ({ mcpServers: { tool: { command } } })
    const { servers } = await read('claude-code', {
      '~/.claude/plugins/cache/acme/deploy/1.9.0/.mcp.json': server('old'),
      '~/.claude/plugins/cache/acme/deploy/1.10.0/.mcp.json': server('new'),
    })
    expect(servers['tool']).toMatchObject({ command: 'new' })
  })

  test('a disabled plugin disables its servers, and a single server can be disabled', async () => {
    const texts = { [`${root}/.mcp.json`]: { mcpServers: { tool: { command: 'x' } } } }
    const off = await read('claude-code', {
      ...texts,
      '~/.claude/settings.json': { enabledPlugins: { 'deploy@acme': false } },
    })
    expect(off.servers['tool']).toMatchObject({
      enabled: false,
      disabledBy: '/home/dana/.claude/settings.json#/enabledPlugins/deploy@acme',
    })
    const one = await read('claude-code', {
      ...texts,
      [main]: { projects: { [project]: { disabledMcpServers: ['plugin:deploy:tool'] } } },
    })
    expect(one.servers['tool']).toMatchObject({ enabled: false })
  })
})
