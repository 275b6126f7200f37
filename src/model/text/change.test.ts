import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changesBetween } from './change.ts'
import type { Json } from '../json.ts'

describe('T02 changesBetween: differences between two entries', () => {
  test.each<[string, Json | undefined, Json | undefined, object[]]>([
    ['no change', { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, []],
    [
      'a changed value',
      { command: 'npx' },
      { command: 'sh' },
      [{ pointer: '/command', before: 'npx', after: 'sh' }],
    ],
    ['an added key', {}, { env: { A: '1' } }, [{ pointer: '/env', after: { A: '1' } }]],
    ['a removed key', { env: {} }, {}, [{ pointer: '/env', before: {} }]],
    [
      'a changed and an added argument',
      { args: ['a', 'b'] },
      { args: ['a', 'c', 'd'] },
      [
        { pointer: '/args/1', before: 'b', after: 'c' },
        { pointer: '/args/2', after: 'd' },
      ],
    ],
    ['a removed argument', { args: ['a', 'b'] }, { args: ['a'] }, [{ pointer: '/args/1', before: 'b' }]],
    ['a changed type', { x: [1] }, { x: { 0: 1 } }, [{ pointer: '/x', before: [1], after: { 0: 1 } }]],
    ['null is a value', { x: null }, { x: 0 }, [{ pointer: '/x', before: null, after: 0 }]],
    [
      'a key that needs escaping',
      { 'a/b~': 1 },
      { 'a/b~': 2 },
      [{ pointer: '/a~1b~0', before: 1, after: 2 }],
    ],
    ['no value before', undefined, { a: 1 }, [{ pointer: '', after: { a: 1 } }]],
  ])('%s', (_what, before, after, changes) => {
    expect(changesBetween(before, after)).toEqual(changes)
  })

  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)

  test('lists no change exactly when the values are equal', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(changesBetween(a, a)).toEqual([])
        expect(changesBetween(a, b).length === 0).toBe(
          JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)),
        )
      }),
    )
  })

  test('gives the same list with its sides swapped for swapped values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const swapped = changesBetween(b, a).map(({ pointer, before, after }) => ({
          pointer,
          ...(after !== undefined && { before: after }),
          ...(before !== undefined && { after: before }),
        }))
        const order = (x: object, y: object) => JSON.stringify(x).localeCompare(JSON.stringify(y))
        expect([...changesBetween(a, b)].sort(order)).toEqual(swapped.sort(order))
      }),
    )
  })
})

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
