import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import type { SendGuardedRequest } from './guarded-http.ts'
import { discoverAuthorizationServer, isSameIssuer } from './discovery.ts'

const server = new URL('https://mcp.example/team/mcp')
const metadata = (issuer: string, more: JsonObject = {}): JsonObject => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['S256'],
  ...more,
})

/** Answers the given addresses; every other address is a 404. */
function scripted(pages: Readonly<Record<string, JsonObject | number>>) {
  const asked: string[] = []
  const send: SendGuardedRequest = async ({ url }) => {
    asked.push(url.href)
    const page = pages[url.href]
    if (typeof page === 'number') return { status: page, headers: {}, text: '' }
    return page === undefined
      ? { status: 404, headers: {}, text: '<html>' }
      : { status: 200, headers: {}, text: JSON.stringify(page) }
  }
  return { asked, send }
}

const find = (
  send: SendGuardedRequest,
  more: Partial<Parameters<typeof discoverAuthorizationServer>[0]> = {},
) => discoverAuthorizationServer({ server, challenge: undefined, version: '2025-11-25', ...more }, send)

describe('discoverAuthorizationServer', () => {
  test('tries the path and the root of the server, then three addresses at the issuer, in that order', async () => {
    const issuer = 'https://login.example/tenant'
    const { send, asked } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource': {
        resource: 'https://mcp.example/team',
        authorization_servers: [issuer],
        scopes_supported: ['read'],
      },
      'https://login.example/tenant/.well-known/openid-configuration': metadata(issuer),
    })
    expect(await find(send)).toMatchObject({
      issuer,
      resource: 'https://mcp.example/team',
      scopes: ['read'],
      hasPkce: true,
    })
    expect(asked).toEqual([
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp',
      'https://mcp.example/.well-known/oauth-protected-resource',
      'https://login.example/.well-known/oauth-authorization-server/tenant',
      'https://login.example/.well-known/openid-configuration/tenant',
      'https://login.example/tenant/.well-known/openid-configuration',
    ])
  })

  test('T18 drops invalid scopes of the metadata', async () => {
    const { send } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp': {
        resource: 'https://mcp.example/team/mcp',
        authorization_servers: ['https://login.example'],
        scopes_supported: ['read', '\u001B[31mred', '', 'a"b', 'write'],
      },
      'https://login.example/.well-known/oauth-authorization-server': metadata('https://login.example'),
    })
    expect((await find(send)).scopes).toEqual(['read', 'write'])
  })

  test('uses the metadata address and the scopes of the challenge', async () => {
    const place = 'https://mcp.example/about'
    const { send, asked } = scripted({
      [place]: {
        resource: server.href,
        authorization_servers: ['https://login.example'],
        scopes_supported: ['all'],
      },
      'https://login.example/.well-known/oauth-authorization-server': metadata('https://login.example/'),
    })
    const challenge = { scheme: 'bearer', resourceMetadata: place, scopes: ['one'] } as const
    expect(await find(send, { challenge })).toMatchObject({
      issuer: 'https://login.example/',
      scopes: ['one'],
    })
    expect(asked[0]).toBe(place)
  })

  test('a server without metadata is its own issuer', async () => {
    const { send } = scripted({})
    expect(await find(send, { challenge: { scheme: 'bearer' } })).toMatchObject({
      issuer: 'https://mcp.example',
      isGuessed: true,
      tokenEndpoint: 'https://mcp.example/token',
      scopes: undefined,
    })
    await expect(find(send)).rejects.toMatchObject({ reason: 'undiscovered' })
  })

  test.each([
    ['another origin', 'https://other.example/team/mcp'],
    ['a longer path', 'https://mcp.example/team/mcp/more'],
    ['a path that only begins alike', 'https://mcp.example/te'],
    ['no address', 'team'],
    ['no text', 7],
  ])('refuses metadata whose resource is %s', async (_what, resource) => {
    const { send } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp': { resource },
    })
    await expect(find(send)).rejects.toMatchObject({ reason: 'issuer' })
  })

  test('the issuer of the entry is the only one accepted', async () => {
    const { send } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp': {
        resource: server.href,
        authorization_servers: ['https://evil.example', 'https://login.example'],
      },
      'https://login.example/.well-known/oauth-authorization-server': metadata('https://login.example'),
    })
    expect(await find(send, { issuer: 'https://login.example' })).toMatchObject({
      issuer: 'https://login.example',
    })
    await expect(find(send, { issuer: 'https://third.example' })).rejects.toMatchObject({ reason: 'issuer' })
  })

  test('reports an issuer that fails, has no metadata, or names no token endpoint', async () => {
    const resource = { resource: server.href, authorization_servers: ['https://login.example'] }
    const place = 'https://mcp.example/.well-known/oauth-protected-resource/team/mcp'
    const at = 'https://login.example/.well-known/oauth-authorization-server'
    await expect(find(scripted({ [place]: resource, [at]: 500 }).send)).rejects.toMatchObject({
      reason: 'unreachable',
    })
    await expect(find(scripted({ [place]: resource }).send)).rejects.toMatchObject({ reason: 'undiscovered' })
    const empty = { issuer: 'https://login.example' }
    await expect(find(scripted({ [place]: resource, [at]: empty }).send)).rejects.toMatchObject({
      reason: 'unusable',
    })
  })
})

test('T28 isSameIssuer: compares exactly, except for the slash after an origin', () => {
  const pairs: readonly (readonly [string, string, boolean])[] = [
    ['https://a.example', 'https://a.example/', true],
    ['https://a.example/x', 'https://a.example/x', true],
    ['https://a.example/x', 'https://a.example/x/', false],
    ['https://a.example', 'https://A.example', false],
    ['https://a.example', 'https://a.example:443', false],
    ['https://a.example', 'http://a.example', false],
  ]
  expect(pairs.map(([one, other]) => isSameIssuer(one, other))).toEqual(pairs.map(([, , same]) => same))
})
