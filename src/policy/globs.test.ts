import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkGlobs } from './check-globs.ts'
import { compileGlobs } from './globs.ts'
import type { Matchable } from './globs.ts'

const all = [
  'view_file',
  'grep',
  'web_search',
  'web_fetch',
  'context7_query-docs',
  'context7_resolve-library-id',
]
const tools: readonly Matchable[] = all.map((name) => ({ name }))

function admitted(patterns: readonly string[], options = {}): readonly string[] {
  const globs = compileGlobs(patterns, options)
  return tools.filter((tool) => globs.admits(tool)).map(({ name }) => name)
}

/** Reference implementation of B12: tries each pattern from left to right with a slow matcher; the last match wins. */
function admitsByTheBook(patterns: readonly string[], { name, ref }: Matchable): boolean {
  let admitted = false
  for (const pattern of patterns) {
    const denies = pattern.startsWith('!')
    const text = denies ? pattern.slice(1) : pattern
    const subject = text.includes('/') ? ref : name
    if (subject !== undefined && matchesSlowly(text, subject)) admitted = !denies
  }
  return admitted
}

function matchesSlowly(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const rest = pattern.slice(1)
  if (pattern[0] !== '*') return pattern[0] === text[0] && text !== '' && matchesSlowly(rest, text.slice(1))
  return Array.from({ length: text.length + 1 }, (_, skip) => text.slice(skip)).some((each) =>
    matchesSlowly(rest, each),
  )
}

describe('compileGlobs', () => {
  test('admits the tools of the documented examples (B14)', () => {
    expect(admitted(['*'])).toEqual(all)
    expect(admitted(['*', '!web_*'])).toEqual(all.filter((name) => !name.startsWith('web_')))
    expect(admitted(['view_file', 'grep', 'context7_*'])).toEqual(
      all.filter((name) => !name.startsWith('web_')),
    )
    expect(admitted(['view_file'])).toEqual(['view_file'])
  })

  test('the last match wins, whether it admits or denies (B12)', () => {
    expect(admitted(['!web_*', '*'])).toEqual(all)
    expect(admitted(['*', '!web_*', 'web_fetch'])).toEqual(all.filter((name) => name !== 'web_search'))
    expect(admitted(['web_fetch', '!web_fetch'])).toEqual([])
  })

  test('prefixes of one length and names beside them each count', () => {
    expect(admitted(['web_s*', 'web_f*', 'view_f*'])).toEqual(['view_file', 'web_search', 'web_fetch'])
    expect(admitted(['*', '!web_*h', '*c*'])).toEqual(all)
    expect(admitted(['*c*', '!web_*h', '!grep'])).toEqual([
      'context7_query-docs',
      'context7_resolve-library-id',
    ])
  })

  test('a tool without a match is denied; a list of only denials admits nothing (B15)', () => {
    expect(admitted([])).toEqual([])
    expect(admitted(['!web_*'])).toEqual([])
    expect(admitted([''])).toEqual([])
  })

  test('only * is special; ? matches one character with questionMark (B13, C24)', () => {
    expect(admitted(['web_?earch', '[gv]*', '{grep,x}', 'web_[a-z]+'])).toEqual([])
    expect(admitted(['**'])).toEqual(all)
    expect(admitted(['gr?p', 'web_?????'], { questionMark: true })).toEqual(['grep', 'web_fetch'])
  })

  test('a pattern with a slash matches refs, one without matches names; native tools have no ref (B16)', () => {
    const native = { name: 'git__log' }
    const served = { name: 'git__log_1', ref: 'git/log' }
    const admits = (...patterns: string[]) =>
      [native, served].map((tool) => compileGlobs(patterns).admits(tool))
    expect(admits('git/*')).toEqual([false, true])
    expect(admits('git__*')).toEqual([true, true])
    expect(admits('*', '!git/log')).toEqual([true, false])
    expect(admits('*', '!*/*')).toEqual([true, false])
    expect(admits('git/log', '!git__log')).toEqual([false, true])
  })

  test('deciding: returns the pattern that decided', () => {
    const globs = compileGlobs(['*', '!web_*', 'web_fetch'])
    expect(all.map((name) => globs.deciding({ name }))).toEqual(['*', '*', '!web_*', 'web_fetch', '*', '*'])
    expect(compileGlobs(['x']).deciding({ name: 'grep' })).toBeUndefined()
  })

  test('agrees with the reference implementation for any list (B12, T43)', () => {
    const word = (units: readonly string[], maxLength: number) =>
      fc.array(fc.constantFrom(...units), { maxLength }).map((parts) => parts.join(''))
    const pattern = fc
      .tuple(fc.constantFrom('', '!'), word(['a', 'b', '*', '/'], 5))
      .map((parts) => parts.join(''))
    const tool = fc
      .tuple(word(['a', 'b'], 4), fc.option(word(['a', 'b'], 2)))
      .map(([name, server]): Matchable => (server === null ? { name } : { name, ref: `${server}/${name}` }))
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 6 }), tool, (patterns, each) => {
        expect(compileGlobs(patterns).admits(each)).toBe(admitsByTheBook(patterns, each))
      }),
      { numRuns: 3000 },
    )
  })

  test('patterns that cause catastrophic backtracking elsewhere are matched quickly at any length (T43)', () => {
    const name = 'a'.repeat(128)
    const bombs = [
      `${'*a'.repeat(128)}*b`,
      `${'a*'.repeat(200_000)}b`,
      `${'*'.repeat(1_000_000)}b`,
      '*a'.repeat(64),
    ]
    expect(bombs.map((bomb) => compileGlobs([bomb]).admits({ name }))).toEqual([false, false, false, true])
  })

  test('a list of thousands of names is looked up, not scanned, for every tool', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `tool_${index}`)
    const globs = compileGlobs([...names, '!tool_*9'])
    expect(names.filter((name) => globs.admits({ name })).length).toBe(18_000)
  })
})

