import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listAccounts, forgetAccount, login, logout } from '../../src/auth.ts'
import { discover } from '../../src/index.ts'
import { approveDevice, startAuthorizationServer } from '../support/authorization-server.ts'
import { createPerson, createImpatientClock } from '../support/person-of-auth.ts'
import type { Person } from '../support/person-of-auth.ts'
import { serve, tlsFixture } from '../support/http-server.ts'
import { faultyServer } from '../../src/testing.ts'

async function loggedIn() {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  return { authServer, person }
}

const known = async ({ options }: Person) =>
  (await listAccounts(undefined, options)).map(({ account }) => account)

test('T34 login store: removes the write permission of other users from its directory', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  mkdirSync(person.logins, { recursive: true })
  chmodSync(person.logins, 0o777)
  await person.login()
  expect(statSync(person.logins).mode & 0o022).toBe(0)
  expect(await known(person)).toEqual(['default'])
})

test('T34 login store: ignores a file that other users can write, with a warning', async () => {
  const { person } = await loggedIn()
  const paths = readdirSync(person.logins).map((name) => join(person.logins, name))
  for (const path of paths) {
    chmodSync(path, 0o666)
    const host = await person.host()
    await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
    expect(host.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
      { message: `${path} can be changed by other users, so the login in it is not used. Log in again.` },
    ])
    chmodSync(path, 0o600)
    await expect((await person.host()).connect('vault')).resolves.toBeDefined()
  }
})

test.runIf(process.getuid?.() === 0)('T34 login store: ignores a file that another user owns', async () => {
  const { person } = await loggedIn()
  for (const name of readdirSync(person.logins)) chownSync(join(person.logins, name), 65_534, 65_534)
  expect(await known(person)).toEqual([])
  await expect((await person.host()).connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
})

test('login store: ignores a listing with fields of a wrong type', async () => {
  const { person } = await loggedIn()
  const [listed] = await listAccounts(undefined, person.options)
  for (const odd of [{ who: { a: 1 } }, { expiresAt: 1e30 }, { since: null }, { expiresAt: 'soon' }]) {
    person.damage('.json', JSON.stringify({ ...listed, ...odd }))
    expect(await known(person)).toEqual([])
  }
})

test('accounts: the last login comes first, even if the clock was ahead at an earlier one', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const clock = createImpatientClock()
  const ahead = { ...clock, now: () => Date.now() + 86_400_000 }
  const platform = { ...person.options.platform, clock: ahead }
  await person.login({ account: 'home', platform })
  await person.login({ account: 'work' })
  expect(await known(person)).toEqual(['work', 'home'])
})

test('logout and forget: work when the entry lacks a value or has another address now', async () => {
  const { authServer, person } = await loggedIn()
  person.rewrite({ url: authServer.mcp, headers: { 'X-Team': '${NOT_SET_ANYWHERE}' } })
  expect(await logout(await person.server(), person.options)).toMatchObject([{ account: 'default' }])
  expect(await known(person)).toEqual([])
  person.rewrite({ url: authServer.mcp })
  await person.login()
  person.rewrite({ url: 'https://elsewhere.example/mcp' })
  expect(await logout(await person.server(), person.options)).toEqual([])
  const [left] = await listAccounts(undefined, person.options)
  if (left) await forgetAccount(left, person.options)
  expect(readdirSync(person.logins)).toEqual([])
  expect(authServer.requests.filter(({ path }) => path === '/revoke')).toHaveLength(2)
})

test('O11 T32 credentialId: an account name that two servers share matches no login', async () => {
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
    { message: 'There is no credential "default"; connecting without it.' },
  ])
})

test('login: a silent server ends in login.timeout, an aborted signal in login.cancelled', async () => {
  const silent = await serve(() => undefined)
  const person = createPerson({ url: silent.url.href })
  await expect(person.login({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'login.timeout' })
  const cancelled = person.login({ signal: AbortSignal.abort() })
  await expect(cancelled).rejects.toMatchObject({ code: 'login.cancelled' })
})

test('T33 renewal: a failing issuer is asked once before the token expires, not by every request', async () => {
  const { authServer, person } = await loggedIn()
  authServer.respondInstead = ({ path }) => (path === '/token' ? { status: 503 } : undefined)
  const clock = { ...createImpatientClock(), now: () => Date.now() + 590_000 }
  const host = await person.host({ platform: { ...person.options.platform, clock } })
  await host.connect('vault')
  for (let i = 0; i < 3; i++) await host.request('vault', 'tools/call', { name: 'work' })
  expect(authServer.grants().filter((grant) => grant === 'refresh_token')).toHaveLength(1)
})

test('login: the paste prompt is aborted when the login times out', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const { servers } = await discover({ ...person.options, config: join(person.home, 'mcp.json') })
  const [server] = servers
  if (!server) throw new Error('The server is not declared.')
  const prompts: AbortSignal[] = []
  const paste = (_question: string, over: AbortSignal) => {
    prompts.push(over)
    return new Promise<string>(() => undefined)
  }
  // A login that ends before its prompt, on a busy machine, shows nothing: the next one has more time.
  for (let timeoutMs = 200; prompts.length === 0; timeoutMs *= 2) {
    const pending = login(server, { ...person.options, flow: 'paste', paste, timeoutMs })
    await expect(pending).rejects.toMatchObject({ code: 'login.timeout' })
  }
  expect(prompts.map(({ aborted }) => aborted)).toEqual([true])
})

test('T39 login: the caFile of an entry is trusted for its server only', async () => {
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

test('login, device flow: a failed poll does not end the login', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp }, { clock: createImpatientClock() })
  let polls = 0
  authServer.respondInstead = ({ path }) => (path === '/token' && ++polls === 1 ? { status: 503 } : undefined)
  const account = await person.login({
    flow: 'device',
    tell: (step) => void (step.type === 'device' && approveDevice(step.completeUrl ?? step.url)),
  })
  expect(account).toMatchObject({ account: 'default', scopes: ['read'] })
  expect(polls).toBeGreaterThan(1)
})
