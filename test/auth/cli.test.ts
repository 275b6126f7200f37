import { expect, test } from 'vitest'
import { browseUntilLeft, startAuthorizationServer } from '../support/authorization-server.ts'
import { installBrowser } from '../support/browser-program.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { onTestFinished } from 'vitest'
import { parseChecked } from '../support/json-schema.ts'
import { openTerminal } from '../support/programs/terminal.ts'

interface Desk {
  readonly machine: Machine
  run(this: void, ...args: readonly string[]): ReturnType<Machine['run']>
  readonly env: Readonly<Record<string, string>>
}

/** A machine whose config declares the server `vault`, with or without a browser. */
function createDesk(mcp: string, { hasBrowser = true } = {}): Desk {
  const machine = createMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { vault: { type: 'http', url: mcp } } },
  })
  onTestFinished(() => machine[Symbol.dispose]())
  const path = hasBrowser ? `${installBrowser(machine.path('~/bin'))}:${machine.env['PATH']}` : '/nowhere'
  const env = { ...machine.env, PATH: path, PLUGBOARD_CREDENTIALS: 'file' }
  return { machine, env, run: (...args) => machine.runWith({ env }, ...args) }
}

test('login, call, whoami and logout work in sequence on the command line', async () => {
  const authServer = await startAuthorizationServer()
  const { run } = createDesk(authServer.mcp)
  const before = await run('call', 'vault/work')
  expect({ code: before.code, stderr: before.stderr }).toEqual({
    code: 8,
    stderr: expect.stringContaining('Server "vault" asked for a login.\nRun: plugboard login vault'),
  })
  const login = await run('login', 'vault')
  expect({ code: login.code, stdout: login.stdout }).toEqual({
    code: 0,
    stdout: `vault: logged in. account default, at ${authServer.issuer}, scopes read\n`,
  })
  expect(login.stderr).toContain('Log in on the page in your browser.')
  const call = await run('call', 'vault/work')
  expect({ code: call.code, stdout: call.stdout }).toEqual({ code: 0, stdout: 'done\n' })
  expect(parseChecked(['whoami'], (await run('whoami', 'vault', '--json')).stdout)).toMatchObject({
    accounts: [{ server: authServer.mcp, issuer: authServer.issuer, account: 'default', scopes: ['read'] }],
  })
  expect((await run('whoami')).stdout).toMatch(/^vault +http:.*renewed automatically$/m)
  await run('login', 'vault', '--account', 'second')
  const second = await run('logout', 'vault', '--account', 'second', '--json')
  expect(parseChecked(['logout'], second.stdout)).toMatchObject({ accounts: [{ account: 'second' }] })
  const logout = await run('logout', 'vault')
  expect({ code: logout.code, stdout: logout.stdout }).toEqual({
    code: 0,
    stdout: 'vault: logged out (account default)\n',
  })
  expect((await run('whoami', 'vault')).code).toBe(8)
  expect((await run('logout', 'vault')).code).toBe(5)
  expect((await run('call', 'vault/work')).code).toBe(8)
})

test('T35 login: tokens and codes are in no output and in no file but the secret file', async () => {
  const authServer = await startAuthorizationServer()
  const { machine, run } = createDesk(authServer.mcp)
  const outputs = [
    await run('login', 'vault', '--json'),
    await run('call', 'vault/work', '--json'),
    await run('test', 'vault'),
  ]
  const files = Object.entries(machine.files())
  const [, secret = '{}'] = files.find(([name]) => name.endsWith('.secret')) ?? []
  const { tokens } = JSON.parse(secret) as {
    readonly tokens: { readonly access: string; readonly refresh: string }
  }
  parseChecked(['login'], outputs[0]?.stdout ?? '')
  const codes = authServer.requests.flatMap(({ body }) => new URLSearchParams(body).get('code') ?? [])
  const rest = files.filter(([name]) => !name.endsWith('.secret')).map(([, text]) => text)
  const all = [...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...rest].join('\n')
  expect(codes).toHaveLength(1)
  for (const each of [tokens.access, tokens.refresh, ...codes]) expect(all).not.toContain(each)
})

test('reauth and unauth are aliases of login and logout; login --no-browser only prints the address', async () => {
  const authServer = await startAuthorizationServer()
  const { run } = createDesk(authServer.mcp)
  expect((await run('reauth', 'vault')).code).toBe(0)
  expect((await run('unauth', 'vault')).code).toBe(0)
  const silent = await run('login', 'vault', '--no-browser', '--timeout', '1s')
  expect(silent.code).toBe(9)
  expect(silent.stderr).toContain(
    `Open this page in a browser on this machine to log in, or try --paste or --device:\n${authServer.issuer}/authorize?`,
  )
})

