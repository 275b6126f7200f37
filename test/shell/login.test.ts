import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browse, browseUntilLeft, startAuthorizationServer } from '../support/authorization-server.ts'
import { parseDocument, startCli } from '../support/programs/cli.ts'
import { openShell } from '../support/programs/open-shell.ts'
import { machineWith } from '../support/servers.ts'

const ctrlC = '\u0003'

/** A machine with a server that needs a login, and a browser stub that writes the address it was given to a file. */
async function openVault() {
  const authority = await startAuthorizationServer()
  const machine = machineWith({ vault: { type: 'http', url: authority.mcp } })
  machine.write(
    '~/bin/xdg-open',
    '#!/bin/sh\nprintf %s "$1" > "$HOME/page.part" && mv "$HOME/page.part" "$HOME/page"\n',
    0o755,
  )
  const env = {
    PATH: `${join(machine.home, 'bin')}:${process.env['PATH'] ?? ''}`,
    PLUGBOARD_CREDENTIALS: 'file',
  }
  const shell = await openShell(machine, { columns: 200, env })
  return { authority, machine, shell }
}

test('O16 login: after a login in the browser the tools can be called at once; unauth logs out', async () => {
  const { authority, machine, shell } = await openVault()
  using _machine = machine
  await shell.see('1 needs login (vault)')
  await shell.enter('/mcp test vault', 'asked for a login')
  await shell.enter('/mcp login vault', 'Log in on the page in your browser.')
  await expect.poll(() => existsSync(machine.path('~/page'))).toBe(true)
  await browse(machine.read('~/page'))
  await shell.see('vault: logged in.')
  await shell.enter('vault__work', 'done')
  await shell.enter('/mcp unauth vault', 'vault: logged out')
  await shell.see('1 needs login (vault)')
  expect(await shell.leave()).toBe(0)
  expect(authority.grants()).toEqual(['authorization_code'])
})

test('O16 reauth --paste: the pasted address is not shown, and Ctrl-C ends a login, not the shell', async () => {
  const { machine, shell } = await openVault()
  using _machine = machine
  await shell.see('1 needs login (vault)')
  await shell.enter('/mcp reauth vault --paste', 'Open this page in any browser')
  await shell.see('http://')
  await shell.see('◆')
  const [page = ''] = /http:\/\/127\S+\/authorize\S+/.exec(shell.shown()) ?? []
  const address = await browseUntilLeft(page)
  shell.type(`${address}\r`)
  await shell.see('vault: logged in.')
  expect(shell.shown()).not.toContain(new URL(address).searchParams.get('code') ?? 'a code')
  await shell.enter('/mcp login vault --no-browser', '/authorize?')
  shell.type(ctrlC)
  await shell.see('Cancelled.')
  await shell.enter('vault__work', 'done')
  expect(await shell.leave()).toBe(0)
})

/** The same server, for a shell with piped input. */
async function pipedVault() {
  const authority = await startAuthorizationServer()
  const machine = machineWith({ vault: { type: 'http', url: authority.mcp } })
  const env = { ...machine.env, PLUGBOARD_CREDENTIALS: 'file' }
  return { machine, env }
}

test('O16 login --paste: with piped input the next line is the address', async () => {
  const { machine, env } = await pipedVault()
  using _machine = machine
  await using shell = startCli(machine, ['shell'], { env, stdin: 'pipe' })
  shell.write('login vault --paste\n')
  const [page] = await shell.printed(/http:\/\/127\S+\/authorize\S+(?=\n)/)
  const address = await browseUntilLeft(page)
  shell.write(`${address}\nvault__work\n`)
  shell.closeInput()
  const { code, stdout, stderr } = await shell.result
  expect(code).toBe(0)
  expect(stdout).toMatch(/^vault: logged in\. .*\ndone\n$/)
  expect(stdout + stderr).not.toContain(new URL(address).searchParams.get('code') ?? 'a code')
})

test('O16 login --paste: piped input without an address fails with a hint, and only one line is consumed', async () => {
  const { machine, env } = await pipedVault()
  using _machine = machine
  const noAddress = (login: string) =>
    '"vault": No address was given for the end of the login.\nPut it on the next line of the input, ' +
    `or log in at a terminal: ${login} --paste vault\n`
  const run = (stdin: string, ...args: readonly string[]) => machine.runWith({ env, stdin }, ...args)
  for (const [{ code, stderr }, login] of [
    [await run('login vault --paste\n', 'shell'), '/mcp reauth'],
    [await run('', 'login', 'vault', '--paste'), 'plugboard login'],
  ] as const) {
    expect(code).toBe(8)
    expect(stderr.endsWith(noAddress(login))).toBe(true)
  }
  const { code, stdout, stderr } = await run('login vault --paste\ntools\n# next\nsources --json\n', 'shell')
  expect(code).toBe(8)
  expect(stderr).toContain('That address does not belong to this login.')
  expect(parseDocument(stdout)).toHaveProperty('sources')
})
