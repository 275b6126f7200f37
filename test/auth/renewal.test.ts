import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { startAuthorizationServer } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import { createPerson } from '../support/person-of-auth.ts'
import type { Person } from '../support/person-of-auth.ts'
import { bundleScript, runScript } from '../support/processes.ts'

let script = ''
beforeAll(async () => {
  script = await bundleScript('login-process.ts')
})
afterAll(() => rm(dirname(script), { recursive: true, force: true }))

/** What the store holds, as a person with a text editor would see it. */
function stored({ logins }: Person): { readonly access: string; readonly refresh: string } | undefined {
  const name = readdirSync(logins).find((each) => each.endsWith('.secret'))
  if (name === undefined) return undefined
  const { tokens } = JSON.parse(readFileSync(join(logins, name), 'utf8')) as {
    readonly tokens: { readonly access: string; readonly refresh: string }
  }
  return tokens
}

/** The server takes the present token no longer, as if its time were over. */
function expire(authority: AuthorizationServer, person: Person): string {
  const { access = '' } = stored(person) ?? {}
  authority.refused.add(access)
  return access
}

const renewals = ({ grants }: AuthorizationServer) =>
  grants().filter((grant) => grant === 'refresh_token').length

async function loggedIn() {
  const authority = await startAuthorizationServer()
  const person = createPerson({ url: authority.mcp })
  await person.login()
  return { authority, person }
}

function start(person: Person, env: Readonly<Record<string, string>> = {}) {
  return runScript(script, [person.home, join(person.home, 'mcp.json')], { env })
}

test('FI-60 a token that runs out under twenty calls at once is renewed once, and all twenty succeed', async () => {
  const { authority, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  expire(authority, person)
  const calls = Array.from({ length: 20 }, () => host.request('vault', 'tools/call', { name: 'work' }))
  const results = await Promise.all(calls)
  expect({ count: results.length, renewals: renewals(authority) }).toEqual({ count: 20, renewals: 1 })
})

test('T33 a token is renewed before it runs out, once for all who call', async () => {
  const authority = await startAuthorizationServer({ accessTokenSeconds: 600 })
  const person = createPerson({ url: authority.mcp })
  await person.login()
  const host = await person.host({
    platform: { ...person.options.platform, clock: later(600_000 - 10_000) },
  })
  await host.connect('vault')
  await host.request('vault', 'tools/call', { name: 'work' })
  expect({
    renewals: renewals(authority),
    refusals: authority.calls.filter(({ status }) => status === 401).length,
  }).toEqual({ renewals: 1, refusals: 1 })
})

test('FI-61 eight programs with one login that has run out: one renewal, eight successes, a whole store', async () => {
  const { authority, person } = await loggedIn()
  const before = expire(authority, person)
  const programs = Array.from({ length: 8 }, () => start(person))
  for (const program of programs) expect(await program.nextLine()).toBe('ready')
  for (const program of programs) program.go()
  const said = await Promise.all(programs.map((program) => program.nextLine()))
  await Promise.all(programs.map(({ ended }) => ended))
  expect({ said, renewals: renewals(authority), isRenewed: stored(person)?.access !== before }).toEqual({
    said: Array.from({ length: 8 }, () => 'done'),
    renewals: 1,
    isRenewed: true,
  })
})

test('FI-62 killed between the renewal and keeping it: the next program says that a login is needed, and why', async () => {
  const { authority, person } = await loggedIn()
  expire(authority, person)
  const victim = start(person, { PLUGBOARD_TEST_STOP: '1' })
  await victim.nextLine()
  victim.go()
  expect(await victim.ended).toEqual({ code: null, signal: 'SIGKILL' })
  const next = start(person)
  await next.nextLine()
  next.go()
  expect(await next.nextLine()).toBe(
    'server.needs-auth: Server "vault" asked for a login. The login has run out. The issuer refused: invalid_grant.',
  )
  await next.ended
  expect(stored(person)).toBeUndefined()
  await person.login()
  const host = await person.host()
  await expect(host.request('vault', 'tools/call', { name: 'work' })).resolves.toBeDefined()
})

test('FI-62 killed between the two files of a login: the next program uses what was kept', async () => {
  const { authority, person } = await loggedIn()
  expire(authority, person)
  const victim = start(person, { PLUGBOARD_TEST_STOP: '2' })
  await victim.nextLine()
  victim.go()
  expect(await victim.ended).toEqual({ code: null, signal: 'SIGKILL' })
  const next = start(person)
  await next.nextLine()
  next.go()
  expect(await next.nextLine()).toBe('done')
  await next.ended
  expect(renewals(authority)).toBe(1)
})

test('FI-63 who is refused because another was faster takes the other’s token, and deletes nothing', async () => {
  const { authority, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  expire(authority, person)
  const other = await person.host()
  await other.request('vault', 'tools/call', { name: 'work' })
  await host.request('vault', 'tools/call', { name: 'work' })
  expect({ renewals: renewals(authority), isKept: stored(person) !== undefined }).toEqual({
    renewals: 1,
    isKept: true,
  })
})

test('FI-86 two hosts of one person share a login without a deadlock', async () => {
  const { authority, person } = await loggedIn()
  const hosts = [await person.host(), await person.host()]
  await Promise.all(hosts.map((host) => host.connect('vault')))
  for (let round = 0; round < 3; round++) {
    expire(authority, person)
    await Promise.all(hosts.map((host) => host.request('vault', 'tools/call', { name: 'work' })))
  }
  expect(renewals(authority)).toBe(3)
})

test('a host that is closed in the middle of a renewal keeps what comes of it', async () => {
  const { authority, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  const before = expire(authority, person)
  const asked = new Promise<void>((resolve) => {
    authority.instead = ({ path }) => {
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
  expect(renewals(authority)).toBe(1)
})

test('a token endpoint that fails for a while costs nobody their login', async () => {
  const { authority, person } = await loggedIn()
  const host = await person.host()
  await host.connect('vault')
  expire(authority, person)
  authority.instead = ({ path }) => (path === '/token' ? { status: 500, body: '<html>' } : undefined)
  await expect(host.request('vault', 'tools/call', { name: 'work' })).rejects.toMatchObject({
    code: 'server.failed',
    data: {
      failure: {
        code: 'upstream',
        message: 'The login could not be renewed: The token endpoint answered with HTTP 500, and no reason.',
      },
    },
  })
  authority.instead = () => undefined
  await expect(host.request('vault', 'tools/call', { name: 'work' })).resolves.toBeDefined()
})

test('T34 what is kept of a login is for its owner alone, and only the secret file holds secrets', async () => {
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

/** The same clock, so much later. */
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
