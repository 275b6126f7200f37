import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import { createPerson } from '../support/person-of-auth.ts'
import type { Person } from '../support/person-of-auth.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'

let script = ''
beforeAll(async () => {
  script = await bundleScript('login-process.ts')
})
afterAll(() => rm(dirname(script), { recursive: true, force: true }))

/** The tokens in the secret file. */
function stored({ logins }: Person): { readonly access: string; readonly refresh: string } | undefined {
  const name = readdirSync(logins).find((each) => each.endsWith('.secret'))
  if (name === undefined) return undefined
  const { tokens } = JSON.parse(readFileSync(join(logins, name), 'utf8')) as {
    readonly tokens: { readonly access: string; readonly refresh: string }
  }
  return tokens
}

/** Makes the server refuse the current token, as if it had expired. */
function expire(authServer: AuthorizationServer, person: Person): string {
  const { access = '' } = stored(person) ?? {}
  authServer.refusedTokens.add(access)
  return access
}

const renewals = ({ grants }: AuthorizationServer) =>
  grants().filter((grant) => grant === 'refresh_token').length

async function loggedIn() {
  const authServer = await startAuthorizationServer()
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  return { authServer, person }
}

function start(person: Person, env: Readonly<Record<string, string>> = {}) {
  return runScript(script, [person.home, join(person.home, 'mcp.json')], { env })
}

