import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const managed = '/etc/claude-code/managed-settings.json'
const exclusive = '/etc/claude-code/managed-mcp.json'
const main = '~/.claude.json'
const remote = (url: string) => ({ type: 'http', url })

async function underPolicy(policy: unknown, mcpServers: unknown, more: Record<string, unknown> = {}) {
  const { names, problems } = await read('claude-code', {
    [managed]: policy,
    [main]: { mcpServers },
    ...more,
  })
  return { names, problems }
}

describe('Claude Code: allow and deny lists', () => {
  test('a server is denied by name, url or full command', async () => {
    expect(
      await underPolicy(
        {
          deniedMcpServers: [
            { serverName: 'a' },
            { serverUrl: 'https://*.bad.example/*' },
            { serverCommand: ['npx', '-y', 'evil'] },
          ],
        },
        {
          a: { command: 'a' },
          b: remote('https://mcp.bad.example/mcp'),
          c: { command: 'npx', args: ['-y', 'evil'] },
          d: { command: 'npx', args: ['-y', 'evil', '--more'] },
        },
      ),
    ).toEqual({
      names: ['d'],
      problems: [
        'error denied-by-policy /deniedMcpServers/0',
        'error denied-by-policy /deniedMcpServers/1',
        'error denied-by-policy /deniedMcpServers/2',
      ],
    })
  })

  test('denied wins over allow', async () => {
    expect(
      await underPolicy(
        { allowedMcpServers: [{ serverName: 'a' }], deniedMcpServers: [{ serverName: 'a' }] },
        { a: { command: 'a' } },
      ),
    ).toEqual({ names: [], problems: ['error denied-by-policy /deniedMcpServers/0'] })
  })

  test('a listed name is not enough if urls or commands of its transport are listed', async () => {
    expect(
      await underPolicy(
        {
          allowedMcpServers: [
            { serverName: 'a' },
            { serverName: 'b' },
            { serverUrl: 'https://ok.example/*' },
          ],
        },
        { a: remote('https://other.example/mcp'), b: { command: 'b' }, c: remote('https://ok.example/mcp') },
      ),
    ).toEqual({ names: ['b', 'c'], problems: ['error denied-by-policy /allowedMcpServers'] })
  })

  test('an empty allow list allows nothing, a missing one allows everything', async () => {
    const servers = { a: { command: 'a' } }
    expect(await underPolicy({ allowedMcpServers: [] }, servers)).toEqual({
      names: [],
      problems: ['error denied-by-policy /allowedMcpServers'],
    })
    expect(await underPolicy({}, servers)).toEqual({ names: ['a'], problems: [] })
  })

  test('user settings may deny more, and allow more unless only managed lists apply', async () => {
    const own = {
      '~/.claude/settings.json': {
        allowedMcpServers: [{ serverName: 'b' }],
        deniedMcpServers: [{ serverName: 'c' }],
      },
    }
    const servers = { a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } }
    const allowedMcpServers = [{ serverName: 'a' }, { serverName: 'c' }]
    expect((await underPolicy({ allowedMcpServers }, servers, own)).names).toEqual(['a', 'b'])
    const alone = { allowedMcpServers, allowManagedMcpServersOnly: true }
    expect((await underPolicy(alone, servers, own)).names).toEqual(['a'])
  })

  test('T01 a project’s allow list does not extend the user’s or the managed list', async () => {
    const servers = { a: { command: 'a' }, b: { command: 'b' } }
    const project = { '.claude/settings.json': { allowedMcpServers: [{ serverName: 'b' }] } }
    const own = { '~/.claude/settings.json': { allowedMcpServers: [{ serverName: 'a' }] } }
    const allowedMcpServers = [{ serverName: 'a' }]
    expect((await underPolicy({ allowedMcpServers }, servers, project)).names).toEqual(['a'])
    expect((await underPolicy({}, servers, { ...own, ...project })).names).toEqual(['a'])
    expect((await underPolicy({}, servers, project)).names).toEqual(['b'])
  })

  test('placeholders are expanded before a url is compared with a list', async () => {
    const { names } = await underPolicy(
      { deniedMcpServers: [{ serverUrl: 'https://bad.example/*' }] },
      { a: remote('${HOST:-https://bad.example}/mcp') },
    )
    expect(names).toEqual([])
  })

  test('invalid items of a list are reported', async () => {
    expect(
      await underPolicy({ deniedMcpServers: ['a', {}], allowedMcpServers: 'a' }, { a: { command: 'a' } }),
    ).toEqual({
      names: ['a'],
      problems: [
        'warn wrong-type /allowedMcpServers',
        'warn wrong-type /deniedMcpServers/0',
        'warn wrong-type /deniedMcpServers/1',
      ],
    })
  })

  test('a denied name that is also hidden is reported once', async () => {
    const { names, problems } = await underPolicy(
      { deniedMcpServers: [{ serverName: 'a' }] },
      { a: { command: 'a' } },
      { '.mcp.json': { mcpServers: { a: { command: 'b' } } } },
    )
    expect(names).toEqual([])
    expect(problems).toEqual([
      'error denied-by-policy /deniedMcpServers/0',
      'info shadowed /mcpServers/a',
      'warn untrusted-project /mcpServers/a',
    ])
  })
})

