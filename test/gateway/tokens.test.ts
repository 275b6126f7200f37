import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { signJwt } from '../../src/login/jwt.ts'
import { openOwnAudit } from '../../src/store.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import { echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'
import { createPerson } from '../support/person-of-auth.ts'
import { serveMcp } from '../support/remote.ts'

const views = { ours: { servers: ['echo'], tools: ['*echo'] }, theirs: { servers: ['other'] } }
const servers = { echo: echoServer(), other: echoServer() }
const rules = [
  { claims: { groups: ['eng-*'] }, views: ['ours'] },
  { claims: { groups: 'admins', scope: 'read' }, views: 'all' as const },
]

type KeyType = 'rsa' | 'ec' | 'ed25519'

function createJwk(kid: string, type: KeyType = 'rsa'): JsonObject {
  const options = { modulusLength: 2048, namedCurve: 'P-256' }
  const { privateKey } = generateKeyPairSync(type as 'rsa', options) // the others ignore what is not theirs
  return { ...(privateKey.export({ format: 'jwk' }) as JsonObject), kid, use: 'sig' } // a JWK
}

const first = createJwk('first')
const second = createJwk('second', 'ec')
const third = createJwk('third', 'ed25519')

/** A real issuer, and a gateway that accepts its tokens. */
async function start(options: { readonly keys?: readonly JsonObject[]; readonly jwks?: string } = {}) {
  const authServer = await startAuthorizationServer({
    signed: {
      keys: options.keys ?? [first],
      claims: { groups: ['eng-tools', 'staff'], email: 'dana@example.com' },
    },
  })
  const clock = { now: Date.now() }
  const { issuer } = authServer
  const own = { issuer, rules, scopes: ['read'], ...(options.jwks !== undefined && { jwks: options.jwks }) }
  const started = await startGateway(servers, { views, gateway: { issuers: [own] }, now: () => clock.now })
  const claims = (more: JsonObject = {}): JsonObject => {
    const iat = Math.floor(clock.now / 1000)
    const usual = { iss: issuer, sub: 'dana', aud: started.url, iat, exp: iat + 300, groups: ['eng-tools'] }
    return { ...usual, ...more }
  }
  return { authServer, started, clock, claims, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() }
}

function sign(claims: JsonObject, jwk: JsonObject = first, header: JsonObject = {}): string {
  const key = createPrivateKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' })
  const alg = jwk['kty'] === 'EC' ? 'ES256' : jwk['kty'] === 'OKP' ? 'EdDSA' : 'RS256'
  return signJwt({ alg, kid: jwk['kid'] ?? '', typ: 'at+jwt', ...header }, claims, key)
}

function toPublic({ kty, n, e, kid }: JsonObject): JsonObject {
  return { kty, n, e, kid } as JsonObject // all of a public RSA key
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const bearer = (token: string, path = '') => ({ path, headers: { authorization: `Bearer ${token}` } })
const list = (started: GatewayMachine, token: string, path = '') =>
  started.modern('tools/list', {}, bearer(token, path))
const toolsOf = ({ body }: Reply) =>
  (body.result?.['tools'] as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name)
const outcome = ({ status, body }: Reply) => ({ status, message: body.error?.['message'] })

async function refused(token: string, started: GatewayMachine, message: string) {
  expect(outcome(await list(started, token))).toEqual({ status: 401, message })
}

test('T31 a client finds the issuer by RFC 9728, logs in there, and calls with its token', async () => {
  await using gate = await start()
  const { authServer, started } = gate
  const person = createPerson({ url: started.url })
  const host = await person.host()
  await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
  expect(await person.login()).toMatchObject({ issuer: authServer.issuer, scopes: ['read'] })
  expect(
    await host.request('vault', 'tools/call', { name: 'echo__echo', arguments: { a: 1 } }),
  ).toMatchObject({
    content: [{ text: '{"a":1}' }],
  })
  await host.close()
  // The caller is named by its subject; the token is in no row.
  await started.gateway.host.flushAudit()
  const { home, env, project } = started.machine
  await using audit = await openOwnAudit({ cwd: project, platform: { home, env } })
  const rows = await audit.list()
  expect(rows.map((row) => (row.kind === 'call' ? row.by : undefined))).toMatchObject([
    { surface: 'gateway', user: 'dana' },
  ])
  expect(JSON.stringify(rows)).not.toContain(person.token().slice(0, 40))
})

test('RFC 9728 the metadata of an address names that address, also for views that do not exist', async () => {
  await using gate = await start()
  const { authServer, started } = gate
  const { origin } = new URL(started.url)
  const place = `${origin}/.well-known/oauth-protected-resource`
  const about = (resource: string) => ({
    resource,
    authorization_servers: [authServer.issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: ['read'],
    resource_name: 'Plugboard',
  })
  for (const path of ['/mcp', '/mcp/ours', '/mcp/nothing'])
    expect(await (await fetch(place + path)).json()).toEqual(about(origin + path))
  expect(await (await fetch(place)).json()).toEqual(about(started.url))
  for (const path of ['/mcp/a/b', '/other', '/mcpx']) expect((await fetch(place + path)).status).toBe(401)
  const bare = await fetch(`${started.url}/ours`, { method: 'POST' })
  expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${place}/mcp/ours", scope="read"`,
  ])
  const bad = await list(started, 'x.y.z')
  expect(bad.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", resource_metadata="${place}/mcp", scope="read"`,
  )
})

