import { describe, expect, test } from 'vitest'
import { readExpression } from './call-expression.ts'

const schema = { type: 'object', properties: { a: {}, n: { type: 'number' } } }
const read = (text: string) => readExpression(text, [], undefined).argumentsFor(schema)

describe('call expressions', () => {
  test('values keep what was typed', () => {
    expect(read('s.t(a: {x: [1, -2.5, 1e3, true, null, word, "5"]}, n: 7)')).toEqual({
      a: { x: [1, -2.5, 1000, true, null, 'word', '5'] },
      n: 7,
    })
    expect(read(`s.t(a: ${'['.repeat(100)}1${']'.repeat(100)})`)).toHaveProperty('a')
  })

  test.each([
    [`s.t(a: ${'['.repeat(5000)}1${']'.repeat(5000)})`, 'more than 100 brackets in each other'],
    [`s.t(a: ${'{b:'.repeat(101)}1${'}'.repeat(101)})`, 'more than 100 brackets in each other'],
    ['s.t(a: [12345678901234567890])', '12345678901234567890 is too large for a number.'],
    ['s.t(a: {b: -9007199254740993})', '-9007199254740993 is too large for a number.'],
    ['s.t(a: [1e999])', '1e999 is too large for a number.'],
    ['s.t(a: "x", a: "y")', '"a" is given twice.'],
    ['s.t(n: 1, n: 2)', '"n" is given twice.'],
    ['s.t(a: {b: 1, "b": 2})', '"b" is given twice.'],
  ])('%.30s… is refused', (text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    )
  })
})
