import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCommand } from './find-command.ts'

describe.skipIf(process.platform === 'win32')('T04 findCommand: with real files', () => {
  let root = ''
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'find-'))
    for (const folder of ['bin', 'late', 'work', 'work/tools', 'bin/folder']) mkdirSync(join(root, folder))
    for (const file of ['bin/npx', 'late/npx', 'late/blocked', 'work/node', 'work/npx', 'work/tools/run']) {
      writeFileSync(join(root, file), '#!/bin/sh\n')
      chmodSync(join(root, file), 0o755)
    }
    writeFileSync(join(root, 'bin/blocked'), 'text')
    writeFileSync(join(root, 'bin/text'), 'text')
  })
  afterAll(() => rmSync(root, { recursive: true }))

  const find = (command: string, path: string) =>
    findCommand(command, { cwd: join(root, 'work'), env: { PATH: path }, os: 'linux' })
  const path = () => `${join(root, 'bin')}:${join(root, 'late')}`

  test('finds the first program of that name in PATH, with its absolute path', () => {
    expect(find('npx', path())).toEqual({ kind: 'found', path: join(root, 'bin/npx') })
  })

  test('a folder of PATH that may not be searched is passed over; a path into one is reported', () => {
    const closed = () => 'closed' as const
    const context = { cwd: '/work', env: { PATH: '/root/bin' }, os: 'linux' } as const
    expect(findCommand('npx', context, closed)).toEqual({ kind: 'missing', searched: ['/root/bin'] })
    expect(findCommand('/root/bin/npx', context, closed)).toMatchObject({ blocked: '/root/bin/npx' })
  })

  test('caches a result for one turn of the event loop only', async () => {
    const moved = join(root, 'bin/moved')
    writeFileSync(moved, '#!/bin/sh\n', { mode: 0o755 })
    expect(find('moved', path())).toEqual({ kind: 'found', path: moved })
    rmSync(moved)
    await new Promise(setImmediate)
    expect(find('moved', path())).toEqual({
      kind: 'missing',
      searched: [join(root, 'bin'), join(root, 'late')],
    })
  })

  test.each(['', '.', ':', './', 'tools', '..:.'])(
    'never searches the working directory, even if PATH is %j',
    (folders) => {
      expect(find('npx', folders)).toEqual({ kind: 'missing', searched: [] })
      expect(find('run', folders)).toEqual({ kind: 'missing', searched: [] })
    },
  )

  test('never searches the working directory, even if PATH contains its absolute path', () => {
    const work = join(root, 'work')
    expect(find('node', `${work}:${work}/:${work}/../work:${path()}`)).toEqual({
      kind: 'missing',
      searched: [join(root, 'bin'), join(root, 'late')],
    })
    expect(find('npx', `${work}:${path()}`)).toEqual({ kind: 'found', path: join(root, 'bin/npx') })
  })

  test('resolves a relative path against the working directory', () => {
    expect(find('./node', path())).toEqual({ kind: 'found', path: join(root, 'work/node') })
    expect(find('tools/run', path())).toEqual({ kind: 'found', path: join(root, 'work/tools/run') })
    expect(find('tools/none', path())).toEqual({ kind: 'missing', searched: [join(root, 'work/tools/none')] })
    expect(find(join(root, 'late/npx'), '')).toEqual({ kind: 'found', path: join(root, 'late/npx') })
  })

  test('skips a file without execute permission if another one has it', () => {
    expect(find('blocked', path())).toEqual({ kind: 'found', path: join(root, 'late/blocked') })
  })

  test('reports a file without execute permission if there is no other', () => {
    const [bin, late] = [join(root, 'bin'), join(root, 'late')]
    expect(find('text', path())).toEqual({
      kind: 'missing',
      searched: [bin, late],
      blocked: join(bin, 'text'),
    })
  })

  test('ignores a folder of that name', () => {
    expect(find('folder', path())).toMatchObject({ kind: 'missing' })
  })
})

describe('T04 findCommand: on Windows', () => {
  const find = (command: string, files: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    findCommand(
      command,
      { cwd: 'C:\\work', env: { Path: '.;"C:\\node js";C:\\work;D:\\bin', ...env }, os: 'win32' },
      (path) => (files.includes(path) ? 'program' : 'absent'),
    )

  test('requires an extension of PATHEXT; a file without one is a shell script', () => {
    const files = ['C:\\node js\\npx', 'C:\\node js\\npx.cmd']
    expect(find('npx', files)).toEqual({ kind: 'found', path: 'C:\\node js\\npx.cmd' })
    expect(find('npx', files, { PATHEXT: '.EXE;.JS' })).toMatchObject({ kind: 'missing' })
  })

  test('accepts a name with its extension, and a name with a dot', () => {
    expect(find('npx.CMD', ['D:\\bin\\npx.CMD'])).toMatchObject({ path: 'D:\\bin\\npx.CMD' })
    expect(find('python3.11', ['D:\\bin\\python3.11.exe'])).toMatchObject({ path: 'D:\\bin\\python3.11.exe' })
  })

  test('never searches the working directory, unless the command is a path', () => {
    const files = ['C:\\work\\node.exe', 'C:\\work\\tools\\run.bat']
    expect(find('node', files)).toEqual({ kind: 'missing', searched: ['C:\\node js', 'D:\\bin'] })
    expect(find('.\\node', files)).toEqual({ kind: 'found', path: 'C:\\work\\node.exe' })
    expect(find('tools/run', files)).toEqual({ kind: 'found', path: 'C:\\work\\tools\\run.bat' })
  })
})