test('the claims of a token decide which views its caller has; one that no rule matches has nothing', async () => {
  await using gate = await start({ keys: [first, second, third] })
  const { started, claims } = gate
  for (const jwk of [first, second, third]) {
    const token = sign(claims(), jwk)
    expect(toolsOf(await list(started, token))).toEqual(['echo__echo'])
    expect((await list(started, token, '/theirs')).status).toBe(404)
  }
  const admin = sign(claims({ groups: ['admins'], scope: 'openid read' }))
  expect(toolsOf(await list(started, admin))).toHaveLength(10)
  const nothing = { status: 403, message: 'No rule of this gateway is for the claims of this token.' }
  for (const more of [
    { groups: ['admins'], scope: 'readonly' },
    { groups: [] },
    { groups: { 0: 'eng-tools' } },
  ])
    expect(outcome(await list(started, sign(claims(more))))).toEqual(nothing)
})

test('T31 a token for one view counts at its address only, and one of another audience nowhere', async () => {
  await using gate = await start()
  const { started, claims } = gate
  const forView = sign(claims({ aud: [`${started.url}/ours`, 'https://other.example.com'] }))
  expect(toolsOf(await list(started, forView, '/ours'))).toEqual(['echo__echo'])
  await refused(forView, started, 'The token is for another audience.')
  const { origin } = new URL(started.url)
  for (const aud of [
    'https://other.example.com/mcp',
    origin,
    `${started.url}/`,
    [],
    7,
    null,
    [[started.url]],
  ])
    await refused(sign(claims({ aud })), started, 'The token is for another audience.')
})

