import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const extension = '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'
const cli = '~/.cline/data/settings/cline_mcp_settings.json'
const url = 'https://a.example/mcp'

function kinds(servers: Readonly<Record<string, Record<string, unknown>>>) {
  return Object.fromEntries(Object.entries(servers).map(([name, { transport }]) => [name, transport]))
}

describe('Cline: transport', () => {
  test('the extension treats a url without a type as SSE; the CLI reads the old transportType', async () => {
    const mcpServers = {
      open: { url },
      http: { url, transportType: 'http' },
      sse: { url, transportType: 'sse' },
      typed: { url, type: 'streamableHttp' },
    }
    const inExtension = await read('cline', { [extension]: { mcpServers } })
    const inCli = await read('cline', { [cli]: { mcpServers } })
    expect(kinds(inExtension.servers)).toEqual({ open: 'sse', http: 'sse', sse: 'sse', typed: 'http' })
    expect(kinds(inCli.servers)).toEqual({ open: 'sse', http: 'http', sse: 'sse', typed: 'http' })
    const problems = [
      'info deprecated-key /mcpServers/http/transportType',
      'info deprecated-key /mcpServers/sse/transportType',
      'warn inferred-transport /mcpServers/open',
    ]
    expect([inExtension.problems, inCli.problems]).toEqual([problems, problems])
  })

  test('an endpoint under "transport" is read, and its problems point into it', async () => {
    const { servers, problems } = await read('cline', {
      [cli]: {
        mcpServers: {
          a: {
            transport: { type: 'stdio', command: 'a', args: ['x@latest'], env: { K: 'v' } },
            disabled: true,
          },
          b: {
            transport: { type: 'streamableHttp', url, headers: { Authorization: 'Bearer abc' } },
            metadata: {},
          },
          c: { transport: { type: 'ws', url } },
          d: { transport: { type: 'sse', url, nonsense: 1 } },
        },
      },
    })
    expect(servers['a']).toMatchObject({ command: 'a', args: ['x@latest'], env: { K: 'v' }, enabled: false })
    expect(servers['b']).toMatchObject({ transport: 'http', url, headers: { Authorization: 'Bearer abc' } })
    expect(problems).toEqual([
      'error unknown-transport /mcpServers/c/transport/type',
      'info unknown-key /mcpServers/d/transport/nonsense',
      'info unpinned-package /mcpServers/a/transport/args/0',
      'warn plaintext-secret /mcpServers/b/transport/headers/Authorization',
    ])
  })

  test('transport types of other clients are refused', async () => {
    const { names, problems } = await read('cline', {
      [extension]: { mcpServers: { a: { url, type: 'http' }, b: { url, type: 'streamable-http' }, c: {} } },
      [cli]: { mcpServers: { d: { url, transportType: 'tcp' } } },
    })
    expect(names).toEqual([])
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/c',
      'error unknown-transport /mcpServers/a/type',
      'error unknown-transport /mcpServers/b/type',
      'error unknown-transport /mcpServers/d/transportType',
      'info deprecated-key /mcpServers/d/transportType',
    ])
  })
})

describe('Cline: other keys', () => {
  test('timeouts are in seconds and clamped to their range', async () => {
    const { servers, problems } = await read('cline', {
      [extension]: {
        mcpServers: {
          a: { command: 'a', timeout: 0 },
          b: { command: 'b', timeout: 60_000 },
          c: { command: 'c', timeout: '60' },
        },
      },
    })
    expect(Object.values(servers).map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 3_600_000, null])
    expect(problems).toEqual([
      'warn out-of-range /mcpServers/a/timeout',
      'warn out-of-range /mcpServers/b/timeout',
      'warn wrong-type /mcpServers/c/timeout',
    ])
  })

  test('tokens in the file are reported and never listed', async () => {
    const { servers, problems } = await read('cline', {
      [cli]: {
        mcpServers: {
          a: {
            type: 'streamableHttp',
            url,
            oauth: { tokens: { access_token: 'live' }, clientInformation: { client_id: 'x' } },
          },
          b: { type: 'streamableHttp', url, oauth: { codeVerifier: 'v' }, remoteConfigured: true },
          c: { type: 'streamableHttp', url, oauthClient: { clientId: 'c' } },
        },
      },
    })
    expect(Object.values(servers).map(({ auth }) => auth)).toEqual([
      { type: 'oauth' },
      { type: 'oauth' },
      { type: 'oauth', clientId: 'c' },
    ])
    expect(JSON.stringify(servers)).not.toContain('live')
    expect(problems).toEqual(['warn embedded-token /mcpServers/a/oauth/tokens'])
  })

  test('approving every tool in advance is reported', async () => {
    const { servers, problems } = await read('cline', {
      [extension]: { mcpServers: { a: { command: 'a', autoApprove: ['*'] } } },
    })
    expect(servers['a']).toMatchObject({ autoApprove: ['*'] })
    expect(problems).toEqual(['warn auto-approve-all /mcpServers/a/autoApprove'])
  })

  test('${env:VAR} is expanded in every field by the extension, and only in env by the CLI', async () => {
    const mcpServers = { a: { command: 'a', args: ['${env:X}'], env: { Y: '${env:Y}' } } }
    const env = { X: 'x', Y: 'y' }
    const inExtension = await read('cline', { [extension]: { mcpServers } }, { env })
    const inCli = await read('cline', { [cli]: { mcpServers } }, { env: { Y: 'y' } })
    expect(inExtension.servers['a']).toMatchObject({ resolved: { args: ['x'], env: { Y: 'y' } } })
    expect(inCli.servers['a']).toMatchObject({ resolved: { env: { Y: 'y' } } })
    expect(inCli.problems).toEqual([])
  })

  test('CLINE_DIR moves the file of the CLI', async () => {
    const { names } = await read(
      'cline',
      { '/opt/cline/data/settings/cline_mcp_settings.json': { mcpServers: { a: { command: 'a' } } } },
      { env: { CLINE_DIR: '/opt/cline' } },
    )
    expect(names).toEqual(['a'])
  })
})
