import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodePlatform } from '../../src/index.ts'
import { openServe } from '../../src/surfaces/server/serve.ts'
import { createMachine } from '../support/programs/cli.ts'
import { ownFile } from '../support/servers.ts'

/** `serve` on a machine whose config files are read when `release` is called. */
async function startHeld() {
  const machine = createMachine({ [ownFile]: { mcpServers: { x: { command: 'x' } } } })
  const pageFolder = join(machine.home, 'page')
  mkdirSync(pageFolder)
  writeFileSync(join(pageFolder, 'index.html'), '<title>Plugboard</title>')
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const { files } = nodePlatform()
  const served = await openServe({
    discover: {
      cwd: machine.project,
      platform: {
        home: machine.home,
        env: machine.env,
        files: { ...files, readText: async (...args) => (await held, files.readText(...args)) },
      },
    },
    port: 0,
    print: () => undefined,
    pageFolder,
  })
  return { machine, served, release }
}

test('the page is answered while the configuration is still read, and the API afterwards', async () => {
  const { machine, served, release } = await startHeld()
  using _ = machine
  let isAnswered = false
  const headers = { authorization: `Bearer ${served.token}` }
  const asked = fetch(`${served.address}/api/servers`, { headers }).finally(() => (isAnswered = true))
  const page = await fetch(`${served.address}/servers`)
  expect([page.status, await page.text(), isAnswered]).toEqual([200, '<title>Plugboard</title>', false])
  release()
  expect((await asked).status).toBe(200)
  await served.close()
})

test('ending it while the host is opened ends the host too', async () => {
  const { machine, served, release } = await startHeld()
  using _ = machine
  const opened = served.app()
  const closed = served.close()
  release()
  await closed
  const { host } = await opened
  await expect(host.connect('x')).rejects.toMatchObject({ code: 'host.closed' })
})

test('a request that needs the host is answered with what is wrong, and the next one tries again', async () => {
  using machine = createMachine()
  let isBroken = true
  const printed: string[] = []
  const served = await openServe({
    discover: { cwd: machine.project, platform: { home: machine.home, env: machine.env } },
    port: 0,
    print: (line) => printed.push(line),
    onOpen: () => {
      if (isBroken) throw new Error('no disk')
    },
  })
  const ask = () =>
    fetch(`${served.address}/api/servers`, { headers: { authorization: `Bearer ${served.token}` } })
  const first = await ask()
  expect([first.status, await first.json()]).toEqual([
    500,
    { error: { code: 'internal', message: 'Plugboard failed unexpectedly: no disk' } },
  ])
  expect(printed[0]).toContain('Error: no disk')
  isBroken = false
  expect((await ask()).status).toBe(200)
  await served.close()
})