test('T31 hostile tokens are refused, each with its reason', async () => {
  await using gate = await start()
  const { started, clock, claims } = gate
  const now = Math.floor(clock.now / 1000)
  const good = sign(claims())
  const [head = '', body = '', signature = ''] = good.split('.')
  const publicPem = createPublicKey({ key: toPublic(first) as unknown as JsonWebKey, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })
  const unsigned = (header: object, mac = '') => `${part(header)}.${body}.${mac}`
  const hs = `${part({ alg: 'HS256', kid: 'first' })}.${body}`
  const withPublicKey = createHmac('sha256', publicPem).update(hs).digest('base64url')
  const strange = createJwk('first')
  const unaccepted = 'The token is not signed in a way that is accepted.'
  const unsignedByIssuer = 'The token is not signed by its issuer.'
  for (const [token, message] of [
    [unsigned({ alg: 'none' }), 'The token is no signed token.'],
    [unsigned({ alg: 'none' }, 'x'), unaccepted],
    [unsigned({ alg: 'NONE' }, 'x'), unaccepted],
    [unsigned({ kid: 'first' }, signature), unaccepted],
    [`${hs}.${withPublicKey}`, unaccepted],
    [sign(claims(), strange), unsignedByIssuer],
    [sign(claims(), strange, { jwk: toPublic(strange) }), unsignedByIssuer],
    [sign(claims(), strange, { jku: 'http://127.0.0.1:1/keys' }), unsignedByIssuer],
    [sign(claims(), first, { kid: '../../first' }), unsignedByIssuer],
    [sign(claims(), first, { kid: '__proto__' }), unsignedByIssuer],
    [sign(claims(), first, { kid: ['first'] }), 'The token names no usable key.'],
    [sign(claims(), first, { kid: 'k'.repeat(300) }), 'The token names no usable key.'],
    [sign(claims(), first, { crit: ['exp'] }), 'The token has critical extensions.'],
    [sign(claims(), first, { typ: 'dpop+jwt' }), 'The token is of another type.'],
    [sign(claims({ pad: 'x'.repeat(9500) })), 'The token is too long.'],
    [`${head}.${part(claims({ groups: ['admins'] }))}.${signature}`, unsignedByIssuer],
    [`${head}.${body}.${signature.slice(0, -4)}`, unsignedByIssuer],
    [`${head}.${body}=.${signature}`, 'The token is no signed token.'],
    [sign(claims({ iss: 'https://login.example.com' })), 'The token is of another issuer.'],
    [sign(claims({ exp: now - 31 })), 'The token has expired.'],
    [sign(claims({ exp: String(now + 300) })), 'The token has no end.'],
    [sign(claims({ nbf: now + 60 })), 'The token is not valid yet.'],
    [sign(claims({ iat: now + 60 })), 'The token is not valid yet.'],
    [sign(claims({ sub: '' })), 'The token names no subject.'],
    [sign(claims({ azp: ['x'] })), 'The token names no usable client.'],
    [sign(claims({ cnf: { jkt: 'x' } })), 'The token is bound to a key, which cannot be proved here.'],
  ] as const)
    await refused(token, started, message)
  expect((await list(started, good)).status).toBe(200)
  // Within the leeway; and no longer once it is over, although the signature was verified before.
  const short = sign(claims({ exp: now - 10 }))
  expect((await list(started, short)).status).toBe(200)
  clock.now += 25_000
  await refused(short, started, 'The token has expired.')
})

test('settings can narrow the algorithms and clients, and name the audience, the name and the file of the keys', async () => {
  const { d: _d, ...published } = second
  const issuer = 'https://login.example.com'
  const own = {
    issuer,
    jwks: 'keys.json',
    algorithms: ['ES256'],
    clients: ['desk-*'],
    audience: 'mcp',
    name: 'email',
    rules,
  }
  const clock = { now: Date.now() }
  await using started = await startGateway(servers, {
    views,
    gateway: { issuers: [own] },
    now: () => clock.now,
  })
  const exp = Math.floor(clock.now / 1000) + 300
  const email = 'dana@example.com'
  const claims = { iss: issuer, sub: 's', aud: 'mcp', exp, azp: 'desk-1', groups: ['eng-a'], email }
  expect(outcome(await list(started, sign(claims, second)))).toEqual({
    status: 503,
    message: 'The keys of the issuer cannot be read now.',
  })
  writeFileSync(
    join(started.machine.home, '.config/plugboard/keys.json'),
    JSON.stringify({ keys: [published, toPublic(first), { kty: 'oct', k: 'AAAA', kid: 'third' }] }),
  )
  clock.now += 10_000
  const call = { name: 'echo__echo', arguments: {} }
  expect(textOf(await started.modern('tools/call', call, bearer(sign(claims, second))))).toBe('{}')
  await refused(sign(claims, first), started, 'The token is not signed in a way that is accepted.')
  await refused(sign({ ...claims, azp: 'page' }, second), started, 'The token is of another client.')
  await refused(sign({ ...claims, aud: started.url }, second), started, 'The token is for another audience.')
  await started.gateway.host.flushAudit()
  const { home, env, project } = started.machine
  await using audit = await openOwnAudit({ cwd: project, platform: { home, env } })
  expect((await audit.list()).map((row) => row.kind === 'call' && row.by)).toMatchObject([{ user: email }])
})

