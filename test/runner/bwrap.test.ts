import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { thiefServerFile } from '../../src/testing/thief-server.ts'
import { untilGone } from '../support/programs/alive.ts'
import { hostWith } from '../support/hosted.ts'
import type { HostWithServer } from '../support/hosted.ts'
import {
  noBwrap,
  noStrace,
  startAbstractService,
  startService,
  startVictim,
} from '../support/programs/runners.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const thief = { command: process.execPath, args: [thiefServerFile] }

/** The program of Node, unless it is part of the system, and our own files. */
const programs = [
  ...(process.execPath.startsWith('/usr/') ? [] : [join(process.execPath, '../..')]),
  join(repository, 'src/testing'),
]

function box(extra: JsonObject = {}): JsonObject {
  const { read = [], ...rest } = extra
  return { use: 'bwrap', read: [...programs, ...(read as string[])], ...rest }
}

/** The same server twice: what the box refuses has to succeed without it, or the refusal proves nothing. */
async function boxedAndFree(extra: JsonObject = {}) {
  const boxed = await hostWith({ ...thief, runner: box(extra) })
  const free = await hostWith(thief)
  return {
    boxed,
    free,
    async [Symbol.asyncDispose]() {
      await boxed[Symbol.asyncDispose]()
      await free[Symbol.asyncDispose]()
    },
  }
}

async function both(
  pair: Awaited<ReturnType<typeof boxedAndFree>>,
  tool: string,
  args: (x: HostWithServer) => JsonObject,
) {
  const { boxed, free } = pair
  return { boxed: await boxed.call(tool, args(boxed)), free: await free.call(tool, args(free)) }
}

