import { expect, test } from 'vitest'
import { readPartialInput } from './partial-input.ts'

test('arguments that are still written are read as far as they are there', () => {
  const text = '{"title":"A \\"b\\" \\u00e9","items":[1,{"n":true}],"rest":null}'
  const whole: unknown = JSON.parse(text)
  expect(readPartialInput(text)).toEqual(whole)
  const parts: readonly (readonly [string, unknown])[] = [
    ['', undefined],
    ['{', {}],
    ['{"ti', {}],
    ['{"title"', {}],
    ['{"title":', {}],
    ['{"title":"A ', { title: 'A ' }],
    ['{"title":"A \\', { title: 'A ' }],
    ['{"title":"A \\"b', { title: 'A "b' }],
    ['{"title":"A \\\\', { title: 'A \\' }],
    ['{"title":"\\u00e', { title: '' }],
    ['{"title":"A","it', { title: 'A' }],
    ['{"items":[1,{"n":tr', { items: [1, {}] }],
    ['{"items":[1,{"n":true}', { items: [1, { n: true }] }],
    ['{"n":12', { n: 12 }],
    ['{"n":1,', { n: 1 }],
    ['[1,2', undefined],
    ['no JSON', undefined],
  ]
  for (const [written, read] of parts) expect([written, readPartialInput(written)]).toEqual([written, read])
})

test('every beginning of a document is read, and none throws', () => {
  const text = JSON.stringify({ a: ['x\\y', '"', '\u2028😀', { b: [[], {}, -1.5e3, false] }], c: '' })
  for (let at = 1; at <= text.length; at++) expect(readPartialInput(text.slice(0, at))).toBeTypeOf('object')
})
