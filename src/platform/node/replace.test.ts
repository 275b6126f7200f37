import { chmod, mkdtemp, readFile, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runScript } from '../../../test/support/programs/processes.ts'
import { nodeFiles } from './files.ts'

let directory: string
let file: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plugboard-replace-'))
  file = join(directory, 'a.json')
})

afterEach(() => rm(directory, { recursive: true }))

const text = () => readFile(file, 'utf8')

describe('O17 replace: atomic', () => {
  test('creates folders, and keeps the mode or sets the given one', async () => {
    const deep = join(directory, 'x/y/b.json')
    await nodeFiles.replace(deep, 'b', { mode: 0o600 })
    expect([await readFile(deep, 'utf8'), (await stat(deep)).mode & 0o777]).toEqual(['b', 0o600])
    await chmod(deep, 0o640)
    await nodeFiles.replace(deep, 'c')
    expect([await readFile(deep, 'utf8'), (await stat(deep)).mode & 0o777]).toEqual(['c', 0o640])
    expect(await readdir(join(directory, 'x/y'))).toEqual(['b.json'])
  })

  test('T09 `over`: writes only if the file still has the expected text', async () => {
    await writeFile(file, 'old')
    const over = await nodeFiles.readText(file)
    await writeFile(file, 'theirs')
    await expect(nodeFiles.replace(file, 'new', { over })).rejects.toMatchObject({ problem: 'changed' })
    expect(await text()).toBe('theirs')
    await nodeFiles.replace(file, 'new', { over: await nodeFiles.readText(file) })
    expect(await text()).toBe('new')
    await expect(nodeFiles.replace(file, 'x', { over: { kind: 'absent' } })).rejects.toMatchObject({
      problem: 'changed',
    })
    expect(await readdir(directory)).toEqual(['a.json'])
  })

  test('`over`: a byte order mark counts as a change', async () => {
    await writeFile(file, 'old')
    const over = await nodeFiles.readText(file)
    await writeFile(file, '\uFEFFold')
    await expect(nodeFiles.replace(file, 'new', { over })).rejects.toMatchObject({ problem: 'changed' })
  })
})

test('FI-71 replace: removes temp files of dead writers of this file, and no others', async () => {
  const dead = runScript('-e', ['0'])
  await dead.ended
  const living = runScript('-e', ['process.stdin.resume()'])
  const temp = (name: string, pid: number | undefined) => `.${name}.${pid}.0123456789ab.tmp`
  const kept = [temp('a.json', living.child.pid), temp('b.json', dead.child.pid), '.a.json.swp', 'a.json.tmp']
  const strays = [temp('a.json', dead.child.pid), temp('a.json', process.pid)]
  for (const name of [...kept, ...strays]) await writeFile(join(directory, name), '')
  await nodeFiles.replace(file, 'new')
  expect(await readdir(directory)).toEqual([...kept, 'a.json'].sort())
  living.go()
  await living.ended
})

describe('replace: a small file that may be lost', () => {
  const lost = { mode: 0o600, isDurable: false } as const

  test('O17 is written at once, in a folder that may be removed meanwhile', async () => {
    const deep = join(directory, 'x/b.json')
    await nodeFiles.replace(deep, 'b', lost)
    await rm(join(directory, 'x'), { recursive: true })
    await nodeFiles.replace(deep, 'c', lost)
    expect([await readFile(deep, 'utf8'), (await stat(deep)).mode & 0o777]).toEqual(['c', 0o600])
    expect(await readdir(join(directory, 'x'))).toEqual(['b.json'])
  })

  test('FI-71 removes temp files of dead writers once per folder, and no others', async () => {
    const dead = runScript('-e', ['0'])
    await dead.ended
    const temp = (name: string, pid: number | undefined) => `.${name}.${pid}.0123456789ab.tmp`
    const kept = ['.a.json.swp', 'a.json.tmp', temp('', 1)]
    for (const name of [...kept, temp('a.json', dead.child.pid), temp('b.json', dead.child.pid)])
      await writeFile(join(directory, name), '')
    await nodeFiles.replace(file, 'new', lost)
    expect(await readdir(directory)).toEqual([...kept, 'a.json'].sort())
  })

  test('T47 follows no link in place of the file', async () => {
    await writeFile(join(directory, 'theirs'), 'theirs')
    await symlink('theirs', file)
    await nodeFiles.replace(file, 'new', lost)
    expect([await text(), await readFile(join(directory, 'theirs'), 'utf8')]).toEqual(['new', 'theirs'])
  })
})

describe('realPath', () => {
  test('of a link is its target, whether that exists or not', async () => {
    await symlink('target.json', file)
    const target = join(await nodeFiles.realPath(directory), 'target.json')
    expect(await nodeFiles.realPath(file)).toBe(target)
    await nodeFiles.replace(await nodeFiles.realPath(file), 'new')
    expect([await text(), await readlink(file)]).toEqual(['new', 'target.json'])
  })

  test('of a loop of links is one of them, and it cannot be read', async () => {
    await symlink('a.json', join(directory, 'b.json'))
    await symlink('b.json', file)
    expect(await readdir(directory)).toContain((await nodeFiles.realPath(file)).split('/').at(-1))
    expect(await nodeFiles.readText(file)).toMatchObject({ kind: 'problem', problem: 'not-a-file' })
  })
})
