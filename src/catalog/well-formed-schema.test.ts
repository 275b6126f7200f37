import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkArguments } from '../calls/validate.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { compileSchema } from './provider-schema.ts'
import type { Provider } from './provider-schema.ts'

const providers = ['openai', 'openai-strict', 'anthropic', 'gemini'] as const
const metaschema = JSON.parse(
  readFileSync(new URL('../../test/fixtures/metaschema.json', import.meta.url), 'utf8'),
) as JsonObject & { readonly properties: JsonObject } // a file of ours

function compile(schema: JsonObject, provider: Provider) {
  const compiled = compileSchema(schema, provider)
  return 'schema' in compiled ? compiled.schema : compiled.reason
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

/** The metaschema without references and deprecated keywords. */
const currentMetaschema = {
  ...metaschema,
  properties: {
    ...metaschema.properties,
    ...Object.fromEntries(
      Object.keys(metaschema.properties)
        .filter((word) => /^(\$.*|definitions|dependencies)$/.test(word))
        .map((word) => [word, false]),
    ),
  },
}

/** Validates a schema against the metaschema. */
function check(schema: JsonObject, against: JsonObject = metaschema) {
  return checkArguments(against, JSON.parse(JSON.stringify(schema)) as Json) // JSON of an object
}

test('the metaschema accepts valid schemas and rejects invalid ones', async () => {
  expect(await check(object({ a: { type: ['string', 'null'], minLength: 1, examples: [1] } }))).toEqual({
    kind: 'valid',
  })
  expect(await check(metaschema)).toEqual({ kind: 'valid' })
  const problems = [{ path: 'properties.a.not.minLength', message: expect.any(String) }]
  expect(await check(object({ a: { not: { minLength: -1 } } }))).toEqual({ kind: 'invalid', problems })
})

describe('compileSchema: removes a keyword with an invalid value', () => {
  const misshapen: Readonly<Record<string, readonly Json[]>> = {
    examples: ['x'],
    deprecated: ['use y'],
    readOnly: ['yes'],
    writeOnly: [null],
    uniqueItems: ['true'],
    minLength: [-1, 1.5, '1', Infinity],
    maxItems: [1.5],
    minContains: ['x'],
    maxContains: [-1],
    minimum: ['0', Infinity],
    multipleOf: [0, -2, '3'],
    dependentRequired: [[], { a: 5 }, { a: ['b', 5] }],
    dependentSchemas: [[], 5],
    dependencies: [{ a: 5 }, 'a'],
    patternProperties: [[]],
    contentEncoding: [5],
    contentMediaType: [{}],
    contentSchema: [5, []],
    contains: ['x'],
    propertyNames: ['x'],
    not: ['x', [{}]],
    if: ['x'],
    $ref: [5],
    $comment: [5],
  }
  const cases = Object.entries(misshapen).flatMap(([word, values]) =>
    values.map((value): readonly [string, Json] => [word, value]),
  )
  test.each(cases)('%s: %j', (word, value) => {
    const left = ['openai', 'anthropic'] as const
    const schema = (more: JsonObject) => object({ a: { description: 'A', ...more } })
    expect(left.map((provider) => compile(schema({ [word]: value }), provider))).toEqual(
      left.map(() => schema({})),
    )
  })

  test.each([
    ['uniqueItems', true],
    ['multipleOf', 0.5],
    ['minLength', 0],
    ['examples', ['x']],
    ['contentEncoding', 'base64'],
    ['minContains', 2],
    ['deprecated', false],
  ])('%s: %j is valid and stays', (word, value) => {
    const schema = object({ a: { [word]: value } })
    expect(compile(schema, 'openai')).toBe(schema)
    expect(compile(schema, 'anthropic')).toBe(schema)
  })
})

test.each(['openai', 'anthropic'] as const)(
  'compileSchema: rewrites dependencies as dependentRequired and dependentSchemas for %s',
  (provider) => {
    const schema = object(
      { a: {}, b: {}, c: {} },
      {
        dependencies: { a: ['b', 'b'], c: { $ref: '#/$defs/other' } },
        dependentRequired: { b: ['c', 'c'] },
        $defs: { other: { required: ['a'], minLength: -1 } },
      },
    )
    expect(compile(schema, provider)).toEqual(
      object(
        { a: {}, b: {}, c: {} },
        { dependentRequired: { a: ['b'], b: ['c'] }, dependentSchemas: { c: { required: ['a'] } } },
      ),
    )
  },
)

test('compileSchema: inlines references in contentSchema and additionalItems', () => {
  const $defs = { word: { type: 'string' } }
  const schema = object(
    {
      text: { type: 'string', contentSchema: { $ref: '#/$defs/word' } },
      pair: { type: 'array', items: [{ type: 'number' }], additionalItems: { $ref: '#/$defs/word' } },
    },
    { $defs },
  )
  expect(compile(schema, 'anthropic')).toEqual(
    object({
      text: { type: 'string', contentSchema: { type: 'string' } },
      pair: { type: 'array', prefixItems: [{ type: 'number' }], items: { type: 'string' } },
    }),
  )
})

describe('T23 compileSchema: any value under any keyword', () => {
  test.each(providers)('%s gets a valid schema of draft 2020-12, or a reason', async (provider) => {
    await fc.assert(
      fc.asyncProperty(schemaOf(3), async (schema) => {
        const compiled = compileSchema(object({ a: schema }, schema), provider)
        if ('reason' in compiled) return
        expect(await check(compiled.schema, currentMetaschema)).toEqual({ kind: 'valid' })
      }),
      { numRuns: 500 },
    )
  })
})

/** Random keywords with random values, valid about half of the time. */
function schemaOf(depth: number): fc.Arbitrary<JsonObject> {
  const words = [...Object.keys(metaschema.properties), 'nullable', 'additionalItems', 'id', 'x-own']
  const some = fc.uniqueArray(fc.constantFrom(...words), { maxLength: depth === 3 ? 8 : 4 })
  const inner = depth === 0 ? fc.constant<JsonObject>({}) : schemaOf(depth - 1)
  const names = fc.array(fc.constantFrom('a', 'b', 'a b'), { maxLength: 3 })
  const value: fc.Arbitrary<Json> = fc.oneof(
    inner,
    inner,
    fc.array(inner, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a b', '__proto__'), fc.oneof(inner, names), { maxKeys: 2 }),
    names,
    fc.constantFrom<Json>(
      0,
      1,
      2,
      -1,
      1.5,
      Infinity,
      '',
      'x',
      'string',
      'object',
      'array',
      null,
      true,
      false,
    ),
    fc.constantFrom<Json>(
      [],
      {},
      ['string', 'null'],
      ['string', 'string'],
      [null],
      { a: 5 },
      { a: ['b', 5] },
    ),
  )
  return some.chain((chosen) => fc.record(Object.fromEntries(chosen.map((word) => [word, value]))))
}
