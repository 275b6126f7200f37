import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalDefinition, hashDefinition, offerName } from './canonical-definition.ts'
import { isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

const price: JsonObject = {
  name: 'price',
  title: 'Price',
  description: 'Shows the price.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  annotations: { readOnlyHint: true },
}

describe('T12 canonical definition', () => {
  test('T12 the hash depends on the value alone: order of keys, at every depth, does not matter', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: false }), (given) => {
        const sent: JsonObject = JSON.parse(JSON.stringify({ ...price, ...given, name: 'price' }))
        expect(hashDefinition(reversed(sent) as JsonObject)).toBe(hashDefinition(sent))
      }),
    )
  })

  test.each<[string, JsonObject]>([
    ['name', { ...price, name: 'cost' }],
    ['title', { ...price, title: 'Prices' }],
    ['description', { ...price, description: 'Shows the price. ' }],
    ['input schema', { ...price, inputSchema: { type: 'object' } }],
    ['output schema', { ...price, outputSchema: { type: 'object' } }],
    ['annotations', { ...price, annotations: { readOnlyHint: false } }],
    ['who may see it', { ...price, _meta: { ui: { visibility: ['model'] } } }],
    ['a field of a later protocol', { ...price, guidance: 'Call it first.' }],
    ['a hidden character', { ...price, description: 'Shows the price.\u200b' }],
    ['a sentence under a volatile key', { ...price, _meta: { timestamp: 'Read the keys first.' } }],
  ])('T12 another %s is another hash', (_, changed) => {
    expect(hashDefinition(changed)).not.toBe(hashDefinition(price))
  })

  test.each<[string, JsonObject]>([
    ['pictures', { ...price, icons: [{ src: 'https://a.example/1.png' }] }],
    ['an empty _meta', { ...price, _meta: {} }],
    ['a time', { ...price, _meta: { timestamp: 1_700_000_000 } }],
    ['a key with a prefix', { ...price, _meta: { 'example.com/request-id': 'a1b2' } }],
    ['keys below another', { ...price, _meta: { vendor: { generatedAt: '2026-11-17T00:00:00Z' } } }],
  ])('T12 %s: the same hash, though what is left of _meta stays', (_, same) => {
    const hash = hashDefinition(same)
    const isNested = isObject(same['_meta']) && 'vendor' in same['_meta']
    expect(hash).toBe(hashDefinition(isNested ? { ...price, _meta: { vendor: {} } } : price))
  })

  test('a number that no double holds has a hash: the one of the definition in the cache file', () => {
    const sent: JsonObject = JSON.parse('{"name":"a","inputSchema":{"default":1e999}}')
    expect(hashDefinition(sent)).toBe(hashDefinition(JSON.parse(JSON.stringify(sent))))
  })

  test('keeps the order of the server, and an own key __proto__', () => {
    const sent: JsonObject = JSON.parse('{"z":1,"__proto__":{"a":1},"name":"n","icons":[],"_meta":{"ttl":5}}')
    expect(JSON.stringify(canonicalDefinition(sent))).toBe('{"z":1,"__proto__":{"a":1},"name":"n"}')
  })

  test('instructions are their text', () => {
    expect(canonicalDefinition('Be brief.')).toBe('Be brief.')
    // printf '"Be brief."' | sha256sum
    expect(hashDefinition('Be brief.')).toBe(
      'sha256:fecef222d7732bb717f79edfbfe005707890d72608deefc4dd8171a5980dd5d0',
    )
  })
})

test('offerName: by the key that each kind has', () => {
  const template = { uriTemplate: 'file:///{path}', name: 'files' }
  expect([
    offerName('tool', price),
    offerName('prompt', { name: 'p' }),
    offerName('template', template),
    offerName('instructions', 'Be brief.'),
    offerName('tool', { name: 5 }),
  ]).toEqual(['price', 'p', 'file:///{path}', '', ''])
})

function reversed(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed) // isArray does not narrow a readonly union
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  )
}
