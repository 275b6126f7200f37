import { describe, expect, test } from 'vitest'
import type { LockState, LockedServer } from '../model/locked-server.ts'
import { createFakePlatform } from '../testing/fake-platform.ts'
import type { LockedProgram } from './lock-differences.ts'
import { admittedOffers } from './locked-offers.ts'
import { printLockFile } from './print-lock-file.ts'
import { readLockFile } from './read-lock-file.ts'

const hash = `sha256:${'1'.repeat(64)}`
const locked: LockedServer = {
  declaration: hash,
  command: 'npx',
  package: '@acme/notes',
  version: '1.0.0',
  scripts: new Map([['hook.mjs', hash]]),
  instructions: hash,
  tools: new Map([['search', hash]]),
  prompts: new Map(),
  templates: new Map(),
  skills: new Map(),
}
const lockedState: LockState = { kind: 'locked', file: '/shop/mcp.lock.json', declaration: hash, locked }
const nothing = {
  tools: new Map(),
  prompts: new Map(),
  templates: new Map(),
  apps: new Map(),
  skills: new Map(),
}

const admitted = (program: LockedProgram, state: LockState = lockedState) =>
  admittedOffers('notes', state, async () => program)

describe('T12 admittedOffers', () => {
  test('a server that runs as it was locked may offer what the file has', async () => {
    expect(await admitted(locked)).toBe(locked)
  })

  test('a version that is not known on this machine is no reason to hold it', async () => {
    const { version: _, ...rest } = locked
    expect(await admitted(rest)).toBe(locked)
  })

  test.each<[string, Partial<LockedProgram>, string]>([
    [
      'declaration',
      { declaration: 'sha256:2' },
      'The declaration of its server is not the one in the lock file of the project.',
    ],
    [
      'command',
      { command: 'node' },
      'The command of its server is not the one in the lock file of the project.',
    ],
    [
      'package',
      { package: '@evil/notes' },
      'The package of its server is not the one in the lock file of the project.',
    ],
    [
      'version',
      { version: '1.0.1' },
      'Version 1.0.1 of its server runs, and the lock file of the project has 1.0.0.',
    ],
    ['script that is gone', { scripts: new Map() }, 'A script of its server is gone.'],
    [
      'script',
      { scripts: new Map([['hook.mjs', 'sha256:2']]) },
      'A script of its server is not the one in the lock file of the project.',
    ],
  ])('another %s admits nothing, and says so', async (_title, program, note) => {
    expect(await admitted({ ...locked, ...program })).toEqual({ ...nothing, note })
  })

  test('a server that the file does not have, and a file that cannot be used, admit nothing', async () => {
    const file = '/shop/mcp.lock.json'
    expect(await admitted(locked, { kind: 'missing', file, declaration: hash })).toEqual({
      ...nothing,
      note: 'The lock file of the project does not have this server.',
    })
    const broken = {
      kind: 'broken',
      file,
      problem: 'It is not valid JSON.',
      line: 3,
      column: 1,
      hint: 'h',
    } as const
    expect(await admitted(locked, broken)).toEqual({
      ...nothing,
      note: 'The lock file of the project cannot be used (line 3): It is not valid JSON.',
    })
  })
})

describe('T12 readLockFile', () => {
  const file = '/shop/mcp.lock.json'
  const lock = { servers: new Map([['notes', locked]]) }
  const text = printLockFile(lock)
  const { files } = createFakePlatform({ files: { [file]: text } })

  test('reads the file of the folder', async () => {
    expect(await readLockFile('/shop', files)).toEqual({ kind: 'lock', file, text, lock })
    expect(await readLockFile('/other', files)).toEqual({
      kind: 'absent',
      file: '/other/mcp.lock.json',
      text: '',
    })
  })

  test('a link that leads out of the project is not followed', async () => {
    const realPath = async (path: string) => (path === file ? '/home/dana/secret.json' : path)
    expect(await readLockFile('/shop', { ...files, realPath })).toEqual({
      kind: 'broken',
      file,
      text,
      line: 1,
      column: 1,
      problem: 'It is a link that leads out of the project.',
      hint: 'Remove the link, and run: plugboard lock',
    })
  })

  test('a file that cannot be read, and one that cannot be parsed, are broken', async () => {
    const readText = async () =>
      ({ kind: 'problem', problem: 'not-a-file', message: 'it is a folder' }) as const
    expect(await readLockFile('/shop', { ...files, readText })).toEqual({
      kind: 'broken',
      file,
      text: '',
      line: 1,
      column: 1,
      problem: 'It cannot be read: it is a folder.',
      hint: 'Remove it, and run: plugboard lock',
    })
    const { files: damaged } = createFakePlatform({ files: { [file]: '{\n  "version": 0 }' } })
    expect(await readLockFile('/shop', damaged)).toMatchObject({
      kind: 'broken',
      file,
      text: '{\n  "version": 0 }',
      line: 2,
    })
  })
})
