import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { listAccounts, login, logout } from '../../src/auth.ts'
import type { LoginStep } from '../../src/auth.ts'
import type { Host, HostEvent } from '../../src/index.ts'
import { faultyServer } from '../../src/testing.ts'
import {
  approveDevice,
  browse,
  browseUntilLeft,
  startAuthorizationServer,
} from '../support/authorization-server.ts'
import { createPerson, createImpatientClock } from '../support/person-of-auth.ts'

const work = (host: Host) => host.request('vault', 'tools/call', { name: 'work' })

/** Settles when the server is in this state, now or later. */
async function untilState(host: Host, state: string): Promise<void> {
  const isThere = () => host.servers()[0]?.status.state === state
  await new Promise<void>((resolve) => {
    const heard = host.on((event: HostEvent) => {
      if (event.type !== 'server.changed' || event.status.state !== state) return
      heard[Symbol.dispose]()
      resolve()
    })
    if (isThere()) resolve()
  })
}

/** Settles when the server enters this state the next time. */
async function untilNext(host: Host, state: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const heard = host.on((event: HostEvent) => {
      if (event.type !== 'server.changed' || event.status.state !== state) return
      heard[Symbol.dispose]()
      resolve()
    })
  })
}

test('login: after one login the tools of the server can be called', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const host = await person.host()
  await expect(host.connect('vault')).rejects.toMatchObject({
    code: 'server.needs-auth',
    message: 'Server "vault" asked for a login.',
    hint: 'Run: plugboard login vault',
  })
  expect(await person.login()).toMatchObject({
    server: authServer.mcp,
    issuer: authServer.issuer,
    account: 'default',
    scopes: ['read'],
    isRenewable: true,
  })
  expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
})

test('FI-40 login: metadata is fetched once, by the login and not by a failed connect', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const host = await person.host()
  await host.connect('vault').catch(() => undefined)
  expect(authServer.requests).toEqual([])
  await person.login()
  await work(host)
  expect(authServer.requests.filter(({ path }) => path.startsWith('/.well-known'))).toHaveLength(1)
})

test('login: a running host connects as soon as a login is stored', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const host = await person.host()
  await host.connect('vault').catch(() => undefined)
  expect(host.servers()[0]?.status).toMatchObject({
    state: 'needs-auth',
    login: 'Run: plugboard login vault',
  })
  const ready = untilState(host, 'ready')
  await person.login()
  await ready
})

test('needs-auth: cached tools stay listed, and a call names the login command', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  const first = await person.host()
  await first.ready()
  await first.close()
  await logout(await person.server(), person.options)
  const host = await person.host()
  await host.ready()
  expect(host.tools().map(({ ref }) => ref)).toEqual(['vault/work'])
  await expect(host.call('vault__work')).rejects.toMatchObject({
    code: 'server.needs-auth',
    hint: 'Run: plugboard login vault',
  })
  expect(host.tools().map(({ ref }) => ref)).toEqual(['vault/work'])
})

test('T26 login: another account does not see the cached tools of the earlier one', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login({ account: 'home' })
  const first = await person.host()
  await first.ready()
  await first.close()
  await logout(await person.server(), person.options)
  await person.login({ account: 'work' })
  const host = await person.host()
  await host.ready({ from: 'disk' })
  expect(host.tools()).toEqual([])
})

test('login, paste flow: a pasted address completes the login', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const steps: LoginStep[] = []
  const account = await person.login({
    flow: 'paste',
    tell: (step) => steps.push(step),
    paste: () => browseUntilLeft(steps[0]?.type === 'paste' ? steps[0].url : ''),
  })
  expect(account.scopes).toEqual(['read'])
  expect(steps.map(({ type }) => type)).toEqual(['paste', 'exchanging'])
})

test('login, paste flow: an address with a wrong state is refused, and nothing is stored', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const paste = async () => 'http://127.0.0.1:53682/callback?code=stolen&state=of-another'
  await expect(person.login({ flow: 'paste', paste })).rejects.toMatchObject({
    code: 'login.failed',
    data: { server: 'vault', reason: 'unusable' },
  })
  expect({ grants: authServer.grants(), known: await listAccounts(undefined, person.options) }).toEqual({
    grants: [],
    known: [],
  })
})