describe.skipIf(noBwrap !== '')(`bwrap ${noBwrap}`, () => {
  test('T41 a boxed thief: every way out is refused, and each succeeds without the box', async () => {
    await using pair = await boxedAndFree()
    for (const { home } of [pair.boxed, pair.free]) {
      mkdirSync(join(home, '.ssh'))
      writeFileSync(join(home, '.ssh', 'id_test'), 'my-private-key')
    }
    const victim = startVictim()
    const port = await startService()

    expect(await both(pair, 'read', ({ home }) => ({ path: join(home, '.ssh', 'id_test') }))).toEqual({
      boxed: 'refused: ENOENT',
      free: 'my-private-key',
    })
    expect(await both(pair, 'write', ({ home }) => ({ path: join(home, 'stolen') }))).toEqual({
      boxed: 'written',
      free: 'written',
    })
    // In the box that was its own home, which nobody else sees.
    expect([existsSync(join(pair.boxed.home, 'stolen')), existsSync(join(pair.free.home, 'stolen'))]).toEqual(
      [false, true],
    )
    expect(await pair.boxed.call('write', { path: '/usr/stolen' })).toBe('refused: EROFS')
    expect(await pair.boxed.call('write', { path: join(repository, 'src/testing/stolen') })).toBe(
      'refused: EROFS',
    )
    expect(await both(pair, 'reach', () => ({ port }))).toEqual({
      boxed: 'refused: ECONNREFUSED',
      free: 'connected',
    })
    expect(await both(pair, 'spy', () => ({ pid: victim.pid }))).toEqual({
      boxed: 'refused: ENOENT',
      free: expect.stringContaining('VICTIM=its-secret'),
    })
    expect(await pair.boxed.call('kill', { pid: victim.pid })).toBe('refused: ESRCH')
    expect(await pair.free.call('kill', { pid: victim.pid })).toBe('killed')
    await victim.ended
    expect(await both(pair, 'run', () => ({ command: 'unshare', args: ['--user', 'true'] }))).toEqual({
      boxed: expect.stringMatching(/^exit [1-9]/),
      free: 'exit 0',
    })
  })

  test('T41 only the listed folders: read-only, writable, and a narrower one inside a wider one', async () => {
    const entry = { ...thief, runner: box({ read: ['~/data', '~/work/fixed'], write: ['~/work'] }) }
    await using x = await hostWith(entry)
    for (const folder of ['data', 'work/fixed', 'other']) {
      mkdirSync(join(x.home, folder), { recursive: true })
      writeFileSync(join(x.home, folder, 'a'), folder)
    }
    const read = (path: string) => x.call('read', { path: join(x.home, path) })
    const write = (path: string) => x.call('write', { path: join(x.home, path) })
    expect(await read('data/a')).toBe('data')
    expect(await read('other/a')).toBe('refused: ENOENT')
    expect(await write('data/b')).toBe('refused: EROFS')
    expect(await write('work/b')).toBe('written')
    expect(readFileSync(join(x.home, 'work/b'), 'utf8')).toBe('stolen')
    expect(await write('work/fixed/b')).toBe('refused: EROFS')
  })

  test('T41 with the network come the loopback interface and abstract sockets; without it neither', async () => {
    const port = await startService()
    const name = await startAbstractService()
    await using x = await hostWith({ ...thief, runner: box({ network: true }) })
    await using closed = await hostWith({ ...thief, runner: box() })
    expect(await x.call('reach', { port })).toBe('connected')
    expect(await x.call('signal', { name })).toBe('connected')
    expect(await closed.call('signal', { name })).toBe('refused: ECONNREFUSED')
  })

  test('T41 /proc is read-only: for root, core_pattern would run programs outside of the box', async () => {
    await using x = await hostWith({ ...thief, runner: box() })
    // Opens it for appending and writes nothing.
    const append = (path: string) => x.call('run', { command: 'sh', args: ['-c', `: >> ${path}`] })
    expect(await append('/proc/sys/kernel/core_pattern')).toMatch(/^exit [1-9]/)
    expect(await append('/proc/self/comm')).toMatch(/^exit [1-9]/)
    expect(await append('/tmp/own')).toBe('exit 0')
  })

  test('T41 a box inherits no descriptors and has no terminal', async () => {
    await using x = await hostWith({ ...thief, runner: box() })
    expect(await x.call('descriptors')).toBe('')
    expect(await x.call('read', { path: '/dev/tty' })).toBe('refused: ENXIO')
  })

  test.skipIf(noStrace !== '')(
    `T41 a boxed server cannot trace a process of this machine ${noStrace}`,
    async () => {
      await using pair = await boxedAndFree()
      const victim = startVictim()
      const trace = { command: 'strace', args: ['-o', '/dev/null', '-p', String(victim.pid)] }
      expect(await pair.boxed.call('run', trace)).toBe('exit 1')
      const traced = pair.free.call('run', trace)
      await expect.poll(() => tracerOf(victim.pid)).toBeGreaterThan(0)
      await victim.kill('SIGKILL')
      expect(await traced).not.toBe('exit 1')
    },
  )

  test('T41 a home that is opened shows our own folders empty, and their parents cannot be moved away', async () => {
    await using x = await hostWith({ ...thief, runner: box({ write: ['~'] }) }, { settings: {} })
    const settings = join(x.home, '.config/plugboard/settings.json')
    expect(await x.call('read', { path: settings })).toBe('refused: ENOENT')
    expect(await x.call('write', { path: settings })).toBe('written')
    expect(readFileSync(settings, 'utf8')).toBe('{}')
    for (const folder of ['.config', '.local', '.local/state']) {
      const path = join(x.home, folder)
      expect(await x.call('run', { command: 'mv', args: [path, `${path}-moved`] })).toMatch(/^exit [1-9]/)
      expect(existsSync(path)).toBe(true)
    }
    expect(await x.call('write', { path: join(x.home, 'free') })).toBe('written')
    expect(existsSync(join(x.home, 'free'))).toBe(true)
  })

  test('T41 our own folders behind a link are hidden where they really are', async () => {
    await using x = await hostWith({ ...thief, runner: box({ write: ['~/dotfiles'] }) })
    mkdirSync(join(x.home, 'dotfiles/config/plugboard'), { recursive: true })
    symlinkSync(join(x.home, 'dotfiles/config'), join(x.home, '.config'))
    const settings = join(x.home, 'dotfiles/config/plugboard/settings.json')
    writeFileSync(settings, '{}')
    expect(await x.call('read', { path: settings })).toBe('refused: ENOENT')
    expect(await x.call('write', { path: settings })).toBe('written')
    expect(readFileSync(settings, 'utf8')).toBe('{}')
  })

  test('T41 a home that is only read can be opened before our own folders exist', async () => {
    await using x = await hostWith({ ...thief, runner: box({ read: ['~'] }) })
    writeFileSync(join(x.home, 'a'), 'mine')
    expect(await x.call('read', { path: join(x.home, 'a') })).toBe('mine')
  })

  test('T35 a secret of the environment is on no command line, and bwrap itself does not get it', async () => {
    const entry = {
      ...thief,
      env: { API_TOKEN: 'canary-in-a-box', LD_PRELOAD: '/no/such/library.so' },
      runner: box(),
    }
    await using x = await hostWith(entry)
    const environment = JSON.parse(await x.call('environment')) as Record<string, string>
    expect(environment).toMatchObject({ API_TOKEN: 'canary-in-a-box', HOME: x.home, TMPDIR: '/tmp' })
    const { pid } = startedBy(x)
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    expect(commandLine).toContain('--unshare-all')
    expect(commandLine).not.toContain('canary')
    const ofBwrap = readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(ofBwrap).not.toContain('canary')
    expect(ofBwrap).not.toContain('LD_PRELOAD')
  })

  test('FI-23 a stop ends the whole box', async () => {
    await using x = await hostWith({ ...thief, runner: box() })
    expect(await x.call('fork', { count: 5 })).toBe('5 of 5')
    const { pid } = startedBy(x)
    const family = descendantsOf(pid)
    expect(family.length).toBeGreaterThanOrEqual(7)
    await x.host.close()
    await untilGone(pid, ...family)
  })

  test('FI-22 a boxed server that exits says how', async () => {
    await using x = await hostWith({
      command: process.execPath,
      args: ['-e', 'console.error("no luck"); process.exit(7)'],
      runner: box(),
    })
    await expect(x.connect()).rejects.toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'exit', exit: { code: 7 }, stderr: expect.arrayContaining(['no luck']) } },
    })
  })
})

function tracerOf(pid: number): number {
  return Number(/^TracerPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

function startedBy(x: HostWithServer): { readonly pid: number } {
  const started = x.events.find((event) => event.type === 'server.started')
  if (!started) throw new Error('The server was not started.')
  return started
}

function descendantsOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}
