import { expect, test } from 'vitest'
import { readGatewaySettings } from './gateway-settings.ts'
import type { Json } from '../../model/json.ts'

function read(value: Json) {
  const problems: string[] = []
  const settings = readGatewaySettings(value, (path, message) =>
    problems.push(`${path.join('.')} ${message}`.trim()),
  )
  return { settings, problems }
}

test('settings without a mistake are used as they are', () => {
  const settings = {
    host: '0.0.0.0',
    url: 'https://mcp.example.com/mcp',
    tls: { cert: 'a.pem', key: 'b.pem' },
    proxies: ['10.0.0.0/8'],
    origins: ['https://app.example.com'],
    maxRequestBytes: 4096,
    metrics: 'open',
    issuers: [
      {
        issuer: 'https://login.example.com/realms/a',
        audience: ['mcp'],
        jwks: 'keys.json',
        algorithms: ['ES256', 'EdDSA'],
        clients: ['*'],
        name: 'email',
        scopes: ['read'],
        rules: [{ claims: { groups: ['eng-*'], email: '*@example.com' }, views: 'all' }],
      },
      { issuer: 'http://127.0.0.1:9000', rules: [] },
    ],
    servers: {
      'b*': { isolation: 'principal', idleSeconds: 60 },
      vault: { credentials: 'caller' },
      '*': { isolation: 'call' },
    },
  }
  expect(read(settings)).toEqual({ settings, problems: [] })
})

test.each<[Json]>([
  ['x'],
  [{ url: 'mcp.example.com' }],
  [{ url: 'file:///a' }],
  [{ tls: { cert: 'a.pem' } }],
  [{ tls: { cert: 'a.pem', key: 'b.pem', ca: 'c.pem' } }],
  [{ origins: ['*'] }],
  [{ origins: ['https://app.example.com/'] }],
  [{ maxRequestBytes: 10 }],
  [{ metrics: true }],
  [{ servers: ['x'] }],
  [{ servers: { x: { isolation: 'caller' } } }],
  [{ servers: { x: { credentials: 'principal' } } }],
  [{ servers: { x: { idleSeconds: -1 } } }],
  [{ servers: { x: { idle: 5 } } }],
  [{ proxys: [] }],
  [{ issuers: { issuer: 'https://a', rules: [] } }],
  [{ issuers: [{ issuer: 'https://a' }] }],
  [{ issuers: [{ issuer: 'http://login.example.com', rules: [] }] }],
  [{ issuers: [{ issuer: 'https://u:p@a', rules: [] }] }],
  [{ issuers: [{ issuer: 'https://a?x', rules: [] }] }],
  [
    {
      issuers: [
        { issuer: 'https://a', rules: [] },
        { issuer: 'https://a', rules: [] },
      ],
    },
  ],
  [{ issuers: [{ issuer: 'https://a', rules: [], algorithms: ['HS256'] }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [], algorithms: [] }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [], audience: [] }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [], jwks: 'http://keys.example.com' }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [{ claims: { groups: 'a' } }] }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [{ claims: { groups: 1 }, views: 'all' }] }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [{ claims: {}, views: '*' }] }] }],
  [{ issuers: [{ issuer: 'https://a', rules: [], rule: [] }] }],
  [{ isDamaged: true }],
])('with the mistake in %j nothing of them is used', (value) => {
  const { settings, problems } = read(value)
  expect(settings).toEqual({ isDamaged: true })
  expect(problems).toEqual([expect.stringContaining('the gateway does not serve HTTP.')])
})
