import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeFiles } from '../platform/node/files.ts'
import { createSpill } from './spill.ts'

const day = 24 * 60 * 60 * 1000
const clock = { now: () => Date.now() }
let root = ''
let directory = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spill-'))
  directory = join(root, 'results')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const spill = (text: string) => createSpill({ directory, files: nodeFiles, clock })(text)

describe('createSpill (T45)', () => {
  test('writes the whole text to a private file with a random name in the directory', async () => {
    const path = (await spill('héllo')) ?? ''
    expect(dirname(path)).toBe(directory)
    expect(path).toMatch(/\/[0-9a-f]{32}\.txt$/)
    expect(readFileSync(path, 'utf8')).toBe('héllo')
    expect([statSync(path).mode & 0o777, statSync(directory).mode & 0o777]).toEqual([0o600, 0o700])
    expect(await spill('héllo')).not.toBe(path)
  })

  test('removes its own files after seven days, and no other file', async () => {
    mkdirSync(directory)
    const names = ['a', 'b'].map((each) => `${each.repeat(32)}.txt`)
    const age = (name: string, days: number) => {
      writeFileSync(join(directory, name), name)
      const at = new Date(Date.now() - days * day)
      utimesSync(join(directory, name), at, at)
    }
    age(names[0] ?? '', 8)
    age(names[1] ?? '', 6)
    age('notes.txt', 8)
    const path = (await spill('new')) ?? ''
    expect(
      readdirSync(directory)
        .map((name) => join(directory, name))
        .sort(),
    ).toEqual([path, join(directory, names[1] ?? ''), join(directory, 'notes.txt')].sort())
  })

  test('FI-92 keeps the newest thousand results, and new ones can be read', async () => {
    mkdirSync(directory)
    const planted = Array.from({ length: 1080 }, (_, at) => `${String(at).padStart(32, '0')}.txt`)
    const start = Date.now() / 1000 - 20_000
    for (const [at, name] of planted.entries()) {
      writeFileSync(join(directory, name), '')
      utimesSync(join(directory, name), start + at, start + at)
    }
    const spillMany = createSpill({ directory, files: nodeFiles, clock })
    const paths = await Promise.all(['one', 'two', 'three'].map(spillMany))
    expect(paths.map((path) => readFileSync(path ?? '', 'utf8'))).toEqual(['one', 'two', 'three'])
    const kept = [...planted.slice(-997), ...paths.map((path) => basename(path ?? ''))]
    expect(readdirSync(directory).sort()).toEqual(kept.sort())
  })

  test('FI-92 removes the oldest results beyond the limit of bytes, never the newest', async () => {
    const quota = { files: 100, bytes: 30 }
    const spillSome = createSpill({ directory, files: nodeFiles, clock, quota })
    const paths: string[] = []
    for (let at = 0; at < 6; at++) paths.push((await spillSome('0123456789')) ?? '')
    expect(paths.filter((path) => existsSync(path))).toEqual(paths.slice(3))
    const large = (await spillSome('x'.repeat(50))) ?? ''
    expect(readdirSync(directory)).toEqual([basename(large)])
  })

  test('FI-92 of results with one time, those of other processes are removed first, then the ones stored first', async () => {
    mkdirSync(directory)
    const written: string[] = []
    const at = new Date(Date.now() - day)
    const plant = (path: string) => {
      utimesSync(path, at, at)
      written.push(basename(path))
    }
    const files: typeof nodeFiles = {
      ...nodeFiles,
      async writeBytes(path, ...rest) {
        await nodeFiles.writeBytes(path, ...rest)
        plant(path)
      },
      // The newest first, so that the order of the directory is the wrong one.
      list: async (path) => {
        const present = new Set(await nodeFiles.list(path))
        return written.filter((name) => present.has(name)).reverse()
      },
    }
    const spillSome = createSpill({ directory, files, clock, quota: { files: 4, bytes: 1000 } })
    const paths: string[] = []
    const spillNext = async () => paths.push((await spillSome('x')) ?? '')
    const stored = () => written.filter((name) => existsSync(join(directory, name)))
    for (let count = 0; count < 3; count++) await spillNext()
    const others = ['a', 'b'].map((each) => join(directory, `${each.repeat(32)}.txt`))
    for (const path of others) {
      writeFileSync(path, 'x')
      plant(path)
    }
    await spillNext()
    await spillNext()
    expect(stored()).toEqual(paths.slice(1).map((path) => basename(path)))
    for (let count = 0; count < 10; count++) {
      await spillNext()
      expect(stored()).toEqual(paths.slice(-4).map((path) => basename(path)))
    }
  })

  test('FI-92 two processes share the quota, and the directory is read only at times', async () => {
    const quota = { files: 40, bytes: 1_000_000 }
    let readings = 0
    const files = {
      ...nodeFiles,
      list: (path: string) => {
        readings++
        return nodeFiles.list(path)
      },
    }
    const both = [0, 1].map(() => createSpill({ directory, files, clock, quota }))
    for (let at = 0; at < 100; at++) for (const each of both) await each('x')
    expect(readings).toBeLessThan(30)
    expect(readdirSync(directory).length).toBeLessThanOrEqual(40 + 10)
  })

  test('returns undefined if the file cannot be written', async () => {
    writeFileSync(directory, 'a file in the place of the directory')
    chmodSync(directory, 0o400)
    expect(await spill('x')).toBeUndefined()
  })
})
