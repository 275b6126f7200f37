import { mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundleScript, runScript } from '../../../test/support/processes.ts'
import { withLock } from './lock.ts'

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
    for (let attempt = 0; attempt < 5; attempt++) expect(await other.nextLine()).toBe('refused')
    expect(await readFile(counter, 'utf8')).toBe('0')
    holder.child.kill('SIGKILL')
    await holder.ended
    let line = await other.nextLine()
    while (line === 'refused') line = await other.nextLine()
    expect([line, await readFile(counter, 'utf8')]).toEqual(['done', '1'])
    expect(await other.ended).toEqual({ code: 0, signal: null })
  })
})

/** Shifts every clock, and reports if the lock was not acquired. */
function clockHook(offset: string): string {
  return `
    const net = require('node:net')
    let calls = 0
    const now = Date.now
    Date.now = () => now() + (${offset})
    globalThis.Date = class extends Date {
      constructor(...args) { super(...(args.length > 0 ? args : [Date.now()])) }
    }
    const create = net.createServer
    net.createServer = (...args) =>
      create(...args).prependListener('error', () => process.stdout.write('refused\\n'))
    require('node:module').syncBuiltinESMExports()
  `
}