test('login, paste flow: a wrong address is asked for again within the same login', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  let page = ''
  const questions: string[] = []
  const paste = async (question: string) => {
    questions.push(question)
    return questions.length === 1 ? 'http://127.0.0.1/other?code=a&state=b' : browseUntilLeft(page)
  }
  const tell = (step: LoginStep) => void (step.type === 'paste' && (page = step.url))
  expect(await person.login({ flow: 'paste', paste, tell })).toMatchObject({ account: 'default' })
  expect(questions.map((question) => question.split('.')[0])).toEqual([
    'Paste the whole address that your browser ended up at',
    'That address does not belong to this login',
  ])
})

test('login, device flow: polls until the code is approved', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp }, { clock: createImpatientClock() })
  let approved: Promise<void> | undefined
  const account = await person.login({
    flow: 'device',
    tell(step) {
      if (step.type === 'device') approved = approveDevice(step.completeUrl ?? '')
    },
  })
  await approved
  expect(account).toMatchObject({ issuer: authServer.issuer, scopes: ['read'] })
  expect(new Set(authServer.grants())).toEqual(new Set(['urn:ietf:params:oauth:grant-type:device_code']))
  expect(await work(await person.host())).toMatchObject({ content: [{ text: 'done' }] })
})

test('T30 callback: ignores requests with a wrong state, a wrong path or a wrong method', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const statuses = new Set<number>()
  const account = await person.login({
    async open(url) {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '')
      const strays = Array.from({ length: 100 }, (_, at) => `${back.href}?code=x${at}&state=wrong`)
      for (const stray of [...strays, back.origin, `${back.href}?error=access_denied`]) {
        statuses.add((await fetch(stray)).status)
      }
      statuses.add((await fetch(back, { method: 'POST' })).status)
      await browse(url)
    },
  })
  expect({ statuses: [...statuses], account: account.account }).toEqual({
    statuses: [400, 405],
    account: 'default',
  })
})

test('login: a port in use is reported as no-port', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo // it listens on a port
  try {
    await expect(person.login({ port })).rejects.toMatchObject({
      code: 'login.failed',
      data: { reason: 'no-port' },
    })
  } finally {
    holder.close()
  }
})

test('login: cancelling ends it at once and closes its port', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const cancel = new AbortController()
  let back = ''
  const open = async (url: string) => {
    back = new URL(url).searchParams.get('redirect_uri') ?? ''
    cancel.abort()
  }
  await expect(person.login({ open, signal: cancel.signal })).rejects.toMatchObject({
    code: 'login.cancelled',
  })
  await expect(fetch(back)).rejects.toThrow('fetch failed')
})

test('login: a timeout is reported, in the text of the omp preset where that is in force', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const never = { open: async () => undefined, timeoutMs: 50 }
  await expect(person.login(never)).rejects.toMatchObject({
    code: 'login.timeout',
    message: '"vault": The login took too long.',
  })
  await expect(person.login({ ...never, preset: 'omp' })).rejects.toMatchObject({
    code: 'login.timeout',
    message: 'OAuth flow timed out. Please try again.',
  })
})

test('accounts: the last login is used unless the entry names another, and each can be logged out', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login({ account: 'home' })
  await person.login({ account: 'work' })
  const server = await person.server()
  const known = async () => (await listAccounts(server, person.options)).map(({ account }) => account)
  expect(await known()).toEqual(['work', 'home'])
  expect(
    (await logout(server, { ...person.options, account: 'work' })).map(({ account }) => account),
  ).toEqual(['work'])
  expect(await known()).toEqual(['home'])
  expect(authServer.requests.filter(({ path }) => path === '/revoke')).toHaveLength(1)
  const other = createPerson({ url: authServer.mcp, auth: { type: 'oauth', account: 'work' } })
  await other.login({ account: 'home' })
  await expect((await other.host()).connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
  await other.login({ account: 'work' })
  await expect((await other.host()).connect('vault')).resolves.toBeDefined()
})

test('accounts: a running host reconnects with the account that logged in last', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login({ account: 'home' })
  const host = await person.host()
  await work(host)
  const greetings = () => authServer.calls.filter(({ method }) => method === 'initialize').length
  const before = greetings()
  const again = untilNext(host, 'ready')
  await person.login({ account: 'work' })
  await again
  expect(greetings()).toBe(before + 1)
  expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
})

