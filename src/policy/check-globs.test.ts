import { describe, expect, test } from 'vitest'
import { checkGlobs } from './check-globs.ts'
import type { GlobList } from './check-globs.ts'

const tools = [
  { name: 'git__log', ref: 'git/log' },
  { name: 'git__push', ref: 'git/push' },
  { name: 'view_file' },
]
const check = (patterns: readonly string[], more: Partial<GlobList> = {}) =>
  checkGlobs({ patterns, owner: 'the agent "Reviewer"', ...more }, tools)
const hints = (...patterns: readonly string[]) => check(patterns).map(({ hint }) => hint)

describe('checkGlobs', () => {
  test('a list whose patterns match is no mistake, and neither is an empty one', () => {
    expect(check(['git__*', '!git/push', 'view_file'])).toEqual([])
    expect(check([])).toEqual([])
  })

  test('a pattern without a match is named with what was probably meant', () => {
    const origin = { file: 'reviewer.md', line: 3 }
    expect(check(['git__log', 'git__psuh'], { origin })).toEqual([
      {
        code: 'idle-pattern',
        severity: 'warn',
        message: 'The pattern "git__psuh" of the agent "Reviewer" matches no tool.',
        hint: 'Did you mean git__push?',
        origin,
      },
    ])
    expect(check(['x'], { of: 'server', isForeign: true })).toEqual([
      {
        code: 'idle-pattern',
        severity: 'info',
        message: 'The pattern "x" of the agent "Reviewer" matches no server.',
      },
    ])
  })

  test('a list of denials alone is named once, with the list that was probably meant', () => {
    const origin = { file: 'reviewer.md', line: 3 }
    expect(check(['!git__*', '!nothing'], { origin })).toEqual([
      {
        code: 'only-denials',
        severity: 'warn',
        message: 'The list of the agent "Reviewer" has only denials: it admits no tool.',
        hint: 'To admit all others, start the list with "*": [*, !git__*, !nothing]',
        origin,
      },
    ])
    expect(check(['!x'], { of: 'server' })).toMatchObject([
      { message: 'The list of the agent "Reviewer" has only denials: it admits no server.' },
    ])
  })

  test('a pattern with a slash gets refs, a denial gets a denial', () => {
    expect(hints('git/lgo', '*', '!git__lgo')).toEqual(['Did you mean git/log?', 'Did you mean !git__log?'])
    expect(hints('view/file')).toEqual([undefined])
  })

  test('a prefix gets the nearest prefix, a character longer or shorter', () => {
    expect(hints('gitt__*', 'gt__*', 'viewfile*')).toEqual([
      'Did you mean git__*?',
      'Did you mean git__*?',
      'Did you mean view_file*?',
    ])
  })

  test('three names at most, and none for other patterns', () => {
    const many = ['read_a', 'read_b', 'read_c', 'read_d'].map((name) => ({ name }))
    const [found] = checkGlobs({ patterns: ['read_e'], owner: 'x' }, many)
    expect(found?.hint?.match(/read_/g)).toHaveLength(3)
    expect(hints('git*push*x', 'nothing_like_it', '')).toEqual([undefined, undefined, undefined])
  })

  test('beyond twenty patterns without a match, no names are searched', () => {
    const all = hints(...Array.from({ length: 22 }, () => 'git__psuh'))
    expect(all.filter((hint) => hint !== undefined)).toHaveLength(20)
  })
})
