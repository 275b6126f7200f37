import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test } from 'vitest'
import { listAccounts } from '../../src/auth.ts'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { IssuerResponse, AuthorizationServer } from '../support/authorization-server.ts'
import { createPerson, createImpatientClock } from '../support/person-of-auth.ts'
import { serve } from '../support/http-server.ts'
import { lookUpNames } from '../support/names.ts'

const json = (body: object, status = 200): IssuerResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Serves the issuer's metadata with some fields replaced. */
async function withMetadata(authServer: AuthorizationServer, over: object): Promise<void> {
  const response = await fetch(`${authServer.issuer}/.well-known/openid-configuration`)
  const metadata = (await response.json()) as object
  authServer.respondInstead = ({ path }) =>
    path === '/.well-known/oauth-authorization-server' ? json({ ...metadata, ...over }) : undefined
}

/** Runs a login; returns its error, the opened addresses, the token grants and the stored accounts. */
async function tryLogin(authServer: AuthorizationServer, clock?: ReturnType<typeof createImpatientClock>) {
  const person = createPerson({ url: authServer.mcp }, clock ? { clock } : {})
  const opened: string[] = []
  const error = await person.login({ timeoutMs: 30_000, open: async (url) => void opened.push(url) }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { error, opened, grants: authServer.grants(), known: await listAccounts(undefined, person.options) }
}

const failed = (reason: string) => ({ code: 'login.failed', data: { server: 'vault', reason } })

test('T29 login: an issuer at a private address is not contacted', async () => {
  const places = [
    'http://169.254.169.254/latest',
    'https://10.0.0.1/',
    'https://192.168.1.1',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://0x0a.0.0.1',
    'https://[64:ff9b::a00:1]/',
    'https://user:secret@example.com',
  ]
  for (const place of places) {
    const authServer = await startAuthorizationServer({
      resourceMetadata: { authorization_servers: [place] },
    })
    const { error, opened, grants } = await tryLogin(authServer)
    expect({ place, error, opened, grants }).toMatchObject({
      place,
      error: failed('blocked'),
      opened: [],
      grants: [],
    })
    expect(String(error)).not.toContain('secret')
  }
})

test('T29 login: an endpoint at a private address is not contacted, given as an IP or as a name', async () => {
  // Runs after lookUpNames has restored the resolver.
  onTestFinished(() => syncBuiltinESMExports())
  lookUpNames(() => [
    { address: '93.184.215.14', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ])
  syncBuiltinESMExports()
  for (const endpoint of ['registration_endpoint', 'token_endpoint']) {
    for (const place of ['https://10.0.0.1/x', 'http://169.254.169.254/x', 'https://rebinding.example/x']) {
      const authServer = await startAuthorizationServer()
      await withMetadata(authServer, { [endpoint]: place })
      const person = createPerson({ url: authServer.mcp })
      const error: unknown = await person.login().catch((thrown: unknown) => thrown)
      expect({ endpoint, place, error }).toMatchObject({ endpoint, place, error: failed('blocked') })
    }
  }
})

test('T29 login: a metadata redirect to a private address is not followed', async () => {
  const authServer = await startAuthorizationServer()
  authServer.respondInstead = ({ path }) =>
    path.startsWith('/.well-known')
      ? { status: 302, headers: { location: 'http://169.254.169.254/x' } }
      : undefined
  expect((await tryLogin(authServer)).error).toMatchObject(failed('blocked'))
})

test('T28 FI-64 login: metadata that names another issuer is refused before a client is registered', async () => {
  const authServer = await startAuthorizationServer()
  await withMetadata(authServer, { issuer: 'https://other.example' })
  const { error, grants } = await tryLogin(authServer)
  expect({ error, grants }).toMatchObject({ error: failed('issuer'), grants: [] })
  expect(authServer.requests.some(({ path }) => path === '/register')).toBe(false)
})

test('FI-64 login: a response with a wrong or missing iss is refused, and the old login stays', async () => {
  for (const iss of ['&iss=https%3A%2F%2Fother.example', '']) {
    const authServer = await startAuthorizationServer()
    await withMetadata(authServer, { authorization_response_iss_parameter_supported: true })
    const person = createPerson({ url: authServer.mcp })
    await person.login()
    const before = person.token()
    await withMetadata(authServer, { authorization_response_iss_parameter_supported: true })
    const open = async (url: string) => {
      const { searchParams } = new URL(url)
      const back = `${searchParams.get('redirect_uri')}?code=x&state=${searchParams.get('state')}&error_description=evil${iss}`
      await fetch(back)
    }
    const error: unknown = await person.login({ open }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(failed('issuer'))
    expect(String(error)).not.toContain('evil')
    expect(person.token()).toBe(before)
  }
})

test('FI-64 login: after the issuer changes, the server gets no token of the old one, which stays stored', async () => {
  const old = await startAuthorizationServer()
  const person = createPerson({ url: old.mcp, auth: { type: 'oauth', issuer: old.issuer } })
  await person.login()
  const moved = await startAuthorizationServer()
  person.rewrite({ url: old.mcp, auth: { type: 'oauth', issuer: moved.issuer } })
  await expect((await person.host()).connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
  await expect(person.login()).rejects.toMatchObject(failed('issuer'))
  expect((await listAccounts(undefined, person.options)).map(({ issuer }) => issuer)).toEqual([old.issuer])
})

test('T28 FI-64 login: a server cannot redirect a client secret to another issuer', async () => {
  const client = {
    client_id: 'robot',
    client_secret: 'a long secret of the robot',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_post',
  }
  const resourceMetadata: Record<string, unknown> = {}
  const authServer = await startAuthorizationServer({ clients: [client], resourceMetadata })
  const thief = await startAuthorizationServer()
  const auth = {
    type: 'oauth',
    grantType: 'client_credentials',
    clientId: client.client_id,
    clientSecret: client.client_secret,
  }
  const person = createPerson({ url: authServer.mcp, auth })
  await person.login()
  resourceMetadata['authorization_servers'] = [thief.issuer]
  await expect(person.login()).rejects.toMatchObject(failed('issuer'))
  expect(thief.grants()).toEqual([])
  expect((await listAccounts(undefined, person.options)).map(({ issuer }) => issuer)).toEqual([
    authServer.issuer,
  ])
})

test('T27 login: an authorization endpoint that is not https is never opened', async () => {
  for (const endpoint of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'vbscript:x',
    'vscode://x/y',
    'http://evil.example/',
  ]) {
    const authServer = await startAuthorizationServer()
    await withMetadata(authServer, { authorization_endpoint: endpoint })
    const { error, opened } = await tryLogin(authServer)
    expect({ endpoint, error, opened }).toMatchObject({ endpoint, error: failed('blocked'), opened: [] })
  }
})

test('login: an issuer without PKCE is refused', async () => {
  const authServer = await startAuthorizationServer()
  await withMetadata(authServer, { code_challenge_methods_supported: undefined })
  const { error, opened } = await tryLogin(authServer)
  expect({ error, opened }).toMatchObject({ error: failed('unusable'), opened: [] })
})

test('login: metadata of another server starts no login', async () => {
  const authServer = await startAuthorizationServer({
    resourceMetadata: { resource: 'https://bank.example/mcp' },
  })
  const { error, grants } = await tryLogin(authServer)
  expect({ error, grants }).toMatchObject({ error: failed('issuer'), grants: [] })
})

test('login: an invalid, failing, hanging or too large token response ends in an error that repeats none of it', async () => {
  const answers: readonly [IssuerResponse, object][] = [
    [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>token</html>' },
      failed('unusable'),
    ],
    [{ status: 500, body: 'oops' }, failed('unreachable')],
    [json({ error: 'invalid_client', error_description: 'evil \u001b[2J' }, 401), failed('refused')],
    [json({ error: '<b>evil</b>' }, 400), failed('unusable')],
    [{ status: 200, body: 'x'.repeat(100_000) }, failed('unusable')],
    [json({ access_token: 'two\r\nlines', token_type: 'Bearer' }), failed('unusable')],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, failed('unusable')],
    [{ status: 0, hangs: true }, { code: 'login.timeout' }],
  ]
  for (const [answer, expected] of answers) {
    const authServer = await startAuthorizationServer()
    const person = createPerson({ url: authServer.mcp }, answer.hangs ? { clock: createHastyClock() } : {})
    authServer.respondInstead = ({ path }) => (path === '/token' ? answer : undefined)
    const error: unknown = await person.login().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(expected)
    expect(JSON.stringify(error) + String(error)).not.toMatch(/evil|oops|html/)
    expect(await listAccounts(undefined, person.options)).toEqual([])
  }
})

test('O20 login: an undiscovered issuer is reported in the text of the omp preset', async () => {
  const server = await serve((_request, response) => void response.writeHead(404).end())
  const person = createPerson({ url: server.url.href })
  await expect(person.login({ preset: 'omp' })).rejects.toMatchObject({
    code: 'login.failed',
    message: 'Authentication required for "vault", but OAuth endpoints could not be discovered',
  })
  await expect(person.login()).rejects.toMatchObject({
    code: 'login.failed',
    message: '"vault": It does not say where to log in.',
    data: { reason: 'undiscovered' },
  })
})

test('T39 login: refused for an address without TLS and for a server with an API key challenge', async () => {
  const keyed = await serve(
    (_request, response) => void response.writeHead(401, { 'www-authenticate': 'ApiKey' }).end(),
  )
  await expect(createPerson({ url: keyed.url.href }).login()).rejects.toMatchObject({
    message: '"vault": It does not say where to log in.',
    data: { reason: 'undiscovered' },
    hint: 'You can put a token into "headers" of its entry: plugboard why vault',
  })
  await expect(createPerson({ url: 'http://10.0.0.1/mcp' }).login()).rejects.toMatchObject(failed('blocked'))
})

test('O20 login: a refusal is reported in the text of the omp preset', async () => {
  const authServer = await startAuthorizationServer()
  authServer.respondInstead = ({ path }) =>
    path === '/token' ? json({ error: 'access_denied' }, 400) : undefined
  const person = createPerson({ url: authServer.mcp })
  await expect(person.login({ preset: 'omp' })).rejects.toMatchObject({
    message: 'OAuth authentication failed: The issuer refused: access_denied.',
  })
})

test('FI-65 login store: falls back to a file with one warning when the keychain fails', async () => {
  const authServer = await startAuthorizationServer()
  const refuse = () => Promise.reject(new Error('Couldn’t access platform storage: AccessDenied'))
  const keychain = { read: refuse, write: refuse, remove: refuse }
  const person = createPerson(
    { url: authServer.mcp },
    { keychain, env: { PLUGBOARD_CREDENTIALS: undefined } },
  )
  const warnings: string[] = []
  await person.login({ warn: (message) => warnings.push(message) })
  expect(warnings).toEqual([
    `No usable keychain was found; logins are stored in ${person.logins}, which only you can read.`,
  ])
  const host = await person.host()
  await host.connect('vault')
  authServer.refusedTokens.add(person.token())
  await host.request('vault', 'tools/call', { name: 'work' })
  expect(host.events.filter(({ type }) => type === 'server.warned')).toEqual([])
})

test('T34 login store: a keychain holds all secrets; a locked one causes a warning and needs-auth', async () => {
  const authServer = await startAuthorizationServer()
  const secrets = new Map<string, string>()
  let isLocked = false
  const unlocked = async () => {
    if (isLocked) throw new Error('locked')
  }
  const keychain = {
    read: (name: string) => unlocked().then(() => secrets.get(name)),
    write: (name: string, secret: string) => unlocked().then(() => void secrets.set(name, secret)),
    remove: (name: string) => unlocked().then(() => void secrets.delete(name)),
  }
  const person = createPerson(
    { url: authServer.mcp },
    { keychain, env: { PLUGBOARD_CREDENTIALS: undefined } },
  )
  await person.login()
  expect(Object.keys(person.files()).map((name) => name.split('.')[1])).toEqual(['json'])
  expect(secrets.size).toBe(1)
  await expect((await person.host()).connect('vault')).resolves.toBeDefined()
  isLocked = true
  const host = await person.host()
  await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
  expect(host.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
    {
      message: 'The keychain cannot be opened, so its logins cannot be used. Unlock it, or log in again.',
    },
  ])
})

test('login store: a damaged file counts as no login, and a new login repairs it', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  for (const damage of ['', '{', '[]', '{"tokens":{}}', '\u0000']) {
    person.damage('.secret', damage)
    await expect((await person.host()).connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
    await person.login()
    await expect((await person.host()).connect('vault')).resolves.toBeDefined()
    person.damage('.json', damage)
    expect(await listAccounts(undefined, person.options)).toEqual([])
    await person.login()
  }
})

/** A clock that fires the 10 s request deadline after 200 ms. */
function createHastyClock(): ReturnType<typeof createImpatientClock> {
  const clock = createImpatientClock()
  return { ...clock, timer: (ms, onDue) => clock.timer(ms === 10_000 ? 200 : ms, onDue) }
}
