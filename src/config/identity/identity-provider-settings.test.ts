import { expect, test } from 'vitest'
import { createPerson } from '../../../test/support/person.ts'
import { matchesServer } from './identity-provider-settings.ts'
import { readSettings } from '../settings.ts'

test('SEP-990 settings: the star of an address stands for labels of the host only (T28)', () => {
  const matches = (pattern: string, url: string) => matchesServer(pattern, new URL(url))
  expect({
    sub: matches('https://*.acme.com', 'https://mcp.acme.com/x'),
    self: matches('https://*.acme.com', 'https://acme.com/x'),
    path: matches('https://*.acme.com', 'https://evil.com/.acme.com'),
    ending: matches('https://*.acme.com', 'https://evilacme.com/'),
    port: matches('https://*.acme.com', 'https://mcp.acme.com:8443/'),
    scheme: matches('https://*.acme.com', 'http://mcp.acme.com/'),
    folder: matches('https://acme.com/team', 'https://acme.com/team/mcp'),
    beside: matches('https://acme.com/team', 'https://acme.com/teams'),
  }).toEqual({
    sub: true,
    self: false,
    path: false,
    ending: false,
    port: false,
    scheme: false,
    folder: true,
    beside: false,
  })
})

test('SEP-990 settings: a wrong identity provider is reported with its place, the others are read', async () => {
  const good = { issuer: 'https://login.example.com', clientId: 'host' }
  const identityProviders = {
    good,
    plain: { ...good, issuer: 'http://login.example.com' },
    star: { ...good, servers: ['https://*'] },
  }
  const { platform } = createPerson({ '~/.config/plugboard/settings.json': { identityProviders } })
  const { settings, diagnostics } = await readSettings(platform)
  expect(Object.keys(settings.identityProviders ?? {})).toEqual(['good'])
  expect(diagnostics.map(({ origin }) => origin)).toMatchObject([
    { pointer: '/identityProviders/plain' },
    { pointer: '/identityProviders/star/servers' },
  ])
})
