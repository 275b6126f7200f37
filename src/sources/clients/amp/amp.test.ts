import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.config/amp/settings.json'
const workspace = '.amp/settings.json'

describe('Amp: root key', () => {
  test('servers under any other key are read with a warning', async () => {
    const { names, problems } = await read('amp', {
      [user]: { amp: { mcpServers: { nested: { command: 'a' } } }, mcpServers: { plain: { command: 'b' } } },
    })
    expect(names).toEqual(['plain', 'nested'])
    expect(problems).toEqual(['warn wrong-root-key /amp/mcpServers', 'warn wrong-root-key /mcpServers'])
  })

  test('comments are allowed, and settings.jsonc ranks above settings.json', async () => {
    const { servers, problems } = await read('amp', {
      '~/.config/amp/settings.jsonc': '{ "amp.mcpServers": { /* new */ "a": { "command": "jsonc" } } }',
      [user]: { 'amp.mcpServers': { a: { command: 'json' } } },
    })
    expect(servers['a']).toMatchObject({ command: 'jsonc' })
    expect(problems).toEqual(['info shadowed /amp.mcpServers/a'])
  })

  test('a root value of the wrong type is an error', async () => {
    const { problems } = await read('amp', { [user]: { 'amp.mcpServers': [] } })
    expect(problems).toEqual(['error wrong-type /amp.mcpServers'])
  })
})

describe('Amp: permissions', () => {
  const npx = { command: 'npx', args: ['-y', '@acme/server-x@1.0.0'] }
  const other = { command: 'uvx', args: ['tool'] }
  const remote = { url: 'https://ok.example/mcp' }

  test('the first matching rule decides; without a match the server is allowed', async () => {
    const { servers, problems } = await read('amp', {
      [user]: {
        'amp.mcpServers': { npx, other, remote, far: { url: 'https://far.example/mcp' } },
        'amp.mcpPermissions': [
          { matches: { command: 'npx', args: '*@acme/*' }, action: 'allow' },
          { matches: { command: '*' }, action: 'reject' },
          { matches: { url: ['https://far.example/*', 'https://farther.example/*'] }, action: 'reject' },
        ],
      },
    })
    expect(Object.entries(servers).map(([name, { disabledBy }]) => [name, disabledBy])).toEqual([
      ['npx', undefined],
      ['other', `${home}/.config/amp/settings.json#/amp.mcpPermissions/1`],
      ['remote', undefined],
      ['far', `${home}/.config/amp/settings.json#/amp.mcpPermissions/2`],
    ])
    expect(problems).toEqual([
      'warn denied-by-policy /amp.mcpPermissions/1',
      'warn denied-by-policy /amp.mcpPermissions/2',
    ])
  })

  test('a command is compared alone and joined with its arguments', async () => {
    const { servers } = await read('amp', {
      [user]: {
        'amp.mcpServers': { npx, other },
        'amp.mcpPermissions': [
          { matches: { command: 'npx -y @acme/server-*' }, action: 'allow' },
          { action: 'reject' },
        ],
      },
    })
    expect(Object.values(servers).map(({ enabled }) => enabled)).toEqual([true, false])
  })

  test('a project cannot allow what the user rejects', async () => {
    const { servers, problems } = await read('amp', {
      [user]: { 'amp.mcpPermissions': [{ matches: { command: '*' }, action: 'reject' }] },
      [workspace]: {
        'amp.mcpServers': { x: { command: './x' } },
        'amp.mcpPermissions': [{ matches: { command: '*' }, action: 'allow' }],
      },
    })
    expect(servers['x']).toMatchObject({ enabled: false })
    expect(servers['x']).not.toHaveProperty('approval')
    expect(problems).toEqual(['warn denied-by-policy /amp.mcpPermissions/0'])
  })

  test('rules that are not a list are reported', async () => {
    const { problems } = await read('amp', { [user]: { 'amp.mcpPermissions': {} } })
    expect(problems).toEqual(['warn wrong-type /amp.mcpPermissions'])
  })
})

test('Amp: a workspace server needs approval unless it is off', async () => {
  const { servers, problems } = await read('amp', {
    [workspace]: { 'amp.mcpServers': { on: { command: 'a' }, off: { command: 'b', disabled: true } } },
  })
  expect([servers['on'], servers['off']].map((server) => server?.['approval'])).toEqual([
    'pending',
    undefined,
  ])
  expect(problems).toEqual(['warn untrusted-project /amp.mcpServers/on'])
})

test('Amp: unknown keys, two endpoints and no endpoint are reported', async () => {
  const { names, problems } = await read('amp', {
    [user]: {
      'amp.mcpServers': {
        a: { command: 'a', timeout: 5, type: 'stdio', cwd: project },
        b: { command: 'b', url: 'https://b.example' },
        c: {},
        d: { command: 'd', includeTools: [] },
      },
    },
  })
  expect(names).toEqual(['a', 'b', 'd'])
  expect(problems).toEqual([
    'error missing-endpoint /amp.mcpServers/c',
    'warn command-and-url /amp.mcpServers/b',
    'warn no-tools /amp.mcpServers/d/includeTools',
    'warn unknown-key /amp.mcpServers/a/cwd',
    'warn unknown-key /amp.mcpServers/a/timeout',
    'warn unknown-key /amp.mcpServers/a/type',
  ])
})
