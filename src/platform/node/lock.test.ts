import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundleScript, runScript } from '../../../test/support/programs/processes.ts'
import { withLock as withLimitedLock } from './lock.ts'
import type { LockOptions } from './lock.ts'

/** A busy machine takes long; these tests are about who holds the lock, not about how long others wait for it. */
const withLock = <T>(path: string, work: () => Promise<T>, options?: LockOptions) =>
  withLimitedLock(path, work, { waitMs: 600_000, ...options })

let script: string
let directory: string
let file: string

beforeAll(async () => {
  script = await bundleScript('lock-holder.ts')
  return () => rm(dirname(script), { recursive: true })
})

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plugboard-lock-'))
  file = join(directory, 'mcp.json')
})

afterEach(() => rm(directory, { recursive: true }))

test('lock: two processes exclude each other', async () => {
  const counter = join(directory, 'counter')
  await writeFile(counter, '0')
  const both = [0, 1].map(() => runScript(script, [file, counter, '40']))
  expect(await Promise.all(both.map((process) => process.ended))).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ])
  expect(await readFile(counter, 'utf8')).toBe('80')
})

test('FI-71 lock: released when its holder is killed', async () => {
  const holder = runScript(script, [file, 'forever'])
  expect(await holder.nextLine()).toBe('held')
  const waiting = withLock(file, async () => 'ours')
  holder.child.kill('SIGKILL')
  expect(await holder.ended).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await waiting).toBe('ours')
})

test('lock: work in one process is serialized, also through a link to the same file', async () => {
  await writeFile(file, '')
  const link = join(directory, 'link.json')
  await symlink(file, link)
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`${name} begins`)
    await readFile(file)
    events.push(`${name} ends`)
  }
  await Promise.all([withLock(file, work('a')), withLock(link, work('b')), withLock(file, work('c'))])
  const turns = [0, 2, 4].map((index) => events.slice(index, index + 2).join(', '))
  expect(turns.sort()).toEqual(['a begins, a ends', 'b begins, b ends', 'c begins, c ends'])
})