test('FI-61 call: two processes with an expired token renew it once, and both succeed', async () => {
  const authServer = await startAuthorizationServer()
  const { machine, run } = createDesk(authServer.mcp)
  await run('login', 'vault')
  const [, secret = '{}'] = Object.entries(machine.files()).find(([name]) => name.endsWith('.secret')) ?? []
  const { tokens } = JSON.parse(secret) as { readonly tokens: { readonly access: string } }
  authServer.refusedTokens.add(tokens.access)
  const results = await Promise.all([run('call', 'vault/work'), run('call', 'vault/work')])
  expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 0, stdout: 'done\n' },
    { code: 0, stdout: 'done\n' },
  ])
  expect(authServer.grants().filter((grant) => grant === 'refresh_token')).toHaveLength(1)
})

test('login: Ctrl-C ends a login that waits for the browser', async () => {
  const authServer = await startAuthorizationServer()
  const { machine, env } = createDesk(authServer.mcp, { hasBrowser: false })
  await using login = startCli(machine, ['login', 'vault'], { env, stdin: 'pipe' })
  await login.printed('/authorize?')
  expect(await login.kill('SIGINT')).toEqual({ code: 130, signal: null })
})

test('login and logout: wrong flags and unknown servers fail before any request', async () => {
  const authServer = await startAuthorizationServer()
  const { run } = createDesk(authServer.mcp)
  expect((await run('login', 'vault', '--paste', '--device')).code).toBe(2)
  expect((await run('login', 'vault', '--port', '70000')).code).toBe(2)
  expect((await run('login', 'nobody')).code).toBe(5)
  expect((await run('logout', 'vault', '--all', '--account', 'x')).code).toBe(2)
  expect(authServer.calls).toEqual([])
})

test('login --paste: reads the address from a pipe, and refuses a wrong one', async () => {
  const authServer = await startAuthorizationServer()
  const { machine, env } = createDesk(authServer.mcp)
  const result = await machine.runWith(
    { env, stdin: 'http://127.0.0.1/callback?code=a&state=b\n' },
    'login',
    'vault',
    '--paste',
  )
  expect(result.code).toBe(8)
  expect(result.stderr).toContain('That address does not belong to this login.')
})

test('login --timeout: ends in a terminal and with an open pipe as stdin', async () => {
  const authServer = await startAuthorizationServer()
  const { machine, env } = createDesk(authServer.mcp)
  const terminal = openTerminal(machine, ['login', 'vault', '--paste', '--timeout', '1s'], { env })
  expect(await terminal.ended).toBe(9)
  expect(terminal.shown()).toContain('"vault": The login took too long.')
  const args = ['login', 'vault', '--paste', '--timeout', '1s']
  await using login = startCli(machine, args, { env, stdin: 'pipe' })
  expect(await login.ended).toEqual({ code: 9, signal: null })
})

test('login --paste: an address pasted in a terminal is not echoed', async () => {
  const authServer = await startAuthorizationServer()
  const { machine, env } = createDesk(authServer.mcp)
  const terminal = openTerminal(machine, ['login', 'vault', '--paste'], { env, columns: 2000 })
  await terminal.see('Paste the whole address')
  const [page = ''] = /http:\S+authorize\?\S+/.exec(terminal.shown()) ?? []
  const address = await browseUntilLeft(page)
  terminal.type(`${address}\r`)
  expect(await terminal.ended).toBe(0)
  expect(terminal.raw()).not.toContain(new URL(address).searchParams.get('code'))
  expect(terminal.shown()).toContain('vault: logged in. account default')
})

test('whoami, tools and doctor print the login command when a login is missing', async () => {
  const authServer = await startAuthorizationServer()
  const { run } = createDesk(authServer.mcp)
  expect((await run('whoami', 'vault')).stderr).toBe(
    'You are not logged in to "vault". Run: plugboard login vault\n',
  )
  expect((await run('tools')).stderr).toContain(
    'warning: "vault" is missing here: The server requires a login (HTTP 401). Run: plugboard login vault\n',
  )
  expect((await run('doctor', 'vault')).stdout).toContain('next  plugboard login vault')
  expect((await run('login', 'vault', '--account', ' ')).code).toBe(2)
})

test('logout: accepts the address of a server whose entry was removed', async () => {
  const authServer = await startAuthorizationServer()
  const { run } = createDesk(authServer.mcp)
  await run('login', 'vault')
  await run('remove', 'vault')
  expect((await run('logout', 'vault')).code).toBe(5)
  expect(await run('logout', authServer.mcp)).toMatchObject({
    code: 0,
    stdout: `${authServer.mcp}: logged out (account default)\n`,
  })
  expect((await run('logout', authServer.mcp)).code).toBe(5)
})