describe('Claude Code: managed servers', () => {
  test('a managed file disables all others, even if it is empty', async () => {
    const { names, shadowed, problems } = await read('claude-code', {
      [exclusive]: { mcpServers: {} },
      [main]: { mcpServers: { a: { command: 'a' } } },
      '.mcp.json': { mcpServers: { b: { command: 'b' } } },
    })
    expect(names).toEqual([])
    expect(shadowed.map(({ name }) => name)).toEqual(['b', 'a'])
    expect(problems).toEqual(['warn managed-exclusive'])
  })

  test('a managed file that cannot be parsed still disables all others', async () => {
    const { names, problems } = await read('claude-code', {
      [exclusive]: '{ "mcpServers": ',
      [main]: { mcpServers: { a: { command: 'a' } } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual(['error parse-error', 'warn managed-exclusive'])
  })

  test('the lists apply to managed servers too', async () => {
    const { names, problems } = await read('claude-code', {
      [exclusive]: { mcpServers: { corp: remote('https://mcp.corp.example/mcp'), x: { command: 'x' } } },
      [managed]: { allowedMcpServers: [{ serverUrl: 'https://*.corp.example/*' }] },
    })
    expect(names).toEqual(['corp'])
    expect(problems).toEqual(['error denied-by-policy /allowedMcpServers'])
  })

  test('servers of managed settings rank above all others and are used beside those of the managed file', async () => {
    const settings = { managedMcpServers: { a: { command: 'managed' } } }
    const beside = await read('claude-code', {
      [managed]: settings,
      [main]: { mcpServers: { a: { command: 'own' }, b: { command: 'b' } } },
    })
    expect(beside.servers['a']).toMatchObject({ command: 'managed' })
    expect(beside.names).toEqual(['a', 'b'])
    const both = await read('claude-code', {
      [exclusive]: { mcpServers: { corp: { command: 'corp' } } },
      [managed]: settings,
      [main]: { mcpServers: { b: { command: 'b' } } },
    })
    expect([...both.names].sort()).toEqual(['a', 'corp'])
  })

  test.each([
    ['darwin', '/Library/Application Support/ClaudeCode/managed-mcp.json'],
    ['win32', '/Program Files/ClaudeCode/managed-mcp.json'],
  ] as const)('on %s the managed file is %s', async (os, path) => {
    const { servers } = await read(
      'claude-code',
      { [path]: { mcpServers: { corp: { command: 'c' } } } },
      { os },
    )
    expect(servers['corp']).toMatchObject({ command: 'c' })
  })
})