describe('checkGlobs', () => {
  const owner = 'the agent "Reviewer"'
  const origin = { file: '/AGENTS.md', line: 3 }

  test('reports a pattern that matches nothing and suggests similar names (D-7)', () => {
    const patterns = ['view_flie', 'contex7_*', '!web_serch', 'zzz', '*zzz*']
    expect(checkGlobs({ patterns, owner, origin }, tools)).toEqual(
      [
        ['"view_flie"', 'Did you mean view_file?'],
        ['"contex7_*"', 'Did you mean context7_*?'],
        ['"!web_serch"', 'Did you mean !web_search or !web_fetch?'],
        ['"zzz"'],
        ['"*zzz*"'],
      ].map(([pattern, hint]) => ({
        code: 'idle-pattern',
        severity: 'warn',
        message: `The pattern ${pattern} of ${owner} matches no tool.`,
        ...(hint !== undefined && { hint }),
        origin,
      })),
    )
  })

  test('suggestions for a ref pattern are refs', () => {
    const served = [{ name: 'git__log', ref: 'git/log' }]
    expect(checkGlobs({ patterns: ['git/lgo', 'gt/*'], owner }, served).map(({ hint }) => hint)).toEqual([
      'Did you mean git/log?',
      'Did you mean git/*?',
    ])
  })

  test('reports a list of only denials once (B15)', () => {
    expect(checkGlobs({ patterns: ['!web_*', '!nothing'], owner, origin }, tools)).toEqual([
      {
        code: 'only-denials',
        severity: 'warn',
        message: `The list of ${owner} has only denials: it admits no tool.`,
        hint: 'To admit all others, start the list with "*": [*, !web_*, !nothing]',
        origin,
      },
    ])
  })

  test('reports nothing for an empty list or one whose patterns all match', () => {
    expect(checkGlobs({ patterns: ['*', '!web_*', 'grep'], owner }, tools)).toEqual([])
    expect(checkGlobs({ patterns: [], owner }, tools)).toEqual([])
  })
})
