import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearest } from './near.ts'

test.each([
  ['githb', ['github', 'gitlab', 'files'], ['github']],
  ['GitHub', ['github'], ['github']],
  ['git', ['github', 'gitlab', 'files'], ['github', 'gitlab']],
  ['x', ['y', 'xylophone'], ['y']],
  ['cursr', ['cursor', 'crush'], ['cursor']],
  ['docs', [], []],
  ['completely-different', ['github'], []],
])('nearest: %s among %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toEqual(expected)
})

test('nearest: returns the closest first, three at most', () => {
  expect(nearest('server', ['servers', 'server', 'serve', 'sever', 'serving'])).toEqual([
    'server',
    'servers',
    'serve',
  ])
})

test('T23 nearest: long words and many candidates cost little', () => {
  const long = 'x'.repeat(3000)
  expect(nearest(long, [`${long}x`])).toEqual([])
  expect(nearest('xxx', [long])).toEqual([])
  const many = Array.from({ length: 200_000 }, (_, index) => `${'x'.repeat(120)}${index}`)
  expect(nearest('x'.repeat(121), many)).toEqual(many.slice(0, 3))
})

test('nearest: an exact match is always first', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 })), fc.string({ maxLength: 12 }), (others, word) => {
      expect(
        nearest(word, [...others.filter((each) => each.toLowerCase() !== word.toLowerCase()), word])[0],
      ).toBe(word)
    }),
  )
})

test('nearest: the own name of a candidate is compared too, and each candidate is returned once', () => {
  const own = new Map([
    ['files__read_file', 'read_file'],
    ['files__write_file', 'write_file'],
    ['web__read', 'read'],
  ])
  const among = (word: string) => nearest(word, [...own.keys()], own)
  expect(among('read_file')).toEqual(['files__read_file'])
  expect(among('raed_file')).toEqual(['files__read_file'])
  expect(among('read')).toEqual(['web__read', 'files__read_file'])
  expect(among('files__raed_file')).toEqual(['files__read_file', 'files__write_file'])
  expect(among('nothing')).toEqual([])
})
