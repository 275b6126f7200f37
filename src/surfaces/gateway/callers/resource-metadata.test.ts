import { describe, expect, test } from 'vitest'
import type { TokenIssuer } from '../../../internal.ts'
import { describeResource } from './resource-metadata.ts'

const wellKnown = '/.well-known/oauth-protected-resource'
const issuer: TokenIssuer = { issuer: 'https://login.example', rules: [] }
const scoped: TokenIssuer = { ...issuer, issuer: 'https://other.example', scopes: ['read', 'write'] }

const plain = describeResource('https://mcp.example/mcp', [issuer])
const documentOf = (resource: string) => ({
  resource,
  authorization_servers: ['https://login.example'],
  bearer_methods_supported: ['header'],
  resource_name: 'Plugboard',
})

describe('describeResource: the document (RFC 9728)', () => {
  test.each([
    [wellKnown, 'https://mcp.example/mcp'],
    [`${wellKnown}/`, 'https://mcp.example/mcp'],
    [`${wellKnown}/mcp`, 'https://mcp.example/mcp'],
    [`${wellKnown}/mcp/ours`, 'https://mcp.example/mcp/ours'],
  ])('%s is about %s', (path, resource) => {
    expect(plain.at(path)).toEqual(documentOf(resource))
  })

  test.each([
    '/mcp',
    `/a${wellKnown}`,
    `/mcp${wellKnown}`,
    `${wellKnown}/other`,
    `${wellKnown}/mcpx`,
    `${wellKnown}/mcp/`,
    `${wellKnown}/mcp/a/b`,
  ])('there is none at %s', (path) => {
    expect(plain.at(path)).toBeUndefined()
  })

  test('there is none without an issuer', () => {
    expect(describeResource('https://mcp.example/mcp', []).at(wellKnown)).toBeUndefined()
  })

  test('a gateway that a proxy serves at another path has it there, and at its own', () => {
    const proxied = describeResource('https://example.com/tools/', [issuer])
    const expected = documentOf('https://example.com/tools')
    expect([proxied.at(`${wellKnown}/tools`), proxied.at(`${wellKnown}/mcp`)]).toEqual([expected, expected])
    expect(proxied.at(`${wellKnown}/tools/ours`)).toEqual(documentOf('https://example.com/tools/ours'))
  })

  test('the scopes of all issuers are in it once each', () => {
    const both = describeResource('https://mcp.example/mcp', [
      issuer,
      scoped,
      { ...scoped, scopes: ['read'] },
    ])
    expect(both.at(wellKnown)).toMatchObject({ scopes_supported: ['read', 'write'] })
    expect(plain.at(wellKnown)).not.toHaveProperty('scopes_supported')
  })
})

test('audiencesOf: tokens may be for the address as it is written, without its last slash, or for the view', () => {
  const described = describeResource('https://mcp.example/mcp/', [issuer])
  const base = ['https://mcp.example/mcp/', 'https://mcp.example/mcp']
  expect(described.audiencesOf('/mcp')).toEqual(base)
  expect(described.audiencesOf('/mcp/ours')).toEqual([...base, 'https://mcp.example/mcp/ours'])
  expect(described.audiencesOf('/mcp/ours/more')).toEqual(base)
})

describe('challengeFor: the header of a refused request', () => {
  const metadata = `resource_metadata="https://mcp.example${wellKnown}/mcp"`

  test('names the document of its address', () => {
    expect(plain.challengeFor('/mcp', false)).toBe(`Bearer ${metadata}`)
    expect(plain.challengeFor('/mcp/ours', false)).toBe(
      `Bearer resource_metadata="https://mcp.example${wellKnown}/mcp/ours"`,
    )
  })

  test('says that a token was bad, and which scopes there are', () => {
    const both = describeResource('https://mcp.example/mcp', [scoped])
    expect(both.challengeFor('/mcp', true)).toBe(
      `Bearer error="invalid_token", ${metadata}, scope="read write"`,
    )
  })

  test('is only the scheme where keys alone count', () => {
    const keysOnly = describeResource('https://mcp.example/mcp', [])
    expect(keysOnly.challengeFor('/mcp', false)).toBe('Bearer')
    expect(keysOnly.challengeFor('/mcp', true)).toBe('Bearer error="invalid_token"')
  })
})
