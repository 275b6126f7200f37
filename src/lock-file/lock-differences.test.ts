import { describe, expect, test } from 'vitest'
import { compareProgram, isBreach } from './lock-differences.ts'
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