test('settings that are read again hold for the next request; a subscription that a token opened is cut', async () => {
  await using gate = await start()
  const { authServer, started, claims } = gate
  const token = sign(claims())
  expect(toolsOf(await list(started, token))).toEqual(['echo__echo'])
  const opened = await fetch(started.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  const body = opened.text().then(
    () => 'ended',
    (error: Error) => error.message,
  )
  const { issuer } = authServer
  await started.applyIssuers([{ issuer, rules: [{ claims: { sub: 'd*' }, views: ['theirs'] }] }])
  expect(await body).toBe('terminated')
  expect(toolsOf(await list(started, token))).toContain('other__echo')
  await started.applyIssuers([])
  await refused(token, started, 'The token or key is not valid here.')
})

test('keys: an issuer that is away stops no token whose key is known', async () => {
  await using gate = await start({ keys: [first] })
  const { authServer, started, clock, claims } = gate
  const fetched = () => authServer.requests.filter(({ path }) => path === '/jwks').length
  expect((await list(started, sign(claims()))).status).toBe(200)
  expect(fetched()).toBe(1)
  // Away, with keys that are old enough to be read again: nothing waits, and nothing fails.
  authServer.respondInstead = () => ({ status: 0, hangs: true })
  clock.now += 11 * 60_000
  for (const sub of ['a', 'b', 'c']) expect((await list(started, sign(claims({ sub })))).status).toBe(200)
})

test('keys: tokens with keys that the issuer does not have make it read them once in ten seconds, not more', async () => {
  await using gate = await start({ keys: [first] })
  const { authServer, started, clock, claims } = gate
  const fetched = () => authServer.requests.filter(({ path }) => path === '/jwks').length
  await list(started, sign(claims()))
  clock.now += 10_000
  const strange = (kid: number) => sign(claims(), first, { kid: `k${kid}` })
  await Promise.all(Array.from({ length: 20 }, (_, at) => list(started, strange(at))))
  expect(fetched()).toBe(2)
  await refused(strange(99), started, 'The token is not signed by its issuer.')
  expect(fetched()).toBe(2)
  // A key that was added since is found with the next read.
  const { d: _d, ...added } = second
  authServer.respondInstead = ({ path }) =>
    path === '/jwks' ? { status: 200, body: JSON.stringify({ keys: [added] }) } : undefined
  clock.now += 10_000
  expect((await list(started, sign(claims(), second))).status).toBe(200)
  // And the one that is gone no longer counts.
  await refused(sign(claims()), started, 'The token is not signed by its issuer.')
})

test('keys: an issuer that is down when the gateway starts is asked again; meanwhile tokens get 503, not 401', async () => {
  const authServer = await startAuthorizationServer({ signed: { keys: [first] } })
  const { issuer } = authServer
  authServer.respondInstead = () => ({ status: 503 })
  const clock = { now: Date.now() }
  const gateway = { issuers: [{ issuer, rules: [{ claims: {}, views: 'all' as const }] }] }
  await using started = await startGateway(servers, { gateway, now: () => clock.now })
  const exp = Math.floor(clock.now / 1000) + 300
  const token = sign({ iss: issuer, sub: 'dana', aud: started.url, exp })
  const away = await list(started, token)
  expect([away.status, away.headers.get('retry-after'), away.headers.get('www-authenticate')]).toEqual([
    503,
    '10',
    null,
  ])
  authServer.respondInstead = () => undefined
  expect((await list(started, token)).status).toBe(503)
  clock.now += 10_000
  expect((await list(started, token)).status).toBe(200)
  // Others are not concerned.
  expect((await started.modern('tools/list')).status).toBe(200)
})

test('T31 the token of a caller reaches no server', async () => {
  const upstream = await serveMcp(
    {},
    { era: 'modern', tools: [{ name: 'work', inputSchema: { type: 'object' } }] },
  )
  const authServer = await startAuthorizationServer({ signed: { keys: [first] } })
  const { issuer } = authServer
  const gateway = { issuers: [{ issuer, rules: [{ claims: {}, views: 'all' as const }] }] }
  await using started = await startGateway({ far: { type: 'http', url: upstream.url } }, { gateway })
  const exp = Math.floor(Date.now() / 1000) + 300
  const token = sign({ iss: issuer, sub: 'dana', aud: started.url, exp })
  await started.modern('tools/call', { name: 'far__work', arguments: {} }, bearer(token))
  const seen = JSON.stringify(upstream.requests.map(({ headers, message }) => ({ headers, message })))
  expect(seen).toContain('tools/call')
  expect(seen).not.toContain(token.slice(0, 30))
  expect(seen.toLowerCase()).not.toContain('authorization')
})
