import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findCommand } from './find-command.ts'

describe.skipIf(process.platform === 'win32')('T04 a command on a machine with files', () => {
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

  test('is the first program of that name in PATH, by its absolute path', () => {
    expect(find('npx', path())).toEqual({ kind: 'found', path: join(root, 'bin/npx') })
  })

  test('is looked for again the next time, though those that start together are found once', async () => {
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
    'is never looked for in the working directory, though PATH says %j',
    (folders) => {
      expect(find('npx', folders)).toEqual({ kind: 'missing', searched: [] })
      expect(find('run', folders)).toEqual({ kind: 'missing', searched: [] })
    },
  )

  test('is not found in the working directory when PATH names that absolutely', () => {
    const work = join(root, 'work')
    expect(find('node', `${work}:${work}/:${work}/../work:${path()}`)).toEqual({
      kind: 'missing',
      searched: [join(root, 'bin'), join(root, 'late')],
    })
    expect(find('npx', `${work}:${path()}`)).toEqual({ kind: 'found', path: join(root, 'bin/npx') })
  })

  test('that is a path belongs to the working directory, because the entry says so', () => {
    expect(find('./node', path())).toEqual({ kind: 'found', path: join(root, 'work/node') })
    expect(find('tools/run', path())).toEqual({ kind: 'found', path: join(root, 'work/tools/run') })
    expect(find('tools/none', path())).toEqual({ kind: 'missing', searched: [join(root, 'work/tools/none')] })
    expect(find(join(root, 'late/npx'), '')).toEqual({ kind: 'found', path: join(root, 'late/npx') })
  })

  test('that may not be run is passed over for one that may', () => {
    expect(find('blocked', path())).toEqual({ kind: 'found', path: join(root, 'late/blocked') })
  })

  test('that may not be run anywhere is named', () => {
    const [bin, late] = [join(root, 'bin'), join(root, 'late')]
    expect(find('text', path())).toEqual({
      kind: 'missing',
      searched: [bin, late],
      blocked: join(bin, 'text'),
    })
  })

  test('is no folder', () => {
    expect(find('folder', path())).toMatchObject({ kind: 'missing' })
  })
})

describe('T04 a command on Windows', () => {
  const find = (command: string, files: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    findCommand(
      command,
      { cwd: 'C:\\work', env: { Path: '.;"C:\\node js";C:\\work;D:\\bin', ...env }, os: 'win32' },
      (path) => (files.includes(path) ? 'program' : 'absent'),
    )

  test('has an ending of PATHEXT; the file without one is a script for a shell', () => {
    const files = ['C:\\node js\\npx', 'C:\\node js\\npx.cmd']
    expect(find('npx', files)).toEqual({ kind: 'found', path: 'C:\\node js\\npx.cmd' })
    expect(find('npx', files, { PATHEXT: '.EXE;.JS' })).toMatchObject({ kind: 'missing' })
  })

  test('may be written with its ending, and may have a dot in its name', () => {
    expect(find('npx.CMD', ['D:\\bin\\npx.CMD'])).toMatchObject({ path: 'D:\\bin\\npx.CMD' })
    expect(find('python3.11', ['D:\\bin\\python3.11.exe'])).toMatchObject({ path: 'D:\\bin\\python3.11.exe' })
  })

  test('is never looked for in the working directory, unless it is a path', () => {
    const files = ['C:\\work\\node.exe', 'C:\\work\\tools\\run.bat']
    expect(find('node', files)).toEqual({ kind: 'missing', searched: ['C:\\node js', 'D:\\bin'] })
    expect(find('.\\node', files)).toEqual({ kind: 'found', path: 'C:\\work\\node.exe' })
    expect(find('tools/run', files)).toEqual({ kind: 'found', path: 'C:\\work\\tools\\run.bat' })
  })
})
