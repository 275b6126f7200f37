import { assert, jsonValue, property } from 'fast-check'
import { expect, test } from 'vitest'
import { toBoundedJson } from './bounded-json.ts'

test('a value with room is written as JSON.stringify does, with and without indentation', () => {
  assert(
    property(jsonValue(), (value) => {
      expect(toBoundedJson(value, 1_000_000)).toEqual({ text: JSON.stringify(value), isWhole: true })
      expect(toBoundedJson(value, 1_000_000, '  ').text).toBe(JSON.stringify(value, undefined, 2))
    }),
  )
})

test('a value without room is cut, and begins as the whole one', () => {
  assert(
    property(jsonValue(), (value) => {
      const whole = JSON.stringify(value)
      const { text, isWhole } = toBoundedJson(value, 10)
      expect([whole.startsWith(text), text.length <= 10, isWhole]).toEqual([true, true, whole.length <= 10])
    }),
  )
})

test('the size of the value does not matter', () => {
  const item = 'x'.repeat(1_000_000)
  const huge = Array.from({ length: 1000 }, () => item)
  expect(toBoundedJson(huge, 100).text).toHaveLength(100)
  let deep: unknown = 1
  for (let at = 0; at < 100_000; at++) deep = [deep]
  expect(toBoundedJson(deep, 1_000_000).isWhole).toBe(false)
})
