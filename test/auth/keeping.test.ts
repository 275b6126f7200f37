import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { accounts, forget, login, logout } from '../../src/auth.ts'
import { discover } from '../../src/index.ts'
import { approveDevice, startAuthorizationServer } from '../support/authorization-server.ts'
import { createPerson, impatient } from '../support/person-of-auth.ts'
import type { Person } from '../support/person-of-auth.ts'
import { serve, tlsFixture } from '../support/http-server.ts'
import { faultyServer } from '../../src/testing.ts'

async function loggedIn() {
  const authority = await startAuthorizationServer()
  const person = createPerson({ url: authority.mcp })
  await person.login()
  return { authority, person }
}

const known = async ({ options }: Person) =>
  (await accounts(undefined, options)).map(({ account }) => account)

test('T34 a folder of logins that others may write to is closed to them', async () => {
  const authority = await startAuthorizationServer()
  const person = createPerson({ url: authority.mcp })
  mkdirSync(person.logins, { recursive: true })
  chmodSync(person.logins, 0o777)
  await person.login()
  expect(statSync(person.logins).mode & 0o022).toBe(0)
  expect(await known(person)).toEqual(['default'])
})

test('T34 a login that somebody else wrote, or could have written, is none', async () => {
  const { person } = await loggedIn()
  const paths = readdirSync(person.logins).map((name) => join(person.logins, name))
  for (const path of paths) {
    chmodSync(path, 0o666)
    const host = await person.host()
    await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
    expect(host.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
      { message: `${path} is not yours alone, so that the login in it is not used. Log in again.` },
    ])
    chmodSync(path, 0o600)
    await expect((await person.host()).connect('vault')).resolves.toBeDefined()
  }
})

test.runIf(process.getuid?.() === 0)('T34 a file of another user is no login', async () => {
  const { person } = await loggedIn()
  for (const name of readdirSync(person.logins)) chownSync(join(person.logins, name), 65_534, 65_534)
  expect(await known(person)).toEqual([])
  await expect((await person.host()).connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
})

test('a listing whose parts are of another kind is no login, and breaks nothing', async () => {
  const { person } = await loggedIn()
  const [listed] = await accounts(undefined, person.options)
  for (const odd of [{ who: { a: 1 } }, { expiresAt: 1e30 }, { since: null }, { expiresAt: 'soon' }]) {
    person.damage('.json', JSON.stringify({ ...listed, ...odd }))
    expect(await known(person)).toEqual([])
  }
})

test('the last login counts, also where the clock was ahead at an earlier one', async () => {
  const authority = await startAuthorizationServer()
  const person = createPerson({ url: authority.mcp })
  const clock = impatient()
  const ahead = { ...clock, now: () => Date.now() + 86_400_000 }
  const platform = { ...person.options.platform, clock: ahead }
  await person.login({ account: 'home', platform })
  await person.login({ account: 'work' })
  expect(await known(person)).toEqual(['work', 'home'])
})

test('a login can be left where its entry lacks a value, or leads elsewhere now', async () => {
  const { authority, person } = await loggedIn()
  person.rewrite({ url: authority.mcp, headers: { 'X-Team': '${NOT_SET_ANYWHERE}' } })
  expect(await logout(await person.server(), person.options)).toMatchObject([{ account: 'default' }])
  expect(await known(person)).toEqual([])
  person.rewrite({ url: authority.mcp })
  await person.login()
  person.rewrite({ url: 'https://elsewhere.example/mcp' })
  expect(await logout(await person.server(), person.options)).toEqual([])
  const [left] = await accounts(undefined, person.options)
  if (left) await forget(left, person.options)
  expect(readdirSync(person.logins)).toEqual([])
  expect(authority.asked.filter(({ path }) => path === '/revoke')).toHaveLength(2)
})

test('O11 T32 a name that logins of two servers have is nobody’s: no program gets the token of the wrong one', async () => {
  const one = await startAuthorizationServer()
  const person = createPerson({ url: one.mcp })
  await person.login()
  const other = await startAuthorizationServer()
  person.rewrite({ url: other.mcp })
  await person.login()
  const program = faultyServer({ tools: [{ name: 'environment', inputSchema: { type: 'object' } }] })
  person.rewrite({ ...program, type: 'stdio', auth: { type: 'oauth', credentialId: 'default' } })
  const host = await person.host()
  const answer = await host.request('vault', 'tools/call', { name: 'environment' })
  expect(JSON.stringify(answer)).not.toContain('OAUTH_ACCESS_TOKEN')
  expect(host.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
    { message: 'There is no credential "default"; it is tried without.' },
  ])
})

