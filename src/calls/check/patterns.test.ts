import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../model/json.ts'
import { checkArguments } from '../validate.ts'

const kindOf = async (schema: JsonObject, value: Json) =>
  (await checkArguments({ properties: { v: schema } }, { v: value })).kind

describe('T23 patterns of strangers run in an engine whose time is linear', () => {
  test.each([
    ['^[a-z]+$', 'abc', 'valid'],
    ['^[a-z]+$', 'ABC', 'invalid'],
    ['b', 'abc', 'valid'],
    ['^\\d{4}-\\d{2}$', '2026-11', 'valid'],
    ['^\\u00e9\\/$', 'é/', 'valid'],
    ['^(a+)+$', `${'a'.repeat(5000)}!`, 'invalid'],
    ['^(?:a|a)*$', `${'a'.repeat(5000)}!`, 'invalid'],
  ])('%s', async (pattern, text, kind) => {
    expect(await kindOf({ pattern }, text)).toBe(kind)
  })

  test.each([
    ['one that looks ahead', '^(?=x)y', 'a'],
    ['one that looks back', '(?<=x)y', 'a'],
    ['one that repeats what it found', '(a)\\1', 'b'],
    ['one that is none', '(', 'a'],
    ['one that counts far', 'a{1000}', 'b'],
    ['one that is long', 'a'.repeat(501), 'b'],
    ['a text that is long', '^a$', 'b'.repeat(9000)],
  ])('%s is left to the server', async (_, pattern, text) => {
    expect(await kindOf({ pattern }, text)).toBe('valid')
    expect(await kindOf({ not: { pattern } }, text)).toBe('valid')
  })

  test('names of properties', async () => {
    const schema = { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false }
    expect(await kindOf(schema, { 'x-a': 'b' })).toBe('valid')
    expect(await kindOf(schema, { 'x-a': 1 })).toBe('invalid')
    expect(await kindOf(schema, { y: 'b' })).toBe('invalid')
    expect(await kindOf({ patternProperties: { '(?=x)': {} }, additionalProperties: false }, { y: 1 })).toBe(
      'valid',
    )
  })

  test('the message has the pattern', async () => {
    const schema = { properties: { v: { type: 'string', pattern: '^[a-z]+$' } } }
    expect(await checkArguments(schema, { v: 'A' })).toEqual({
      kind: 'invalid',
      problems: [{ path: 'v', message: 'expected text that fits /^[a-z]+$/, got "A"' }],
    })
  })

  test('many patterns on many texts come to an end', async () => {
    const items = { pattern: '^(?:a|a)*$' }
    const checked = await checkArguments(
      { properties: { v: { items } } },
      { v: Array.from({ length: 100 }, () => 'a'.repeat(8000)) },
    )
    expect(checked).toEqual({ kind: 'unchecked', reason: 'they take too long to check against its schema' })
  })
})
