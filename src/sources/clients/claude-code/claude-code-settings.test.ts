import { describe, expect, test } from 'vitest'
import { project, read } from '../../../../test/support/read.ts'

const main = '~/.claude.json'

describe('Claude Code: settings of plugins', () => {
  const plugin = '~/.claude/plugins/cache/market/plug/1.0/.mcp.json'
  const isOn = async (settings: Record<string, unknown>) => {
    const files = Object.entries(settings).map(([path, word]) => [
      path,
      { enabledPlugins: { 'plug@market': word } },
    ])
    const { servers } = await read('claude-code', {
      [plugin]: { mcpServers: { tool: { command: 'tool' } } },
      ...Object.fromEntries(files),
    })
    return servers['tool']?.['enabled']
  }

  test('T01 a project can disable a plugin, but not enable one that the user disabled', async () => {
    const [own, projects] = ['~/.claude/settings.json', '.claude/settings.json']
    expect(await isOn({})).toBe(true)
    expect(await isOn({ [own]: false, [projects]: true })).toBe(false)
    expect(await isOn({ [own]: true, [projects]: false })).toBe(false)
    expect(await isOn({ '/etc/claude-code/managed-settings.json': true, [projects]: false })).toBe(true)
  })
})

describe('Claude Code: approval of project servers', () => {
  const texts = (settings: Record<string, unknown>) => ({
    '.mcp.json': { mcpServers: { a: { command: 'a' } } },
    ...settings,
  })
  const state = async (settings: Record<string, unknown>) => {
    const { servers, problems } = await read('claude-code', texts(settings))
    const { enabled, approval, disabledBy } = servers['a'] ?? {}
    return { enabled, approval, disabledBy, problems }
  }
  const pending = {
    enabled: true,
    approval: 'pending',
    disabledBy: undefined,
    problems: ['warn untrusted-project /mcpServers/a'],
  }
  const approved = { enabled: true, approval: 'approved', disabledBy: undefined, problems: [] }
  const off = (disabledBy: string) => ({ enabled: false, approval: undefined, disabledBy, problems: [] })

  test('a project server is pending until it is approved', async () => {
    expect(await state({})).toEqual(pending)
    expect(await state({ '.claude/settings.json': { enabledMcpjsonServers: ['other'] } })).toEqual(pending)
  })

  test.each(['.claude/settings.local.json', '.claude/settings.json', '~/.claude/settings.json'])(
    '%s can approve a server by name or all servers',
    async (path) => {
      expect(await state({ [path]: { enabledMcpjsonServers: ['a'] } })).toEqual(approved)
      expect(await state({ [path]: { enableAllProjectMcpServers: true } })).toEqual(approved)
    },
  )

  test('the project’s record can approve, reject and disable a server', async () => {
    const record = (value: unknown) => ({ [main]: { projects: { [project]: value } } })
    expect(await state(record({ enabledMcpjsonServers: ['a'] }))).toEqual(approved)
    expect(await state(record({ disabledMcpjsonServers: ['a'] }))).toEqual(
      off('/home/dana/.claude.json#/projects/*/disabledMcpjsonServers'),
    )
    expect(await state(record({ disabledMcpServers: ['a'] }))).toEqual(
      off('/home/dana/.claude.json#/projects/*/disabledMcpServers'),
    )
  })

  test('a rejection wins over any approval', async () => {
    expect(
      await state({
        '.claude/settings.local.json': { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['a'] },
        '.claude/settings.json': { disabledMcpjsonServers: ['a'] },
      }),
    ).toEqual(off(`${project}/.claude/settings.json#/disabledMcpjsonServers`))
  })

  test('lists of the wrong type are reported and ignored', async () => {
    expect(await state({ '.claude/settings.json': { enabledMcpjsonServers: 'a' } })).toEqual({
      ...pending,
      problems: ['warn untrusted-project /mcpServers/a', 'warn wrong-type /enabledMcpjsonServers'],
    })
  })

  test('the lists do not apply to the user’s servers', async () => {
    const { servers } = await read('claude-code', {
      [main]: { mcpServers: { a: { command: 'a' } } },
      '.claude/settings.json': { disabledMcpjsonServers: ['a'] },
    })
    expect(servers['a']).toMatchObject({ enabled: true })
    expect(servers['a']).not.toHaveProperty('approval')
  })
})