test('FI-60 renewal: twenty concurrent calls with an expired token renew it once, and all succeed', async () => {
  const { authServer, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  expire(authServer, person)
  const calls = Array.from({ length: 20 }, () => host.request('vault', 'tools/call', { name: 'work' }))
  const results = await Promise.all(calls)
  expect({ count: results.length, renewals: renewals(authServer) }).toEqual({ count: 20, renewals: 1 })
})

test('T33 renewal: a token is renewed once, before it expires', async () => {
  const authServer = await startAuthorizationServer({ accessTokenSeconds: 600 })
  const person = createPerson({ url: authServer.mcp })
  await person.login()
  const host = await person.host({
    platform: { ...person.options.platform, clock: later(600_000 - 10_000) },
  })
  await host.connect('vault')
  await host.request('vault', 'tools/call', { name: 'work' })
  expect({
    renewals: renewals(authServer),
    refusals: authServer.calls.filter(({ status }) => status === 401).length,
  }).toEqual({ renewals: 1, refusals: 1 })
})

test('FI-61 renewal: eight processes with an expired token renew it once, and all succeed', async () => {
  const { authServer, person } = await loggedIn()
  const before = expire(authServer, person)
  const programs = Array.from({ length: 8 }, () => start(person))
  for (const program of programs) expect(await program.nextLine()).toBe('ready')
  for (const program of programs) program.go()
  const said = await Promise.all(programs.map((program) => program.nextLine()))
  await Promise.all(programs.map(({ ended }) => ended))
  expect({ said, renewals: renewals(authServer), isRenewed: stored(person)?.access !== before }).toEqual({
    said: Array.from({ length: 8 }, () => 'done'),
    renewals: 1,
    isRenewed: true,
  })
})

test('FI-62 renewal: after a kill before the new token is stored, the next process reports that a login is needed', async () => {
  const { authServer, person } = await loggedIn()
  expire(authServer, person)
  const victim = start(person, { PLUGBOARD_TEST_STOP: '1' })
  await victim.nextLine()
  victim.go()
  expect(await victim.ended).toEqual({ code: null, signal: 'SIGKILL' })
  const next = start(person)
  await next.nextLine()
  next.go()
  expect(await next.nextLine()).toBe(
    'server.needs-auth: Server "vault" asked for a login. The login has expired. The issuer refused: invalid_grant.',
  )
  await next.ended
  expect(stored(person)).toBeUndefined()
  await person.login()
  const host = await person.host()
  await expect(host.request('vault', 'tools/call', { name: 'work' })).resolves.toBeDefined()
})

test('FI-62 renewal: after a kill between the two files of a login, the next process uses the new token', async () => {
  const { authServer, person } = await loggedIn()
  expire(authServer, person)
  const victim = start(person, { PLUGBOARD_TEST_STOP: '2' })
  await victim.nextLine()
  victim.go()
  expect(await victim.ended).toEqual({ code: null, signal: 'SIGKILL' })
  const next = start(person)
  await next.nextLine()
  next.go()
  expect(await next.nextLine()).toBe('done')
  await next.ended
  expect(renewals(authServer)).toBe(1)
})

test('FI-63 renewal: a host whose token another host has renewed uses the stored token', async () => {
  const { authServer, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  expire(authServer, person)
  const other = await person.host()
  await other.request('vault', 'tools/call', { name: 'work' })
  await host.request('vault', 'tools/call', { name: 'work' })
  expect({ renewals: renewals(authServer), isKept: stored(person) !== undefined }).toEqual({
    renewals: 1,
    isKept: true,
  })
})

test('FI-86 renewal: two hosts share a login without a deadlock', async () => {
  const { authServer, person } = await loggedIn()
  const hosts = [await person.host(), await person.host()]
  await Promise.all(hosts.map((host) => host.connect('vault')))
  for (let round = 0; round < 3; round++) {
    expire(authServer, person)
    await Promise.all(hosts.map((host) => host.request('vault', 'tools/call', { name: 'work' })))
  }
  expect(renewals(authServer)).toBe(3)
})

test('renewal: a host that closes during a renewal still stores the new token', async () => {
  const { authServer, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  const before = expire(authServer, person)
  const asked = new Promise<void>((resolve) => {
    authServer.respondInstead = ({ path }) => {
      if (path === '/token') resolve()
      return undefined
    }
  })
  const call = host.request('vault', 'tools/call', { name: 'work' }).catch((error: unknown) => error)
  await asked
  await host.close()
  await call
  expect(stored(person)?.access).not.toBe(before)
  await expect((await person.host()).connect('vault')).resolves.toBeDefined()
  expect(renewals(authServer)).toBe(1)
})

test('renewal: a failing token endpoint does not remove the login', async () => {
  const { authServer, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  expire(authServer, person)
  authServer.respondInstead = ({ path }) => (path === '/token' ? { status: 500, body: '<html>' } : undefined)
  await expect(host.request('vault', 'tools/call', { name: 'work' })).rejects.toMatchObject({
    code: 'server.failed',
    data: {
      failure: {
        code: 'upstream',
        message:
          'The login could not be renewed: The token endpoint answered with HTTP 500 and gave no reason.',
      },
    },
  })
  authServer.respondInstead = () => undefined
  await expect(host.request('vault', 'tools/call', { name: 'work' })).resolves.toBeDefined()
})

test('T34 login store: files are readable by their owner only, and only the secret file holds secrets', async () => {
  const { person } = await loggedIn()
  const { access = '', refresh = '' } = stored(person) ?? {}
  const files = readdirSync(person.logins).map((name) => {
    const path = join(person.logins, name)
    const text = readFileSync(path, 'utf8')
    return {
      kind: name.split('.')[1],
      mode: statSync(path).mode & 0o777,
      isSecret: text.includes(access) || text.includes(refresh),
    }
  })
  expect(files.sort((a, b) => String(a.kind).localeCompare(String(b.kind)))).toEqual([
    { kind: 'json', mode: 0o600, isSecret: false },
    { kind: 'secret', mode: 0o600, isSecret: true },
  ])
  expect(statSync(person.logins).mode & 0o777).toBe(0o700)
})

/** The real clock, shifted by `ms`. */
function later(ms: number) {
  const timers = new Set<NodeJS.Timeout>()
  return {
    now: () => Date.now() + ms,
    monotonic: () => performance.now(),
    timer(delay: number, onDue: () => void) {
      const timer = setTimeout(onDue, delay)
      timer.unref()
      timers.add(timer)
      return { [Symbol.dispose]: () => clearTimeout(timer) }
    },
    sleep: (delay: number) => new Promise<void>((resolve) => setTimeout(resolve, delay).unref()),
  }
}
