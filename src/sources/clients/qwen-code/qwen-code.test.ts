import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.qwen/settings.json'
const workspace = '.qwen/settings.json'

describe('Qwen Code: transport', () => {
  test('httpUrl is Streamable HTTP, url is SSE and reported, a type is unknown', async () => {
    const { servers, problems } = await read('qwen-code', {
      [user]: {
        mcpServers: {
          h: { httpUrl: 'https://h.example/mcp' },
          s: { url: 'https://s.example', type: 'http' },
          both: { httpUrl: 'https://h.example/mcp', url: 'https://s.example' },
          c: { command: 'c', url: 'https://s.example' },
        },
      },
    })
    expect(Object.entries(servers).map(([name, { transport }]) => [name, transport])).toEqual([
      ['h', 'http'],
      ['s', 'sse'],
      ['both', 'http'],
      ['c', 'sse'],
    ])
    expect(problems).toEqual([
      'warn command-and-url /mcpServers/c',
      'warn duplicate-endpoint /mcpServers/both',
      'warn inferred-transport /mcpServers/s',
      'warn unknown-key /mcpServers/s/type',
    ])
  })

  test('.mcp.json has the form of Claude Code, in which the type decides', async () => {
    const { servers, problems } = await read('qwen-code', {
      '.mcp.json': {
        mcpServers: {
          h: { type: 'http', url: 'https://h.example/mcp' },
          s: { type: 'sse', url: 'https://s.example' },
          u: { url: 'https://u.example' },
        },
      },
    })
    expect(Object.entries(servers).map(([name, { transport }]) => [name, transport])).toEqual([
      ['h', 'http'],
      ['s', 'sse'],
      ['u', 'sse'],
    ])
    expect(problems).toEqual(['warn inferred-transport /mcpServers/u'])
  })
})

describe('Qwen Code: levels', () => {
  test('system and workspace settings rank above .mcp.json and the user; a shadowed name is reported once', async () => {
    const { servers, shadowed, diagnostics } = await read('qwen-code', {
      '/etc/qwen-code/settings.json': { mcpServers: { s: { command: 'system' } } },
      [workspace]: { mcpServers: { s: { command: 'workspace' }, w: { command: 'workspace' } } },
      '.mcp.json': {
        mcpServers: { s: { command: 'shared' }, w: { command: 'shared' }, p: { command: 'shared' } },
      },
      [user]: { mcpServers: { s: { command: 'user' }, p: { command: 'user' } } },
    })
    expect(Object.entries(servers).map(([name, { command }]) => [name, command])).toEqual([
      ['s', 'system'],
      ['w', 'workspace'],
      ['p', 'shared'],
    ])
    expect(shadowed.map(({ name, file }) => [name, file])).toEqual([
      ['s', `${project}/.qwen/settings.json`],
      ['s', `${project}/.mcp.json`],
      ['w', `${project}/.mcp.json`],
      ['s', `${home}/.qwen/settings.json`],
      ['p', `${home}/.qwen/settings.json`],
    ])
    expect(diagnostics.map(({ code, severity, server, file }) => [code, severity, server, file])).toEqual([
      ['shadowed', 'info', 's', `${home}/.qwen/settings.json`],
      ['shadowed', 'info', 'w', `${project}/.mcp.json`],
      ['shadowed', 'info', 'p', `${home}/.qwen/settings.json`],
    ])
  })

  test('a project’s server needs approval unless it is off; the user’s does not', async () => {
    const { servers } = await read('qwen-code', {
      [workspace]: { mcpServers: { w: { command: 'w' }, off: { command: 'o' } }, mcp: { excluded: ['off'] } },
      '.mcp.json': { mcpServers: { p: { command: 'p' } } },
      [user]: { mcpServers: { u: { command: 'u' } } },
    })
    expect(Object.entries(servers).map(([name, { approval }]) => [name, approval])).toEqual([
      ['w', 'pending'],
      ['off', undefined],
      ['p', 'pending'],
      ['u', undefined],
    ])
  })
})

describe('Qwen Code: lists', () => {
  const mcpServers = {
    'db-main': { command: 'a' },
    'db-old': { command: 'b' },
    web: { command: 'c' },
    rest: { command: 'd' },
  }
  const offBy = async (files: Readonly<Record<string, object>>) => {
    const { servers } = await read('qwen-code', files)
    return Object.fromEntries(Object.entries(servers).map(([name, { disabledBy }]) => [name, disabledBy]))
  }
  const mine = `${home}/.qwen/settings.json#/mcp`
  const theirs = `${project}/.qwen/settings.json#/mcp`

  test('user and system lists are merged, and their items are globs', async () => {
    const files = {
      '/etc/qwen-code/settings.json': { mcp: { allowed: ['db-*'] } },
      [user]: { mcp: { allowed: ['web'], excluded: ['*-old'] }, mcpServers },
    }
    expect(await offBy(files)).toEqual({
      'db-main': undefined,
      'db-old': `${mine}/excluded`,
      web: undefined,
      rest: '/etc/qwen-code/settings.json#/mcp/allowed',
    })
  })

  test('T01 a project’s allowed list only narrows, its excluded list is added', async () => {
    const files = {
      [workspace]: { mcp: { allowed: ['db-*', 'rest'], excluded: ['db-old'] } },
      [user]: { mcp: { allowed: ['web', 'db-*'] }, mcpServers },
    }
    expect(await offBy(files)).toEqual({
      'db-main': undefined,
      'db-old': `${theirs}/excluded`,
      web: `${theirs}/allowed`,
      rest: `${mine}/allowed`,
    })
  })

  test('without a user’s list the project’s list applies', async () => {
    const files = { [workspace]: { mcp: { allowed: ['web'] } }, [user]: { mcpServers } }
    expect(await offBy(files)).toEqual({
      'db-main': `${theirs}/allowed`,
      'db-old': `${theirs}/allowed`,
      web: undefined,
      rest: `${theirs}/allowed`,
    })
  })
})

test('Qwen Code: own keys are known; trust and suspect values are reported', async () => {
  const { servers, problems } = await read('qwen-code', {
    [user]: {
      mcpServers: {
        a: {
          command: 'npx',
          args: ['x@latest'],
          alwaysLoadTools: true,
          discoveryTimeoutMs: 2000,
          trust: true,
          includeTools: ['t'],
          excludeTools: ['t'],
          nonsense: 1,
          description: 'A',
        },
      },
    },
  })
  expect(servers['a']).toMatchObject({ startupTimeoutMs: 2000, allowedTools: ['t'], deniedTools: ['t'] })
  expect(problems).toEqual([
    'info tool-filter-conflict /mcpServers/a',
    'info unknown-key /mcpServers/a/nonsense',
    'info unpinned-package /mcpServers/a/args/0',
    'warn trust /mcpServers/a/trust',
  ])
})
