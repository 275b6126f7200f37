import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json.ts'
import {
  isListed,
  itemSchemaAt,
  objectsOf,
  optionsOf,
  propertiesOf,
  propertyOf,
  propertySchemas,
  requiredOf,
  valuesOf,
} from './parts.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }

describe('properties of a schema', () => {
  test('are returned as written, or with a schema for each', () => {
    const schema = { properties: { a: text, b: true, c: null } }
    expect(propertiesOf(schema)).toBe(schema.properties)
    expect(propertySchemas(schema)).toEqual({ a: text, b: {}, c: {} })
    expect(['a', 'b', 'c', 'd'].map((name) => propertyOf(schema, name))).toEqual([
      text,
      true,
      null,
      undefined,
    ])
  })

  test('T44 are own properties only, also for names like __proto__', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject
    expect(propertyOf(schema, '__proto__')).toEqual(text)
    expect(Object.keys(propertySchemas(schema))).toEqual(['__proto__'])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(propertyOf({ properties: {} }, name)).toBeUndefined()
      expect(propertyOf({}, name)).toBeUndefined()
    }
  })
})

test.each<[string, JsonObject, readonly (Json | undefined)[]]>([
  ['items', { items: text }, [text, text, text]],
  ['prefixItems', { prefixItems: [text, whole], items: false }, [text, whole, false]],
  ['an array as items', { items: [text], additionalItems: whole }, [text, whole, whole]],
  [
    'an array as items beside prefixItems',
    { items: [text], prefixItems: [whole] },
    [text, undefined, undefined],
  ],
  ['no keyword', {}, [undefined, undefined, undefined]],
])('itemSchemaAt: the schema of each item with %s', (_, schema, expected) => {
  expect([0, 1, 2].map((index) => itemSchemaAt(schema, index))).toEqual(expected)
})

test('optionsOf: the schemas of anyOf, then of oneOf, without booleans', () => {
  expect(optionsOf({ oneOf: [whole, true], anyOf: [text, false] })).toEqual([text, whole])
})

test('valuesOf: const alone, else enum', () => {
  expect(valuesOf({ const: null, enum: [1] })).toEqual([null])
  expect(valuesOf({ enum: [1, 'a'] })).toEqual([1, 'a'])
})

test('isListed: compares values regardless of the order of keys', () => {
  const schema = { enum: [{ a: 1, b: [2] }, 'x'] }
  expect(isListed(schema, { b: [2], a: 1 })).toBe(true)
  expect(isListed(schema, { b: [2] })).toBe(false)
  expect(isListed({ ...schema, const: 'x' }, 'x')).toBe(true)
  expect(isListed({ ...schema, const: 'y' }, 'x')).toBe(false)
})

test('readers of keywords: a keyword of the wrong shape counts as absent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), (value) => {
      const keys = ['properties', 'required', 'anyOf', 'oneOf', 'enum', 'items', 'prefixItems']
      const schema = Object.fromEntries(keys.map((key) => [key, value]))
      expect(propertiesOf(schema)).toEqual({})
      expect([...requiredOf(schema), ...optionsOf(schema), ...valuesOf(schema)]).toEqual([])
      expect(isListed(schema, 'anything')).toBe(true)
      expect(objectsOf(value)).toEqual([])
    }),
  )
})
