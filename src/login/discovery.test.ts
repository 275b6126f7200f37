import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import type { Ask } from './guarded-http.ts'
import { discoverAuthority, isSameIssuer } from './discovery.ts'

const server = new URL('https://mcp.example/team/mcp')
const metadata = (issuer: string, more: JsonObject = {}): JsonObject => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['S256'],
  ...more,
})

/** Who answers at which address; everybody else has nothing there. */
function scripted(pages: Readonly<Record<string, JsonObject | number>>) {
  const asked: string[] = []
  const ask: Ask = async ({ url }) => {
    asked.push(url.href)
    const page = pages[url.href]
    if (typeof page === 'number') return { status: page, headers: {}, text: '' }
    return page === undefined
      ? { status: 404, headers: {}, text: '<html>' }
      : { status: 200, headers: {}, text: JSON.stringify(page) }
  }
  return { asked, ask }
}

const find = (ask: Ask, more: Partial<Parameters<typeof discoverAuthority>[0]> = {}) =>
  discoverAuthority({ server, challenge: undefined, version: '2025-11-25', ...more }, ask)

describe('where to log in', () => {
  test('is looked for at the server’s path and then at its root, and at the issuer in three places, in that order', async () => {
    const issuer = 'https://login.example/tenant'
    const { ask, asked } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource': {
        resource: 'https://mcp.example/team',
        authorization_servers: [issuer],
        scopes_supported: ['read'],
      },
      'https://login.example/tenant/.well-known/openid-configuration': metadata(issuer),
    })
    expect(await find(ask)).toMatchObject({
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

  test('T18 what is no scope is not asked for, whoever offers it', async () => {
    const { ask } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp': {
        resource: 'https://mcp.example/team/mcp',
        authorization_servers: ['https://login.example'],
        scopes_supported: ['read', '\u001B[31mred', '', 'a"b', 'write'],
      },
      'https://login.example/.well-known/oauth-authorization-server': metadata('https://login.example'),
    })
    expect((await find(ask)).scopes).toEqual(['read', 'write'])
  })

  test('a challenge says where the metadata is, and its scopes count more', async () => {
    const place = 'https://mcp.example/about'
    const { ask, asked } = scripted({
      [place]: {
        resource: server.href,
        authorization_servers: ['https://login.example'],
        scopes_supported: ['all'],
      },
      'https://login.example/.well-known/oauth-authorization-server': metadata('https://login.example/'),
    })
    const challenge = { scheme: 'bearer', resourceMetadata: place, scopes: ['one'] } as const
    expect(await find(ask, { challenge })).toMatchObject({
      issuer: 'https://login.example/',
      scopes: ['one'],
    })
    expect(asked[0]).toBe(place)
  })

  test('a server of a time before metadata is its own issuer', async () => {
    const { ask } = scripted({})
    expect(await find(ask, { challenge: { scheme: 'bearer' } })).toMatchObject({
      issuer: 'https://mcp.example',
      isGuessed: true,
      tokenEndpoint: 'https://mcp.example/token',
      scopes: undefined,
    })
    await expect(find(ask)).rejects.toMatchObject({ reason: 'undiscovered' })
  })

  test.each([
    ['another origin', 'https://other.example/team/mcp'],
    ['a longer path', 'https://mcp.example/team/mcp/more'],
    ['a path that only begins alike', 'https://mcp.example/te'],
    ['no address', 'team'],
    ['no text', 7],
  ])('metadata about %s is not of this server', async (_what, resource) => {
    const { ask } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp': { resource },
    })
    await expect(find(ask)).rejects.toMatchObject({ reason: 'issuer' })
  })

  test('the issuer of an entry is the only one', async () => {
    const { ask } = scripted({
      'https://mcp.example/.well-known/oauth-protected-resource/team/mcp': {
        resource: server.href,
        authorization_servers: ['https://evil.example', 'https://login.example'],
      },
      'https://login.example/.well-known/oauth-authorization-server': metadata('https://login.example'),
    })
    expect(await find(ask, { issuer: 'https://login.example' })).toMatchObject({
      issuer: 'https://login.example',
    })
    await expect(find(ask, { issuer: 'https://third.example' })).rejects.toMatchObject({ reason: 'issuer' })
  })

  test('an issuer that fails, or has no endpoint for tokens, is said to', async () => {
    const resource = { resource: server.href, authorization_servers: ['https://login.example'] }
    const place = 'https://mcp.example/.well-known/oauth-protected-resource/team/mcp'
    const at = 'https://login.example/.well-known/oauth-authorization-server'
    await expect(find(scripted({ [place]: resource, [at]: 500 }).ask)).rejects.toMatchObject({
      reason: 'unreachable',
    })
    await expect(find(scripted({ [place]: resource }).ask)).rejects.toMatchObject({ reason: 'undiscovered' })
    const empty = { issuer: 'https://login.example' }
    await expect(find(scripted({ [place]: resource, [at]: empty }).ask)).rejects.toMatchObject({
      reason: 'unusable',
    })
  })
})

test('T28 issuers are the same letter by letter; only an origin may have its slash or not', () => {
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
