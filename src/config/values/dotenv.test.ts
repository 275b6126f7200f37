import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDotenv } from './dotenv.ts'

test('parseDotenv: reads names and values with export, quotes, comments and spaces', () => {
  const text = [
    '# a comment',
    'PLAIN=value',
    'export EXPORTED=yes',
    '  SPACED = around ',
    'EMPTY=',
    'HASH=a#b # a comment',
    'QUOTED="with # and spaces "  # a comment',
    "SINGLE='as \\n it $is'",
    'LINES="one\\ntwo"',
    'REAL="one',
    'two"',
    'URL=postgres://u:p@h/db?x=1',
    'REFERENCE=${HOME}',
    'not a line',
    '=nothing',
    'LAST=end',
  ].join('\r\n')
  expect(parseDotenv(text)).toEqual({
    PLAIN: 'value',
    EXPORTED: 'yes',
    SPACED: 'around',
    EMPTY: '',
    HASH: 'a#b',
    QUOTED: 'with # and spaces ',
    SINGLE: 'as \\n it $is',
    LINES: 'one\ntwo',
    REAL: 'one\ntwo',
    URL: 'postgres://u:p@h/db?x=1',
    REFERENCE: '${HOME}',
    LAST: 'end',
  })
})

test('parseDotenv: the last of two equal names wins, and __proto__ is an ordinary name', () => {
  const found = parseDotenv('A=1\nA=2\n__proto__=x\nconstructor=y\n')
  expect({ ...found }).toEqual(
    Object.assign(Object.create(null), { A: '2', ['__proto__']: 'x', constructor: 'y' }),
  )
  expect(Object.getPrototypeOf(found)).toBeNull()
})

test('parseDotenv: any value survives quoting and parsing', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const written = value.replace(/[\\"]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')
      expect(parseDotenv(`A="${written}"\nB=1`)).toEqual({ A: value, B: '1' })
    }),
  )
})

test('parseDotenv: any text parses without an error, and in linear time', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseDotenv(text)))
  expect(parseDotenv(`A="${'\\'.repeat(50_000)}`)).toBeDefined()
})
