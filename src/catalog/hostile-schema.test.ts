import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEqual } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { compileSchema } from './provider-schema.ts'
import type { Provider } from './provider-schema.ts'

const providers = ['openai', 'openai-strict', 'anthropic', 'gemini'] as const

function compile(schema: JsonObject, provider: Provider) {
  const compiled = compileSchema(schema, provider)
  return 'schema' in compiled ? compiled.schema : compiled.reason
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

describe('T23 compileSchema: a schema bomb gives a reason instead of a schema', () => {
  const laughs = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      `l${at}`,
      object(Object.fromEntries('abcdefgh'.split('').map((key) => [key, { $ref: `#/$defs/l${at + 1}` }]))),
    ]),
  )
  const deep = (levels: number): JsonObject =>
    levels === 0 ? { type: 'string' } : object({ a: deep(levels - 1) })
  const chain = Object.fromEntries(
    Array.from({ length: 2000 }, (_, at) => [`c${at}`, { $ref: `#/$defs/c${at + 1}` }]),
  )
  const bombs: Readonly<Record<string, readonly [JsonObject, string]>> = {
    'billion laughs': [
      object({ a: { $ref: '#/$defs/l0' } }, { $defs: { ...laughs, l12: { type: 'string' } } }),
      'it contains more than 5000 schemas',
    ],
    'one large text, many times': [
      object(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { $ref: '#/$defs/t' }])), {
        $defs: { t: { type: 'string', description: 'x'.repeat(100_000) } },
      }),
      'it is larger than 256 kB',
    ],
    'a huge enum': [
      object({ a: { enum: Array.from({ length: 100_000 }, (_, at) => at) } }),
      'it is larger than 256 kB',
    ],
    'a large default': [object({ a: { default: 'x'.repeat(5_000_000) } }), 'it is larger than 256 kB'],
    'deep nesting': [deep(33), 'it is nested more than 32 levels deep'],
    'a long chain': [
      object({ a: { $ref: '#/$defs/c0' } }, { $defs: chain }),
      'it is nested more than 32 levels deep',
    ],
    'many properties': [
      object(Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`p${at}`, { type: 'string' }]))),
      'it contains more than 5000 schemas',
    ],
  }
  test.each(Object.entries(bombs))('%s', (_, [schema, reason]) => {
    const reasons = providers.map((provider) => compile(schema, provider))
    expect(reasons.map((one) => (typeof one === 'string' ? one : 'compiled'))).toEqual(
      providers.map(() => reason),
    )
  })

  test('many options with many common properties', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`p${at}`, { type: 'string' }]),
    )
    const anyOf = Array.from({ length: 1000 }, (_, at) => ({ required: [`p${at}`] }))
    const schema = object({ a: { ...object(properties), anyOf } })
    expect(compile(schema, 'gemini')).toBe('it has too many options')
    expect(compile(schema, 'openai-strict')).toBe('it has too many options')
  })
})

describe('T23 compileSchema: any JSON as a schema', () => {
  const anySchema = schemaOf(3)

  test.each(providers)(
    '%s gets a valid schema without references or a reason, and the same one each time',
    (provider) => {
      fc.assert(
        fc.property(anySchema, (schema) => {
          const compiled = compileSchema(schema, provider)
          expect('reason' in compiled ? compiled.reason : 'it is compiled').toMatch(/^its? /)
          if ('reason' in compiled) return
          expect(compiled.schema['type']).toBe('object')
          for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'])
            expect(compiled.schema).not.toHaveProperty(key)
          const again = compileSchema(JSON.parse(JSON.stringify(schema)) as JsonObject, provider) // a copy of the same
          expect(JSON.stringify(again)).toBe(JSON.stringify(compiled))
          expect(referencesOf(compiled.schema)).toEqual([])
          expect(provider === 'openai-strict' ? strictProblems(compiled.schema) : []).toEqual([])
          expect(provider === 'gemini' ? geminiProblems(compiled.schema) : []).toEqual([])
        }),
        { numRuns: 300 },
      )
    },
  )
})

