import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchGlob } from './glob.ts'

/** The definition as a table: which prefixes of the pattern match which prefixes of the text. */
function matchesByTable(pattern: string, text: string): boolean {
  let row = Array.from({ length: text.length + 1 }, (_, length) => length === 0)
  for (const char of pattern.split('')) {
    const next: boolean[] = []
    for (let length = 0; length <= text.length; length++) {
      next.push(
        char === '*'
          ? row[length] === true || next[length - 1] === true
          : text[length - 1] === char && row[length - 1] === true,
      )
    }
    row = next
  }
  return row[text.length] === true
}

const few = fc.constantFrom('a', 'b', '*')
const word = (unit: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(unit, { maxLength, size: 'max' }).map((units) => units.join(''))

describe('T43 matchGlob', () => {
  test('agrees with its definition for patterns up to 256 and names up to 128 characters', () => {
    fc.assert(
      fc.property(word(few, 256), word(fc.constantFrom('a', 'b'), 128), (pattern, name) => {
        expect(matchGlob(pattern, name)).toBe(matchesByTable(pattern, name))
      }),
      { numRuns: 300 },
    )
  })

  test('agrees with its definition for patterns made from the name', () => {
    const holes = fc.array(fc.tuple(fc.nat(127), fc.nat(8)), { maxLength: 12 })
    fc.assert(
      fc.property(word(fc.constantFrom('a', 'b', '-', '.', '\\', '[', '?'), 128), holes, (name, cuts) => {
        const pattern = cuts.reduce(
          (text, [at, length]) => `${text.slice(0, at)}*${text.slice(at + length)}`,
          name,
        )
        expect(matchGlob(pattern, name)).toBe(matchesByTable(pattern, name))
      }),
      { numRuns: 300 },
    )
  })

  test('finishes on patterns that make a backtracking matcher take exponential time', () => {
    const bomb = `${'*a'.repeat(12)}*b`
    expect(matchGlob(bomb, 'a'.repeat(128))).toBe(false)
    expect(matchGlob(`${'*a'.repeat(127)}*b`, 'a'.repeat(128))).toBe(false)
    expect(matchGlob('*'.repeat(256), 'a'.repeat(128))).toBe(true)
  })
})

test.each([
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['?*?', 'ab', true],
  ['?*?', 'a', false],
  ['*?c', 'abcc', true],
])('C24 matchGlob with questionMark: %j against %j is %s', (pattern, text, expected) => {
  expect(matchGlob(pattern, text, { questionMark: true })).toBe(expected)
})

test.each([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['get_*', 'get_file', true],
  ['get_*', 'get_', true],
  ['get_*', 'forget_file', false],
  ['*_file', 'get_file', true],
  ['g*t*e', 'get_file', true],
  ['get', 'get_file', false],
  ['a.c', 'abc', false],
  ['a?c', 'abc', false],
  ['[ab]', 'a', false],
  ['*é*', 'café!', true],
])('matchGlob: %j against %j is %s', (pattern, text, expected) => {
  expect(matchGlob(pattern, text)).toBe(expected)
})
