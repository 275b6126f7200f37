import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'

describe('edits change the declaration in force', () => {
  test('O16 disable and remove skip an unusable entry that hides nothing', async () => {
    using machine = createMachine({
      '.mcp.json': { mcpServers: { k: { command: 5 } } },
      'mcp.json': { mcpServers: { k: { command: 'plain' } } },
    })
    const broken = machine.read('.mcp.json')
    expect((await machine.run('disable', 'k')).stdout).toBe('k: disabled in mcp.json\n')
    expect((await machine.run('rm', 'k')).stdout).toBe('k: removed in mcp.json\n')
    expect(machine.read('.mcp.json')).toBe(broken)
    expect((await machine.run('rm', 'k')).stdout).toBe('k: removed in .mcp.json\n')
  })

  test('O16 a local entry of Claude Code is removed in its file, and the team’s entry stays', async () => {
    using machine = createMachine({ '.mcp.json': { mcpServers: { shared: { command: 'team' } } } })
    machine.write('~/.claude.json', {
      projects: { [machine.project]: { mcpServers: { shared: { command: 'mine' } } } },
    })
    const team = machine.read('.mcp.json')
    const { stdout, stderr } = await machine.run('rm', 'shared', '--source', 'claude-code')
    expect(stdout).toBe('shared: removed in ~/.claude.json\n')
    expect(stderr).toBe('"shared" is now the one declared in .mcp.json:3.\n')
    expect(machine.read('.mcp.json')).toBe(team)
    expect(JSON.parse(machine.read('~/.claude.json'))).toEqual({
      projects: { [machine.project]: { mcpServers: {} } },
    })
  })

  test('O16 remove: a server that only its owner can write is not looked for elsewhere', async () => {
    using machine = createMachine({
      '.mcp.json': { mcpServers: { other: { command: 'team' } } },
      '~/.claude/plugins/cache/acme/deploy/1.0.0/.mcp.json': { mcpServers: { plug: { command: 'plug' } } },
    })
    const { code, stderr } = await machine.run('rm', 'plug', '--source', 'claude-code')
    expect(code).toBe(1)
    expect(stderr).toMatch(/Claude Code/)
  })
})

test('T35 --dry-run shows no secrets, in text or JSON', async () => {
  using machine = createMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: { old: { command: 'x', env: { API_TOKEN: 'canary-secret-value' } } },
    },
  })
  const { stdout } = await machine.run('add', 'b', '--dry-run', '--json', '--', 'y')
  expect(stdout).not.toContain('canary-secret-value')
  expect(JSON.parse(stdout)).toMatchObject({ name: 'b', dryRun: true })
})

test('FI-74 trust reports what is wrong with a damaged trust store', async () => {
  using machine = createMachine({
    '.mcp.json': { mcpServers: { a: { command: 'a' } } },
    '~/.local/state/plugboard/trust.json': '{{{',
  })
  const { code, stderr } = await machine.run('trust', 'a')
  expect(code).toBe(3)
  expect(stderr).toContain('The trust store cannot be used')
})
