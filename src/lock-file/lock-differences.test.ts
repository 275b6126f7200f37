import { describe, expect, test } from 'vitest'
import type { LockedServer } from '../model/locked-server.ts'
import { compareLockFiles, compareProgram, isBreach } from './lock-differences.ts'
import type { LockDifference, LockedProgram } from './lock-differences.ts'

const program: LockedProgram = { declaration: 'sha256-a', scripts: new Map() }
const withVersion = (version?: string): LockedProgram => ({
  ...program,
  package: 'npm:notes',
  ...(version !== undefined && { version }),
})

describe('isBreach: a version', () => {
  test('that is not known on this machine counts only where the check must be complete', () => {
    const [unknown] = compareProgram('notes', withVersion('1.0.0'), withVersion())
    expect(unknown).toEqual({ server: 'notes', part: 'version', change: 'unknown', locked: '1.0.0' })
    expect([isBreach(unknown as LockDifference), isBreach(unknown as LockDifference, 'all')]).toEqual([
      false,
      true,
    ])
  })

  test('that is another one counts, in each check', () => {
    const [changed] = compareProgram('notes', withVersion('1.0.0'), withVersion('1.0.1'))
    expect(changed).toEqual({
      server: 'notes',
      part: 'version',
      change: 'changed',
      locked: '1.0.0',
      now: '1.0.1',
    })
    expect([isBreach(changed as LockDifference), isBreach(changed as LockDifference, 'all')]).toEqual([
      true,
      true,
    ])
  })

  test('that was not known when it was locked counts in no check', () => {
    const [added] = compareProgram('notes', withVersion(), withVersion('1.0.0'))
    expect(added).toEqual({ server: 'notes', part: 'version', change: 'added', now: '1.0.0' })
    expect([isBreach(added as LockDifference), isBreach(added as LockDifference, 'all')]).toEqual([
      false,
      false,
    ])
  })
})

describe('compareLockFiles', () => {
  const server: LockedServer = {
    declaration: 'sha256:a',
    command: 'npx',
    package: 'npm:notes',
    version: '1.0.0',
    scripts: new Map([['hook.mjs', '1']]),
    instructions: '1',
    tools: new Map([['t', '1']]),
    prompts: new Map([['p', '1']]),
    templates: new Map([['u', '1']]),
    apps: new Map([['ui://a', '1']]),
    skills: new Map([['s', '1']]),
  }
  const compare = (before: Record<string, LockedServer>, after: Record<string, LockedServer>) =>
    compareLockFiles(
      { servers: new Map(Object.entries(before)) },
      { servers: new Map(Object.entries(after)) },
    )
  const differences = (now: Partial<LockedServer>) =>
    compare({ notes: server }, { notes: { ...server, ...now } })

  test('equal files have no difference', () => {
    expect(differences({})).toEqual([])
  })

  test('servers that are new or gone are named in the order of the file, without their parts', () => {
    expect(compare({ b: server, c: server }, { c: server, a: server })).toEqual([
      { server: 'a', part: 'server', change: 'added' },
      { server: 'b', part: 'server', change: 'removed' },
    ])
  })

  test.each([
    ['declaration', { declaration: '2' }, { locked: 'sha256:a' }],
    ['command', { command: '2' }, { locked: 'npx' }],
    ['version', { version: '2' }, { locked: '1.0.0' }],
    ['instructions', { instructions: '2' }, { locked: '1' }],
    ['script', { scripts: new Map([['hook.mjs', '2']]) }, { locked: '1', name: 'hook.mjs' }],
    ['tool', { tools: new Map([['t', '2']]) }, { locked: '1', name: 't' }],
    ['prompt', { prompts: new Map([['p', '2']]) }, { locked: '1', name: 'p' }],
    ['template', { templates: new Map([['u', '2']]) }, { locked: '1', name: 'u' }],
    ['app', { apps: new Map([['ui://a', '2']]) }, { locked: '1', name: 'ui://a' }],
    ['skill', { skills: new Map([['s', '2']]) }, { locked: '1', name: 's' }],
  ])('another %s is one difference', (part, now, rest) => {
    expect(differences(now)).toEqual([{ server: 'notes', part, change: 'changed', now: '2', ...rest }])
  })

  test('of another package, the versions say nothing', () => {
    expect(differences({ package: 'npm:other', version: '2' })).toEqual([
      { server: 'notes', part: 'package', change: 'changed', locked: 'npm:notes', now: 'npm:other' },
    ])
  })

  test('what is new and what is gone in a list, by name', () => {
    const tools = new Map([
      ['z', '1'],
      ['a', '1'],
    ])
    expect(differences({ tools })).toEqual([
      { server: 'notes', part: 'tool', name: 'a', change: 'added', now: '1' },
      { server: 'notes', part: 'tool', name: 't', change: 'removed', locked: '1' },
      { server: 'notes', part: 'tool', name: 'z', change: 'added', now: '1' },
    ])
  })

  test('apps count only if both files say something about them', () => {
    const { apps: _, ...without } = server
    expect(compare({ notes: server }, { notes: without })).toEqual([])
    expect(compare({ notes: without }, { notes: server })).toEqual([])
  })
})

test('T133 a lock of an earlier version stays valid: a script that the command line does not name is no breach', () => {
  const locked = { declaration: 'd', scripts: new Map([['a.js', 'sha256:0']]) }
  const now = { ...locked, scripts: new Map([...locked.scripts, ['web/index.js', 'sha256:1']]) }
  const added = compareProgram('notes', locked, { ...now, resolved: new Set(['web/index.js']) })
  expect(added).toEqual([
    { server: 'notes', part: 'script', name: 'web/index.js', change: 'unknown', now: 'sha256:1' },
  ])
  expect(added.some((each) => isBreach(each, 'all'))).toBe(false)
  const changed = compareProgram('notes', now, {
    ...now,
    scripts: new Map([...now.scripts, ['web/index.js', 'sha256:2']]),
    resolved: new Set(['web/index.js']),
  })
  expect(changed.map((each) => isBreach(each))).toEqual([true])
})

test('isBreach: every other difference counts', () => {
  for (const change of ['added', 'removed', 'changed'] as const)
    expect(isBreach({ server: 'notes', part: 'tool', change })).toBe(true)
  expect(isBreach({ server: 'notes', part: 'version', change: 'removed' })).toBe(true)
})