/** The references of a schema, without those inside data. */
function referencesOf(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(referencesOf)
  return Object.entries(schema).flatMap(([key, value]): readonly unknown[] => {
    if (key === 'enum' || key === 'const') return []
    return key === '$ref' && typeof value === 'string' ? [value] : referencesOf(value)
  })
}

/** Random schemas, valid and invalid, up to this depth. */
function schemaOf(depth: number): fc.Arbitrary<JsonObject> {
  const inner = depth === 0 ? fc.constant<JsonObject>({}) : schemaOf(depth - 1)
  const list = fc.array(inner, { maxLength: 2 })
  const data = fc.jsonValue({ maxDepth: 1 })
  const parts = {
    type: fc.constantFrom('object', 'object', 'string', 'array', 'null', 'any', 7, ['object', 'null']),
    properties: fc.dictionary(fc.constantFrom('a', 'b', '$c', '__proto__'), inner, { maxKeys: 3 }),
    items: fc.oneof(inner, list, fc.boolean()),
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: inner,
    additionalProperties: fc.oneof(fc.boolean(), inner),
    $ref: fc.constantFrom('#', '#/properties/a', '#/anyOf/0', 'x'),
    enum: fc.array(data, { maxLength: 3 }),
    const: data,
    required: fc.oneof(fc.array(fc.constantFrom('a', 'b', 'z')), fc.boolean()),
    description: fc.oneof(fc.string(), fc.constant(3)),
    nullable: fc.boolean(),
    minItems: data,
    maximum: data,
    multipleOf: data,
    pattern: data,
    examples: data,
    dependencies: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(inner, data), { maxKeys: 2 }),
    dependentRequired: data,
    contentSchema: fc.oneof(inner, data),
    additionalItems: fc.oneof(inner, data),
  }
  const keys = fc.subarray(Object.keys(parts) as (keyof typeof parts)[], { maxLength: 6 }) // its own keys
  return keys.chain((some) =>
    fc.record(Object.fromEntries(some.map((key) => [key, parts[key]]))),
  ) as fc.Arbitrary<JsonObject> // made of JSON
}

const common =
  'type description title enum pattern format minimum maximum minItems maxItems properties required items anyOf'
const strictOnly = ' multipleOf exclusiveMinimum exclusiveMaximum additionalProperties'

/** The reasons why OpenAI would reject a strict schema. */
function strictProblems(schema: JsonObject): readonly string[] {
  const { type, additionalProperties, required, properties = {} } = schema
  const isClosed = additionalProperties === false && isEqual(required, Object.keys(properties as JsonObject))
  return [
    ...unknownKeys(schema, common + strictOnly),
    ...(type === 'object' && !isClosed ? ['an open object'] : []),
    ...subschemasOf(schema).flatMap(strictProblems),
  ]
}

/** The reasons why Gemini would reject a schema. */
function geminiProblems(schema: JsonObject): readonly string[] {
  const { type, anyOf, items, enum: values } = schema
  const isTyped = anyOf === undefined ? typeof type === 'string' : Object.keys(schema).length === 1
  return [
    ...unknownKeys(schema, `${common} nullable minLength maxLength`),
    ...(isTyped ? [] : ['a type, or options alone']),
    ...(type === 'array' && items === undefined ? ['an array of nothing'] : []),
    ...(values !== undefined && type !== 'string' ? ['a choice of no texts'] : []),
    ...subschemasOf(schema).flatMap(geminiProblems),
  ]
}

function unknownKeys(schema: JsonObject, known: string): readonly string[] {
  return Object.keys(schema).filter((key) => !known.split(' ').includes(key))
}

function subschemasOf({ properties = {}, items, anyOf = [] }: JsonObject): readonly JsonObject[] {
  const held = [...Object.values(properties as JsonObject), ...(anyOf as readonly JsonObject[])] // made by us
  return [...held, ...(items === undefined ? [] : [items])] as readonly JsonObject[] // made by us
}