test('T32 login: a changed URL never gets the token of the old one', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  person.rewrite({ url: `${authServer.mcp}?tenant=other` })
  const host = await person.host()
  await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
  expect(authServer.calls.filter(({ status }) => status === 200)).toEqual([])
})

test('FI-42 scopes: missing ones are named, requested in addition to the old ones, and used by the running host', async () => {
  const authServer = await startAuthorizationServer({ resourceMetadata: { scopes_supported: ['read'] } })
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  authServer.callScope = 'write'
  const host = await person.host()
  await expect(work(host)).rejects.toMatchObject({
    code: 'server.needs-auth',
    message: 'Server "vault" asked for a login with more rights.',
    hint: 'Run: plugboard login vault --scope write',
    data: { failure: { code: 'forbidden', lacking: ['write'] } },
  })
  expect(host.servers()[0]?.status.state).toBe('ready')
  expect((await person.login({ scopes: ['write'] })).scopes).toEqual(['read', 'write'])
  expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
})

test('FI-42 scopes: a refusal for a scope that was already requested does not ask for a login', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login({ scopes: ['read', 'admin'] })
  authServer.callScope = 'admin'
  const host = await person.host()
  await expect(work(host)).rejects.toMatchObject({
    code: 'server.failed',
    data: { failure: { code: 'forbidden' } },
  })
})

test('login: an Authorization header in the entry turns logins off, and its refusal points at the entry', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp, headers: { Authorization: 'Bearer mine-and-wrong' } })
  await expect(person.login()).rejects.toMatchObject({ code: 'login.failed', data: { reason: 'off' } })
  const host = await person.host()
  await expect(host.connect('vault')).rejects.toMatchObject({
    code: 'server.needs-auth',
    message: '"vault": The server refused the credentials in its entry (HTTP 401).',
    hint: 'Put other credentials into the "headers" or "auth" of its entry: plugboard why vault',
  })
  expect(authServer.requests).toEqual([])
})

test('FI-41 headersCommand: refused credentials that change each time point at the entry, not at a login', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const script = join(person.home, 'headers.mjs')
  writeFileSync(script, 'console.log(JSON.stringify({ Authorization: `Bearer wrong-${process.pid}` }))')
  for (const auth of [{}, { auth: { type: 'none' } }]) {
    person.rewrite({ url: authServer.mcp, headersCommand: `"${process.execPath}" "${script}"`, ...auth })
    await expect((await person.host()).connect('vault')).rejects.toMatchObject({
      code: 'server.needs-auth',
      message: '"vault": The server refused the credentials in its entry (HTTP 401).',
      hint: 'Put other credentials into the "headers" or "auth" of its entry: plugboard why vault',
    })
  }
})

test('auth bearer: the token of the entry is sent as a header', async () => {
  const authServer = await startAuthorizationServer()
  const donor = createPerson({ url: authServer.mcp })
  await donor.login()
  const person = createPerson(
    { url: authServer.mcp, auth: { type: 'bearer', tokenEnv: 'VAULT_TOKEN' } },
    { env: { VAULT_TOKEN: donor.token() } },
  )
  await expect((await person.host()).connect('vault')).resolves.toBeDefined()
})

test('auth bearer: a token from a command or a file is resolved again after a refusal', async () => {
  const authServer = await startAuthorizationServer()
  const donor = createPerson({ url: authServer.mcp })
  await donor.login()
  for (const entry of [
    { auth: { type: 'bearer', token: '{file:token}' } },
    { headers: { Authorization: '!sh bearer.sh' } },
  ]) {
    const person = createPerson({ url: authServer.mcp, ...entry })
    writeFileSync(join(person.home, 'bearer.sh'), 'printf "Bearer "; cat token')
    writeFileSync(join(person.home, 'token'), 'worn-out-token')
    const host = await person.host()
    await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
    writeFileSync(join(person.home, 'token'), donor.token())
    expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
    writeFileSync(join(person.home, 'token'), 'worn-out-again')
    authServer.refusedTokens.add(donor.token())
    await expect(work(host)).rejects.toMatchObject({ code: 'server.needs-auth' })
    authServer.refusedTokens.clear()
  }
})