test('a server that never says anything: the time is up, which is not the same as cancelled', async () => {
  const silent = await serve(() => undefined)
  const person = createPerson({ url: silent.url.href })
  await expect(person.login({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'login.timeout' })
  const cancelled = person.login({ signal: AbortSignal.abort() })
  await expect(cancelled).rejects.toMatchObject({ code: 'login.cancelled' })
})

test('T33 an issuer that fails is asked once before the token runs out, not by every request', async () => {
  const { authority, person } = await loggedIn()
  authority.instead = ({ path }) => (path === '/token' ? { status: 503 } : undefined)
  const clock = { ...impatient(), now: () => Date.now() + 590_000 }
  const host = await person.host({ platform: { ...person.options.platform, clock } })
  await host.connect('vault')
  for (let i = 0; i < 3; i++) await host.request('vault', 'tools/call', { name: 'work' })
  expect(authority.grants().filter((grant) => grant === 'refresh_token')).toHaveLength(1)
})

test('the question for an address is taken back when the login is over', async () => {
  const authority = await startAuthorizationServer()
  const person = createPerson({ url: authority.mcp })
  const { servers } = await discover({ ...person.options, config: join(person.home, 'mcp.json') })
  const [server] = servers
  if (!server) throw new Error('The server is not declared.')
  let isTakenBack = false
  const paste = (_question: string, over: AbortSignal) =>
    new Promise<string>(() => over.addEventListener('abort', () => (isTakenBack = true)))
  const pending = login(server, { ...person.options, flow: 'paste', paste, timeoutMs: 200 })
  await expect(pending).rejects.toMatchObject({ code: 'login.timeout' })
  expect(isTakenBack).toBe(true)
})

test('T39 the authority that an entry names counts for the login at that server too, and for nobody else', async () => {
  const json = (response: ServerResponse, body: object) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const tls = { key: tlsFixture('server.key'), cert: tlsFixture('good.crt') }
  let issuer: string | undefined
  const server = await serve(({ path, headers }, response) => {
    const { origin, href } = server.url
    if (path.includes('oauth-protected-resource'))
      return json(response, { resource: href, authorization_servers: [issuer ?? origin] })
    if (path.includes('oauth-authorization-server'))
      return json(response, { issuer: origin, token_endpoint: `${origin}/token` })
    if (path === '/token') return json(response, { access_token: 'token-of-the-test', token_type: 'Bearer' })
    return void response.writeHead(headers['authorization'] === undefined ? 401 : 404).end()
  }, tls)
  const auth = { type: 'oauth', grantType: 'client_credentials', clientId: 'c', clientSecret: 's' }
  const caFile = fileURLToPath(new URL('../fixtures/tls/ca.crt', import.meta.url))
  const person = createPerson({ url: server.url.href, auth, caFile })
  expect(await person.login()).toMatchObject({ issuer: server.url.origin })
  await logout(await person.server(), person.options)
  await (await person.host()).connect('vault').catch(() => undefined)
  expect(server.seen.at(-1)?.headers['authorization']).toBe('Bearer token-of-the-test')
  const other = await serve(() => undefined, tls)
  issuer = other.url.origin
  await expect(person.login()).rejects.toMatchObject({ data: { reason: 'unreachable' } })
  expect(other.seen).toEqual([])
})

test('a code for another device: a request that is lost on the way does not end the login', async () => {
  const authority = await startAuthorizationServer()
  const person = createPerson({ url: authority.mcp }, { clock: impatient() })
  let polls = 0
  authority.instead = ({ path }) => (path === '/token' && ++polls === 1 ? { status: 503 } : undefined)
  const account = await person.login({
    flow: 'device',
    tell: (step) => void (step.type === 'device' && approveDevice(step.completeUrl ?? step.url)),
  })
  expect(account).toMatchObject({ account: 'default', scopes: ['read'] })
  expect(polls).toBeGreaterThan(1)
})
