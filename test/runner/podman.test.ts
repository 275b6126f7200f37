import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { thiefServerFile } from '../../src/testing/thief-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { hostWith } from '../support/hosted.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'
import {
  noPodman,
  podmanSettings,
  startService,
  startVictim,
  testImage,
} from '../support/programs/runners.ts'
import { outputOf, succeeds } from '../support/programs/program.ts'

const why = noPodman()
const testing = fileURLToPath(new URL('../../src/testing', import.meta.url))
const settings = { runners: { podman: podmanSettings } }

function thief(extra: JsonObject = {}, entry: JsonObject = {}): JsonObject {
  const { read = [], ...rest } = extra
  const runner = { use: 'podman', image: testImage, read: [testing, ...(read as string[])], ...rest }
  return { command: 'node', args: [thiefServerFile], runner, ...entry }
}

const boxesOf = (home: string) => {
  const folder = join(home, '.local/state/plugboard/boxes')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The id that podman wrote for the only container of a host. */
function containerOf(home: string): string {
  const [name = ''] = boxesOf(home)
  return readFileSync(join(home, '.local/state/plugboard/boxes', name, 'cid'), 'utf8')
}

const exists = (id: string) => succeeds('podman', [...podmanSettings.engine, 'container', 'exists', id])

describe.skipIf(why !== '')(`podman ${why}`, { timeout: 60_000 }, () => {
  test('T03 the digest of an image is read from the files of podman, and is the one that podman says', async () => {
    const format = ['image', 'inspect', '--format', '{{.Digest}}', testImage]
    const podman = (...args: readonly string[]) => outputOf('podman', [...podmanSettings.engine, ...args])
    // The tag of the image is a version; another one names none.
    const unpinned = `localhost/plugboard-test-${process.pid}`
    podman('tag', testImage, `${unpinned}:latest`)
    onTestFinished(() => void podman('untag', testImage, `${unpinned}:latest`))
    const digest = podman(...format).trim()
    using machine = createMachine({
      '.mcp.json': { mcpServers: { boxed: { command: 'podman', args: ['run', '-i', unpinned] } } },
    })
    const pinned = await machine.run('lock', '--pin-packages', '--dry-run', '--trust')
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(pinned.stdout).toContain(`@${digest}`)
  })

  test('T41 a thief in a container: every way out is refused', async () => {
    await using x = await hostWith(thief(), { settings })
    mkdirSync(join(x.home, '.ssh'))
    writeFileSync(join(x.home, '.ssh', 'id_test'), 'my-private-key')
    const victim = startVictim()
    const port = await startService()
    expect(await x.call('read', { path: join(x.home, '.ssh', 'id_test') })).toBe('refused: ENOENT')
    expect(await x.call('write', { path: '/usr/stolen' })).toBe('refused: EROFS')
    expect(await x.call('write', { path: join(testing, 'stolen') })).toBe('refused: EROFS')
    expect(await x.call('write', { path: '/proc/sys/kernel/core_pattern' })).toMatch(
      /^refused: E(?:ROFS|ACCES)/,
    )
    expect(await x.call('reach', { port })).toBe('refused: ECONNREFUSED')
    expect(await x.call('spy', { pid: victim.pid })).toBe('refused: ENOENT')
    expect(await x.call('kill', { pid: victim.pid })).toBe('refused: ESRCH')
    expect(await x.call('write', { path: '/tmp/own' })).toBe('written')
  })

  test('T41 a container that wants more memory than it may have is ended, and says how', async () => {
    await using x = await hostWith(thief({ memory: '128m' }), { settings })
    expect(await x.call('allocate', { megabytes: 10 })).toBe('10 MB')
    await expect(x.call('allocate', { megabytes: 500 })).rejects.toMatchObject({
      code: 'call.outcome-unknown',
    })
    const [status] = x.host.servers()
    expect(status?.status).toMatchObject({
      failure: {
        code: 'exit',
        exit: { code: 137 },
        hint: expect.stringContaining('It was killed, perhaps because it needed more than its limit of 128m'),
      },
    })
  })

  test('T41 a container starts no more processes than it may, and still answers', async () => {
    await using x = await hostWith(thief({ pids: 32 }), { settings })
    const [, started] = /^(\d+) of 60$/.exec(await x.call('fork', { count: 60 })) ?? []
    expect(Number(started)).toBeGreaterThan(0)
    expect(Number(started)).toBeLessThan(32)
    expect(await x.call('write', { path: '/tmp/own' })).toBe('written')
  })

  test('T35 variables reach the container through a file that is removed after the greeting', async () => {
    const entry = thief({}, { env: { API_TOKEN: 'canary-in-a-container' } })
    await using x = await hostWith(entry, { settings })
    const environment = JSON.parse(await x.call('environment')) as Record<string, string>
    expect(environment).toMatchObject({ API_TOKEN: 'canary-in-a-container', HOME: '/tmp' })
    expect(environment).not.toHaveProperty('PLUGBOARD_STARTED')
    const [name = ''] = boxesOf(x.home)
    expect(readdirSync(join(x.home, '.local/state/plugboard/boxes', name)).sort()).toEqual([
      'cid',
      'owner.json',
    ])
  })

  test('FI-23 a stop removes the container, although its processes are not ours', async () => {
    await using x = await hostWith(thief(), { settings })
    await x.call('fork', { count: 3 })
    const id = containerOf(x.home)
    expect(exists(id)).toBe(true)
    await x.host.close()
    expect(exists(id)).toBe(false)
    expect(boxesOf(x.home)).toEqual([])
  })

  test('FI-22 a server that exits in its container says how, and leaves no files', async () => {
    const program = 'console.error("no luck"); process.exit(7)'
    await using x = await hostWith(thief({}, { args: ['-e', program] }), { settings })
    await expect(x.connect()).rejects.toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'exit', exit: { code: 7 }, stderr: expect.arrayContaining(['no luck']) } },
    })
    expect(boxesOf(x.home)).toEqual([])
  })

  test('FI-24 a container of a killed host is removed by the next one, with its variables', async () => {
    // Its client is killed with the host; the end of its input would end a polite server.
    const { args } = faultyServer({ on: { eof: [], sigterm: [] } })
    await using x = await hostWith(thief({}, { args: [...args] }), { settings })
    const config = join(x.home, 'servers.json')
    const killed = runScript(await bundleScript('host-process.ts'), ['serve', x.home, config])
    await killed.nextLine()
    const id = containerOf(x.home)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(exists(id)).toBe(true)
    await x.connect()
    await x.host.close()
    expect(exists(id)).toBe(false)
    expect(boxesOf(x.home)).toEqual([])
  })

  test('T41 an image that is not there is not fetched: the error has the command', async () => {
    await using x = await hostWith(thief({ image: 'localhost/no-such-image:1' }), { settings })
    await expect(x.connect()).rejects.toMatchObject({
      data: { failure: { hint: expect.stringContaining('podman pull localhost/no-such-image:1') } },
    })
    expect(boxesOf(x.home)).toEqual([])
  })
})
