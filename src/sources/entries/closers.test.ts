import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Closers, longest } from './closers.ts'

describe('T43 Closers', () => {
  test.each(['}', '}}', ')'] as const)(
    'the text is scanned once for %s, whether it is there or not',
    (closer) => {
      for (const end of ['', closer]) {
        const closers = new Closers('$({{'.repeat(1000) + end)
        const found = Array.from({ length: 4000 }, (_none, index) => closers.next(closer, index))
        expect([new Set(found), closers.searches]).toEqual([new Set([end ? 4000 : -1]), 1])
      }
    },
  )

  test('ofBrace: braces are paired in one scan', () => {
    const closers = new Closers('{'.repeat(1000))
    for (let index = 0; index < 1000; index++) expect(closers.ofBrace(index)).toBe(-1)
    expect(closers.searches).toBe(1)
  })

  test('results equal a search from each offset, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '$', ')', 'a') }), (text) => {
        const closers = new Closers(text)
        for (let index = 0; index < text.length; index++) {
          expect(closers.next('}}', index)).toBe(text.indexOf('}}', index))
          expect(closers.ofBrace(index)).toBe(text[index] === '{' ? closingBrace(text, index) : -1)
        }
      }),
    )
  })

  test('ofBrace: a placeholder longer than the limit has no end', () => {
    const inBraces = (length: number) => new Closers(`{${'x'.repeat(length)}}`).ofBrace(0)
    expect([inBraces(longest - 1), inBraces(longest)]).toEqual([longest, -1])
  })
})

function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    if (text[index] === '{') depth++
    if (text[index] === '}' && --depth === 0) return index
  }
  return -1
}
