import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../model/json.ts'
import { checkArguments } from '../validate.ts'

const kindOf = async (schema: JsonObject, value: Json) =>
  (await checkArguments({ properties: { v: schema } }, { v: value })).kind

describe('T23 patterns of servers run in an engine with linear time', () => {
  test.each([
    ['^[a-z]+$', 'abc', 'valid'],
    ['^[a-z]+$', 'ABC', 'invalid'],
    ['b', 'abc', 'valid'],
    ['^\\d{4}-\\d{2}$', '2026-11', 'valid'],
    ['^\\u00e9\\/$', 'é/', 'valid'],
    ['^(a+)+$', `${'a'.repeat(5000)}!`, 'invalid'],
    ['^(?:a|a)*$', `${'a'.repeat(5000)}!`, 'invalid'],
  ])('pattern %s', async (pattern, text, kind) => {
    expect(await kindOf({ pattern }, text)).toBe(kind)
  })

  test.each([
    ['look-ahead', '^(?=x)y', 'a'],
    ['look-behind', '(?<=x)y', 'a'],
    ['a backreference', '(a)\\1', 'b'],
    ['invalid syntax', '(', 'a'],
    ['a large repetition count', 'a{1000}', 'b'],
    ['a long pattern', 'a'.repeat(501), 'b'],
    ['a long text', '^a$', 'b'.repeat(9000)],
  ])('unsupported: %s is left to the server', async (_, pattern, text) => {
    expect(await kindOf({ pattern }, text)).toBe('valid')
    expect(await kindOf({ not: { pattern } }, text)).toBe('valid')
  })

  test('patternProperties: patterns for property names are checked the same way', async () => {
    const schema = { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false }
    expect(await kindOf(schema, { 'x-a': 'b' })).toBe('valid')
    expect(await kindOf(schema, { 'x-a': 1 })).toBe('invalid')
    expect(await kindOf(schema, { y: 'b' })).toBe('invalid')
    expect(await kindOf({ patternProperties: { '(?=x)': {} }, additionalProperties: false }, { y: 1 })).toBe(
      'valid',
    )
  })

  test('the message names the pattern', async () => {
    const schema = { properties: { v: { type: 'string', pattern: '^[a-z]+$' } } }
    expect(await checkArguments(schema, { v: 'A' })).toEqual({
      kind: 'invalid',
      problems: [{ path: 'v', message: 'expected text matching /^[a-z]+$/, got "A"' }],
    })
  })

  test('the budget ends a check of many patterns on many texts', async () => {
    const items = { pattern: '^(?:a|a)*$' }
    const checked = await checkArguments(
      { properties: { v: { items } } },
      { v: Array.from({ length: 100 }, () => 'a'.repeat(8000)) },
    )
    expect(checked).toEqual({ kind: 'unchecked', reason: 'they take too long to check against its schema' })
  })
})
