import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { browseUntilLeft, startAuthorizationServer } from '../support/authorization-server.ts'
import { installBrowser } from '../support/browser-program.ts'
import { built, createMachine } from '../support/cli.ts'
import type { Machine } from '../support/cli.ts'
import { onTestFinished } from 'vitest'
import { openTerminal } from '../support/terminal.ts'

interface Desk {
  readonly machine: Machine
  run(this: void, ...args: readonly string[]): ReturnType<Machine['run']>
  readonly env: Readonly<Record<string, string>>
}

/** A person at a machine with the server `vault`, and a browser where they want one. */
function createDesk(mcp: string, { hasBrowser = true } = {}): Desk {
  const machine = createMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { vault: { type: 'http', url: mcp } } },
  })
  onTestFinished(() => machine[Symbol.dispose]())
  const path = hasBrowser ? `${installBrowser(machine.path('~/bin'))}:${machine.env['PATH']}` : '/nowhere'
  const env = { ...machine.env, PATH: path, PLUGBOARD_CREDENTIALS: 'file' }
  return { machine, env, run: (...args) => machine.runWith({ env }, ...args) }
}

test('login, call, whoami, logout: a day at the command line', async () => {
  const authority = await startAuthorizationServer()
  const { run } = createDesk(authority.mcp)
  const before = await run('call', 'vault/work')
  expect({ code: before.code, stderr: before.stderr }).toEqual({
    code: 8,
    stderr: expect.stringContaining('Server "vault" asked for a login.\nRun: plugboard login vault'),
  })
  const login = await run('login', 'vault')
  expect({ code: login.code, stdout: login.stdout }).toEqual({
    code: 0,
    stdout: `vault: logged in. account default, at ${authority.issuer}, may read\n`,
  })
  expect(login.stderr).toContain('Log in with the page in your browser.')
  const call = await run('call', 'vault/work')
  expect({ code: call.code, stdout: call.stdout }).toEqual({ code: 0, stdout: 'done\n' })
  expect(JSON.parse((await run('whoami', 'vault', '--json')).stdout)).toMatchObject([
    { server: authority.mcp, issuer: authority.issuer, account: 'default', scopes: ['read'] },
  ])
  expect((await run('whoami')).stdout).toMatch(/^vault +http:.*renewed by itself$/m)
  const logout = await run('logout', 'vault')
  expect({ code: logout.code, stdout: logout.stdout }).toEqual({
    code: 0,
    stdout: 'vault: logged out (account default)\n',
  })
  expect((await run('whoami', 'vault')).code).toBe(8)
  expect((await run('logout', 'vault')).code).toBe(5)
  expect((await run('call', 'vault/work')).code).toBe(8)
})

test('T35 nothing of a login is in what is printed, nor in any file but the one for secrets', async () => {
  const authority = await startAuthorizationServer()
  const { machine, run } = createDesk(authority.mcp)
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
  const codes = authority.asked.flatMap(({ body }) => new URLSearchParams(body).get('code') ?? [])
  const rest = files.filter(([name]) => !name.endsWith('.secret')).map(([, text]) => text)
  const all = [...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...rest].join('\n')
  expect(codes).toHaveLength(1)
  for (const each of [tokens.access, tokens.refresh, ...codes]) expect(all).not.toContain(each)
})

test('reauth and unauth are the same by omp’s names; --no-browser shows the page alone', async () => {
  const authority = await startAuthorizationServer()
  const { run } = createDesk(authority.mcp)
  expect((await run('reauth', 'vault')).code).toBe(0)
  expect((await run('unauth', 'vault')).code).toBe(0)
  const silent = await run('login', 'vault', '--no-browser', '--timeout', '1s')
  expect(silent.code).toBe(9)
  expect(silent.stderr).toContain(
    `Open this page in a browser of this machine to log in, or try --paste or --device:\n${authority.issuer}/authorize?`,
  )
})

