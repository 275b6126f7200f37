import { describe, expect, test } from 'vitest'
import { home, project, read } from '../../../../test/support/read.ts'

const user = '~/.copilot/mcp-config.json'
const tools = ['*']

describe('Copilot CLI', () => {
  test('five types mean stdio, http or sse', async () => {
    const { servers, problems } = await read('copilot-cli', {
      [user]: {
        mcpServers: {
          local: { type: 'local', command: 'a', args: [], tools },
          stdio: { type: 'stdio', command: 'a', args: [], tools },
          http: { type: 'http', url: 'https://a.example/mcp', tools },
          stream: { type: 'streamable-http', url: 'https://a.example/mcp', tools },
          sse: { type: 'sse', url: 'https://a.example/sse', tools },
        },
      },
    })
    expect(
      Object.entries(servers).map(([name, { transport, fallback }]) => [name, transport, fallback]),
    ).toEqual([
      ['local', 'stdio', undefined],
      ['stdio', 'stdio', undefined],
      ['http', 'http', undefined],
      ['stream', 'http', undefined],
      ['sse', 'sse', undefined],
    ])
    expect(problems).toEqual([])
  })

  test('every known key is read or kept', async () => {
    const { servers, problems } = await read(
      'copilot-cli',
      {
        [user]: {
          mcpServers: {
            a: {
              command: 'a',
              args: ['$STAGE', '${STAGE}', '${OTHER:-x}'],
              tools: ['one'],
              env: { D: '$STAGE' },
              cwd: '/srv',
              timeout: 30000,
              deferTools: 'auto',
              disableToolCache: true,
              filterMapping: 'none',
            },
            b: { type: 'http', url: 'https://b.example/mcp', tools, oidc: true },
          },
        },
      },
      { env: { STAGE: 'dev' } },
    )
    expect(servers['a']).toMatchObject({
      cwd: '/srv',
      timeoutMs: 30000,
      allowedTools: ['one'],
      resolved: { args: ['dev', 'dev', 'x'], env: { D: 'dev' } },
    })
    expect(servers['b']).toMatchObject({ allowedTools: null, auth: { type: 'oidc' } })
    expect(problems).toEqual([])
  })

  test('a pre-registered client and OIDC are read as logins', async () => {
    const { servers } = await read('copilot-cli', {
      [user]: {
        mcpServers: {
          a: {
            type: 'http',
            url: 'https://a.example/mcp',
            tools,
            oauthClientId: 'c',
            oauthPublicClient: true,
          },
        },
      },
    })
    expect(servers['a']).toMatchObject({ auth: { type: 'oauth', clientId: 'c', public: true } })
  })

  test('a missing "args" or "type" is reported; without "tools" all tools are meant', async () => {
    const { names, problems } = await read('copilot-cli', {
      [user]: {
        mcpServers: {
          bare: { command: 'a' },
          args: { command: 'a', args: [] },
          remote: { type: 'http', url: 'https://a.example/mcp' },
          untyped: { url: 'https://a.example/mcp', tools },
        },
      },
    })
    expect(names).toEqual(['bare', 'args', 'remote', 'untyped'])
    expect(problems).toEqual(['warn missing-key /mcpServers/bare', 'warn missing-type /mcpServers/untyped'])
  })

  test('a name with a brace or a control character is refused', async () => {
    const { names, problems } = await read('copilot-cli', {
      [user]: {
        mcpServers: {
          'a}': { command: 'a', args: [], tools },
          'b\t': { command: 'b', args: [], tools },
          'c{': { command: 'c', args: [], tools },
        },
      },
    })
    expect(names).toEqual(['c{'])
    expect(problems).toEqual(['error invalid-name /mcpServers/a}', 'error invalid-name /mcpServers/b\t'])
  })

  test('a map without mcpServers is accepted only in a project’s file', async () => {
    const map = { a: { command: 'a', args: [], tools } }
    const inProject = await read('copilot-cli', { '.github/mcp.json': map })
    expect(inProject.names).toEqual(['a'])
    expect(inProject.problems).toEqual(['info bare-root', 'warn untrusted-project'])
    const ofUser = await read('copilot-cli', { [user]: map })
    expect(ofUser.names).toEqual([])
  })

  test('the nearer directory wins, and the folder’s trust is reported once', async () => {
    const entry = (command: string) => ({ mcpServers: { a: { command, args: [], tools } } })
    const { servers, shadowed, problems } = await read('copilot-cli', {
      '.github/mcp.json': entry('near'),
      '/home/dana/src/.mcp.json': entry('far'),
      '/home/dana/src/.git/HEAD': 'ref',
      [user]: entry('user'),
    })
    expect(servers['a']).toMatchObject({ command: 'near' })
    expect(shadowed.map(({ file }) => file)).toEqual([
      '/home/dana/src/.mcp.json',
      `${home}/.copilot/mcp-config.json`,
    ])
    expect(problems).toEqual([
      'info shadowed /mcpServers/a',
      'info shadowed /mcpServers/a',
      'warn untrusted-project',
    ])
  })

  test('COPILOT_HOME moves the user’s file', async () => {
    const { names } = await read(
      'copilot-cli',
      { [`${project}/elsewhere/mcp-config.json`]: { mcpServers: { a: { command: 'a', args: [], tools } } } },
      { env: { COPILOT_HOME: `${project}/elsewhere` } },
    )
    expect(names).toEqual(['a'])
  })

  test('an unset variable, a suspect timeout and an unknown key are reported', async () => {
    const { problems } = await read('copilot-cli', {
      [user]: {
        mcpServers: { a: { command: 'a', args: ['$UNSET_X'], tools, timeout: 30, disabled: true } },
      },
    })
    expect(problems).toEqual([
      'warn missing-env /mcpServers/a/args/0',
      'warn timeout-unit-suspect /mcpServers/a/timeout',
      'warn unknown-key /mcpServers/a/disabled',
    ])
  })
})
