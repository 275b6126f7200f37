import { expect, test } from 'vitest'
import { readBashLine } from './bash-line.ts'

const breaks = ' \t\n"\'><=;|&(:'

test.each([
  ['pb', [], 'New York', 'New\\ York'],
  ['pb call ', ['call', ''], 'New York', 'New\\ York'],
  ['pb call x city=Ne', ['call', 'x', 'city=Ne'], 'city=New York', 'New\\ York'],
  ['pb call x city=New\\ Y', ['call', 'x', 'city=New Y'], 'city=New York', 'New\\ York'],
  ['pb call x "city=New Y', ['call', 'x', 'city=New Y'], 'city=New "York"', 'city=New \\"York\\"'],
  ["pb call x city='N", ['call', 'x', 'city=N'], "city=N'Djamena", "N'\\''Djamena"],
  ['pb call x a\\=b:c', ['call', 'x', 'a=b:c'], 'a=b:c$d', 'c\\$d'],
  ['pb call \'a b\' c="d e" ', ['call', 'a b', 'c=d e', ''], 'f', 'f'],
  ['pb call x "a\\b\\"c', ['call', 'x', 'a\\b"c'], 'a\\b"cd', 'a\\\\b\\"cd'],
  ['pb call x - < file y', ['call', 'x', '-', 'y'], 'yz', 'yz'],
  ['pb read http://x', ['read', 'http://x'], 'http://x/y', '//x/y'],
])('readBashLine: %s', (line, words, proposed, reply) => {
  const read = readBashLine(line, breaks)
  expect([read.words, read.toReply(proposed)]).toEqual([words, reply])
})

test('readBashLine: no words after a redirection, where a file name is expected', () => {
  expect(readBashLine('pb call x - < fi', breaks).words).toEqual([])
})

test('readBashLine: only characters in COMP_WORDBREAKS break words', () => {
  expect(readBashLine('pb call x city=N', ' \t\n').toReply('city=New York')).toBe('city=New\\ York')
})
