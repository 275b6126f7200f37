import { array, assert, dictionary, jsonValue, property, string, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { splitLine, splitTyped } from './words.ts'

test.each([
  ['', []],
  ['  tools  ', ['tools']],
  ['x__find q="two words" n=3', ['x__find', 'q=two words', 'n=3']],
  [`add a -- sh -c 'echo "hi there"'`, ['add', 'a', '--', 'sh', '-c', 'echo "hi there"']],
  ['a\\ b c', ['a b', 'c']],
  ['"a \\"b\\" \\\\ \\n"', ['a "b" \\ \\n']],
  ['x__find {"q": "a b", "n": [1, 2]}', ['x__find', '{"q": "a b", "n": [1, 2]}']],
  ['x__find where={"a": "}"} n=1', ['x__find', 'where={"a": "}"}', 'n=1']],
  ['x__find list=[1, "]", 2]', ['x__find', 'list=[1, "]", 2]']],
  ['x {"open": [', ['x', '{"open": [']],
  ['x.find(q: "a b", n: 3)', ['x.find(q: "a b", n: 3)']],
  [' call x.find(q: "a b") ', ['call', 'x.find(q: "a b")']],
  ['x__find q=f(1) n=2', ['x__find', 'q=f(1)', 'n=2']],
  ['x "open', ['x', 'open']],
  ['x ends\\', ['x', 'ends']],
])('splitLine: %j gives %j', (line, words) => {
  expect(splitLine(line)).toEqual(words)
})

test('splitLine: never throws, and plain words come back unchanged', () => {
  assert(property(string(), (line) => splitLine(line).every((word) => typeof word === 'string')))
  const plain = array(stringMatching(/^[a-z0-9_=./:-]+$/))
  assert(
    property(plain, (words) => {
      expect(splitLine(words.join(' '))).toEqual(words)
    }),
  )
})

test('splitLine: a JSON object is one word without quotes', () => {
  assert(
    property(dictionary(string(), jsonValue()), (value) => {
      const text = JSON.stringify(value)
      expect(splitLine(`x__find ${text} more`)).toEqual(['x__find', text, 'more'])
    }),
  )
})

test('splitTyped: the unfinished word is returned as typed', () => {
  expect(splitTyped('x__find kind=ap')).toEqual({ words: ['x__find'], partial: 'kind=ap' })
  expect(splitTyped('x__find ')).toEqual({ words: ['x__find'], partial: '' })
  expect(splitTyped('')).toEqual({ words: [], partial: '' })
})
