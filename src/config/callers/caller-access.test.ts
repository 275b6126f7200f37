import { expect, test } from 'vitest'
import { accessOf } from './caller-access.ts'

const isView = (name: string) => ['a', 'b'].includes(name)

test.each([
  [undefined, undefined, { kind: 'open' }],
  [undefined, 'a', { kind: 'open', view: 'a' }],
  [undefined, 'x', { kind: 'absent', reason: 'There is no view "x".' }],
  [['a'], undefined, { kind: 'open', view: 'a' }],
  [['a', 'gone'], undefined, { kind: 'open', view: 'a' }],
  [['a'], 'a', { kind: 'open', view: 'a' }],
  [['a'], 'b', { kind: 'absent', reason: 'It is not for the view "b".' }],
  [['x'], 'x', { kind: 'absent', reason: 'There is no view "x".' }],
  [['x'], undefined, { kind: 'refused', reason: 'None of its views exists.' }],
  [[], undefined, { kind: 'refused', reason: 'None of its views exists.' }],
  [['a', 'b'], undefined, { kind: 'refused', reason: 'It has several views: use /mcp/a or /mcp/b.' }],
])('a caller with the views %j finds at %s: %j', (views, view, expected) => {
  expect(accessOf(views ? { views } : {}, view, isView)).toEqual(expected)
})