test('client_credentials: the host logs in without a person, and again when its token is refused', async () => {
  const client = {
    client_id: 'robot',
    client_secret: 'a long secret of the robot',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
  const authServer = await startAuthorizationServer({ clients: [client] })
  const auth = { type: 'oauth', grantType: 'client_credentials', clientId: 'robot', clientSecret: '${ROBOT}' }
  const person = createPerson({ url: authServer.mcp, auth }, { env: { ROBOT: client.client_secret } })
  const host = await person.host()
  expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
  authServer.refusedTokens.add(person.token())
  expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
  expect(authServer.grants()).toEqual(['client_credentials', 'client_credentials'])
  expect(Object.values(person.files()).join('')).not.toContain(client.client_secret)
})

test('login: an issuer without client registration is reported as unregistered', async () => {
  const client = {
    client_id: 'other',
    redirect_uris: ['http://127.0.0.1/x'],
    token_endpoint_auth_method: 'none',
  }
  const authServer = await startAuthorizationServer({ clients: [client] })
  const person = createPerson({ url: authServer.mcp })
  await expect(person.login()).rejects.toMatchObject({
    code: 'login.failed',
    message: '"vault": The issuer does not support client registration.',
    data: { reason: 'unregistered' },
  })
})

test('O11 credentialId: a remote server uses the stored login; without one it connects with a warning', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp, auth: { type: 'oauth', credentialId: 'my-vault' } })
  const host = await person.host()
  await expect(host.connect('vault')).rejects.toMatchObject({ code: 'server.needs-auth' })
  expect(host.events.filter(({ type }) => type === 'server.warned')).toMatchObject([
    { message: 'There is no credential "my-vault"; connecting without it.' },
  ])
  expect((await person.login()).account).toBe('my-vault')
  expect(await work(host)).toMatchObject({ content: [{ text: 'done' }] })
})

test('O11 credentialId: a program gets the token of the stored login as OAUTH_ACCESS_TOKEN', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login({ account: 'my-vault' })
  const program = faultyServer({ tools: [{ name: 'environment', inputSchema: { type: 'object' } }] })
  person.rewrite({ ...program, type: 'stdio', auth: { type: 'oauth', credentialId: 'my-vault' } })
  const host = await person.host()
  const { content } = (await host.request('vault', 'tools/call', { name: 'environment' })) as {
    readonly content: readonly { readonly text: string }[]
  } // the result of the faulty server
  expect(JSON.parse(content[0]?.text ?? '{}')).toMatchObject({ env: { OAUTH_ACCESS_TOKEN: person.token() } })
})

test('T35 login: no event, step or account contains a token or a code', async () => {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  const steps: LoginStep[] = []
  const account = await person.login({ tell: (step) => steps.push(step) })
  const host = await person.host()
  await work(host)
  const first = person.token()
  authServer.refusedTokens.add(first)
  await work(host)
  const codes = authServer.requests.flatMap(({ body }) => new URLSearchParams(body).get('code') ?? [])
  const told = JSON.stringify([account, steps, host.events, await listAccounts(undefined, person.options)])
  for (const secret of [first, person.token(), ...person.secrets(), ...codes])
    expect(told).not.toContain(secret)
  expect(host.redact(`token ${person.token()}`)).toBe('token •••')
})

test('login: refused for a stdio server and for an entry with auth type none', async () => {
  const authServer = await startAuthorizationServer()
  const off = createPerson({ url: authServer.mcp, auth: { type: 'none' } })
  await expect(off.login()).rejects.toMatchObject({ code: 'login.failed', data: { reason: 'off' } })
  await expect((await off.host()).connect('vault')).rejects.toMatchObject({
    message: '"vault": The server requires a login (HTTP 401), which its entry rules out.',
    hint: 'Put other credentials into the "headers" or "auth" of its entry: plugboard why vault',
  })
  const program = createPerson({ type: 'stdio', command: 'true' })
  await expect(login(await program.server(), program.options)).rejects.toMatchObject({
    code: 'login.failed',
    message: '"vault" is a program on this machine; there is nothing to log in to.',
  })
})
