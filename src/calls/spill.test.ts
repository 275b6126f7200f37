import {
  chmodSync,
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
import { dirname, join } from 'node:path'
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

  test('returns undefined if the file cannot be written', async () => {
    writeFileSync(directory, 'a file in the place of the directory')
    chmodSync(directory, 0o400)
    expect(await spill('x')).toBeUndefined()
  })
})