test('FI-61 two terminals at once, after the token ran out: one renewal, and both are answered', async () => {
  const authority = await startAuthorizationServer()
  const { machine, run } = createDesk(authority.mcp)
  await run('login', 'vault')
  const [, secret = '{}'] = Object.entries(machine.files()).find(([name]) => name.endsWith('.secret')) ?? []
  const { tokens } = JSON.parse(secret) as { readonly tokens: { readonly access: string } }
  authority.refused.add(tokens.access)
  const results = await Promise.all([run('call', 'vault/work'), run('call', 'vault/work')])
  expect(results.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 0, stdout: 'done\n' },
    { code: 0, stdout: 'done\n' },
  ])
  expect(authority.grants().filter((grant) => grant === 'refresh_token')).toHaveLength(1)
})

test('Ctrl-C ends a login that waits for a browser', async () => {
  const authority = await startAuthorizationServer()
  const { machine, env } = createDesk(authority.mcp, { hasBrowser: false })
  const child = spawn(process.execPath, [built, 'login', 'vault'], { cwd: machine.project, env })
  let said = ''
  await new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (said.includes('/authorize?')) resolve()
    })
  })
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
})

test('wrong uses are said before anything is asked of anybody', async () => {
  const authority = await startAuthorizationServer()
  const { run } = createDesk(authority.mcp)
  expect((await run('login', 'vault', '--paste', '--device')).code).toBe(2)
  expect((await run('login', 'vault', '--port', '70000')).code).toBe(2)
  expect((await run('login', 'nobody')).code).toBe(5)
  expect((await run('logout', 'vault', '--all', '--account', 'x')).code).toBe(2)
  expect(authority.calls).toEqual([])
})

test('the address is pasted through a pipe, and a wrong one is refused', async () => {
  const authority = await startAuthorizationServer()
  const { machine, env } = createDesk(authority.mcp)
  const result = await machine.runWith(
    { env, stdin: 'http://127.0.0.1/callback?code=a&state=b\n' },
    'login',
    'vault',
    '--paste',
  )
  expect(result.code).toBe(8)
  expect(result.stderr).toContain('That address does not belong to this login.')
})

test('a login that nobody answers in time ends, in a terminal and at a pipe that stays open', async () => {
  const authority = await startAuthorizationServer()
  const { machine, env } = createDesk(authority.mcp)
  const terminal = openTerminal(machine, ['login', 'vault', '--paste', '--timeout', '1s'], { env })
  expect(await terminal.ended).toBe(9)
  expect(terminal.shown()).toContain('"vault": The login took too long.')
  const args = [built, 'login', 'vault', '--paste', '--timeout', '1s']
  const child = spawn(process.execPath, args, {
    cwd: machine.project,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([9, null])
})

test('an address is pasted in a terminal, where it is not shown', async () => {
  const authority = await startAuthorizationServer()
  const { machine, env } = createDesk(authority.mcp)
  const terminal = openTerminal(machine, ['login', 'vault', '--paste'], { env, columns: 2000 })
  await terminal.see('Paste the whole address')
  const [page = ''] = /http:\S+authorize\?\S+/.exec(terminal.shown()) ?? []
  const address = await browseUntilLeft(page)
  terminal.type(`${address}\r`)
  expect(await terminal.ended).toBe(0)
  expect(terminal.raw()).not.toContain(new URL(address).searchParams.get('code'))
  expect(terminal.shown()).toContain('vault: logged in. account default')
})

test('whoever is not logged in is told how, by every command that finds out', async () => {
  const authority = await startAuthorizationServer()
  const { run } = createDesk(authority.mcp)
  expect((await run('whoami', 'vault')).stderr).toBe(
    'Nobody is logged in to "vault". Run: plugboard login vault\n',
  )
  expect((await run('tools')).stderr).toContain(
    'warning: "vault" is missing here: The server asks for a login (HTTP 401). Run: plugboard login vault\n',
  )
  expect((await run('doctor', 'vault')).stdout).toContain('next  plugboard login vault')
  expect((await run('login', 'vault', '--account', ' ')).code).toBe(2)
})

test('a login whose entry is gone is left by its address', async () => {
  const authority = await startAuthorizationServer()
  const { run } = createDesk(authority.mcp)
  await run('login', 'vault')
  await run('remove', 'vault')
  expect((await run('logout', 'vault')).code).toBe(5)
  expect(await run('logout', authority.mcp)).toMatchObject({
    code: 0,
    stdout: `${authority.mcp}: logged out (account default)\n`,
  })
  expect((await run('logout', authority.mcp)).code).toBe(5)
})