test('lock: released when the work fails', async () => {
  await expect(withLock(file, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
  expect(await withLock(file, async () => 'next')).toBe('next')
})

test('lock: waiting ends after the limit with a sentence that names the file', async () => {
  await withLock(file, () =>
    expect(withLock(file, async () => 'never', { waitMs: 50 })).rejects.toMatchObject({
      code: 'config.locked',
      message: `Another process has locked ${file} for 0.05 s.`,
      hint: 'Close the other program that edits this file, then try again.',
    }),
  )
})

describe.skipIf(process.platform !== 'linux')('lock: a queue of sockets (Linux)', () => {
  let place: string
  const tickets = async () => (await readdir(place)).filter((name) => /\.\d+$/.test(name)).length
  const untilTickets = async (count: number) => {
    while ((await tickets()) !== count) await new Promise((resolve) => setImmediate(resolve))
  }

  beforeEach(async () => {
    place = join(directory, 'locks')
    await mkdir(place, { mode: 0o700 })
  })

  test('FI-71 lock: waiters get their turns in order, and nothing is left', async () => {
    const order: number[] = []
    const hold = createGate()
    const turns = [withLock(file, () => hold.opened, { places: [place] })]
    await untilTickets(1)
    for (let at = 1; at <= 20; at++) {
      turns.push(withLock(file, async () => void order.push(at), { places: [place] }))
      await untilTickets(at + 1)
    }
    hold.open()
    await Promise.all(turns)
    expect(order).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    expect(await readdir(place)).toEqual([])
  })

  test('FI-71 lock: a waiter that is killed holds up no other, and its files are removed', async () => {
    const hold = createGate()
    const first = withLock(file, () => hold.opened, { places: [place] })
    await untilTickets(1)
    const killed = runScript(script, [file, 'forever', place])
    await untilTickets(2)
    const last = withLock(file, async () => 'last', { places: [place] })
    await untilTickets(3)
    killed.child.kill('SIGKILL')
    await killed.ended
    hold.open()
    await first
    expect(await last).toBe('last')
    expect(await readdir(place)).toEqual([])
  })

  test('T56 lock: works in a directory whose path is too long for a socket', async () => {
    const long = join(place, 'a'.repeat(100), 'b'.repeat(100))
    const holder = runScript(script, [file, 'forever', long])
    expect(await holder.nextLine()).toBe('held')
    const waiting = withLock(file, async () => 'ours', { places: [long] })
    holder.child.kill('SIGKILL')
    expect(await waiting).toBe('ours')
    expect(await readdir(long)).toEqual([])
  })

  test('T56 lock: a lock directory that others can enter is closed to them', async () => {
    await chmod(place, 0o777)
    expect(await withLock(file, async () => (await stat(place)).mode & 0o777, { places: [place] })).toBe(
      0o700,
    )
  })

  test('T56 lock: something else in the place of the lock directory is an error with a sentence', async () => {
    const damaged = join(directory, 'damaged')
    await writeFile(damaged, '')
    await expect(withLock(file, async () => 'never', { places: [damaged, place] })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: `Locks cannot be kept in ${damaged}: it is not a directory.`,
      hint: `Remove ${damaged}, then try again.`,
    })
    await rm(damaged)
    await symlink(place, damaged)
    await expect(withLock(file, async () => 'never', { places: [damaged] })).rejects.toMatchObject({
      message: `Locks cannot be kept in ${damaged}: it is not a directory.`,
    })
  })

  test('T56 lock: a place that cannot be created is skipped; without any, the error names the file', async () => {
    const nowhere = '/proc/plugboard/locks'
    expect(await withLock(file, async () => 'held', { places: [nowhere, place] })).toBe('held')
    await expect(withLock(file, async () => 'never', { places: [nowhere] })).rejects.toMatchObject({
      code: 'config.unwritable',
      message: `${file} cannot be locked (${nowhere}: ENOENT).`,
    })
  })

  test.runIf(process.getuid?.() === 0)(
    'T56 lock: a socket that another user left in the directory is removed (needs root to be another user)',
    async () => {
      const held = withLock(file, async () => (await readdir(place)).find((name) => !/\.\d+$/.test(name)), {
        places: [place],
      })
      const [name = ''] = ((await held) ?? '').split('.')
      const squatted = join(place, `${name}.${'0'.repeat(16)}`)
      const server = createServer().listen(squatted)
      await once(server, 'listening')
      await writeFile(`${squatted}.1`, '')
      await chown(squatted, 65_534, 65_534)
      expect(await withLock(file, async () => 'held', { places: [place] })).toBe('held')
      server.close()
      expect(await readdir(place)).toEqual([])
    },
  )
})

describe.skipIf(process.platform !== 'linux')('FI-72 lock: independent of clocks', () => {
  test('a holder whose clock jumps back still excludes a process whose clock is days ahead', async () => {
    const counter = join(directory, 'counter')
    await writeFile(counter, '0')
    await writeFile(file, '{}')
    await utimes(file, 0, 0)
    const clock = async (name: string, offset: string) => {
      const hook = join(directory, `${name}.cjs`)
      await writeFile(hook, clockHook(offset))
      return { env: { NODE_OPTIONS: `--require ${hook}` } }
    }
    const holder = runScript(script, [file, 'forever'], await clock('back', '-3_600_000 * (calls++ % 2)'))
    expect(await holder.nextLine()).toBe('held')
    const other = runScript(script, [file, counter, '1'], await clock('ahead', '86_400_000 * ++calls'))
    expect(await other.nextLine()).toBe('waiting')
    expect(await readFile(counter, 'utf8')).toBe('0')
    holder.child.kill('SIGKILL')
    await holder.ended
    // It may connect once more while the kernel ends the holder.
    let line = await other.nextLine()
    while (line === 'waiting') line = await other.nextLine()
    expect([line, await readFile(counter, 'utf8')]).toEqual(['done', '1'])
    expect(await other.ended).toEqual({ code: 0, signal: null })
  })
})

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

/** Shifts every clock, and reports when the lock is found to be held. */
function clockHook(offset: string): string {
  return `
    const net = require('node:net')
    let calls = 0
    const now = Date.now
    Date.now = () => now() + (${offset})
    globalThis.Date = class extends Date {
      constructor(...args) { super(...(args.length > 0 ? args : [Date.now()])) }
    }
    const connect = net.connect
    net.connect = (...args) =>
      connect(...args).prependListener('connect', () => process.stdout.write('waiting\\n'))
    require('node:module').syncBuiltinESMExports()
  `
}
