import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { compileSchema } from './provider-schema.ts'
import type { Provider } from './provider-schema.ts'

const providers = ['openai', 'openai-strict', 'anthropic', 'gemini'] as const
const github = JSON.parse(
  readFileSync(new URL('../../test/fixtures/tools/github.json', import.meta.url), 'utf8'),
) as readonly ToolDefinition[] // a file of ours

function compile(schema: JsonObject, provider: Provider) {
  const compiled = compileSchema(schema, provider)
  return 'schema' in compiled ? compiled.schema : compiled.reason
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, ...more }
}

/** Computed keys: a literal `then` would look like a promise to the linter. */
function under(word: string, schema: JsonObject): JsonObject {
  return { [word]: schema }
}

describe('compileSchema of the GitHub tools', () => {
  test.each(['openai', 'anthropic'] as const)('%s gets every schema unchanged', (provider) => {
    const changed = github.filter(({ inputSchema }) => compile(inputSchema, provider) !== inputSchema)
    expect(changed.map(({ name }) => name)).toEqual([])
  })

  test('openai-strict rejects only schemas that accept any key or any value', () => {
    const reasons = github.flatMap(({ name, inputSchema }) => {
      const compiled = compileSchema(inputSchema, 'openai-strict')
      return 'reason' in compiled ? [`${name}: ${compiled.reason}`] : []
    })
    expect(reasons).toEqual([
      'actions_run_trigger: its "inputs" takes any keys, which a strict schema cannot express',
      'projects_write: its "updated_field.value" takes any value, which a strict schema cannot express',
    ])
  })

  test('gemini gets a schema for every tool', () => {
    expect(github.filter(({ inputSchema }) => typeof compile(inputSchema, 'gemini') === 'string')).toEqual([])
  })
})

describe('compileSchema of references', () => {
  const schema = object(
    {
      from: { $ref: '#/$defs/place', description: 'Where from' },
      to: { $ref: '#/definitions/a~1b' },
      by: { $ref: '#way' },
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.com/trip',
      $defs: {
        place: { type: 'string', description: 'A place' },
        way: { $anchor: 'way', enum: ['car', 'bus'] },
      },
      definitions: { 'a/b': { $ref: 'https://example.com/trip#/$defs/place' } },
    },
  )

  test.each(['openai', 'anthropic'] as const)('inlines them for %s', (provider) => {
    expect(compile(schema, provider)).toEqual(
      object({
        from: { type: 'string', description: 'Where from' },
        to: { type: 'string', description: 'A place' },
        by: { enum: ['car', 'bus'] },
      }),
    )
  })

  test('leaves a $ref inside data alone', () => {
    const properties = {
      $ref: { type: 'string', default: { $ref: 'http://x' } },
      a: { enum: [{ $ref: '#/x' }] },
    }
    expect(compile(object(properties), 'anthropic')).toEqual(
      object({ _ref: properties.$ref, a: properties.a }),
    )
  })

  test('a recursive schema accepts any value at the inner reference', () => {
    const tree = object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } })
    expect(compile(tree, 'openai')).toEqual(
      object({
        name: { type: 'string' },
        children: {
          type: 'array',
          items: object({ name: { type: 'string' }, children: { type: 'array', items: {} } }),
        },
      }),
    )
    expect(compile(tree, 'openai-strict')).toBe(
      'its "children.[].children.[]" takes any value, which a strict schema cannot express',
    )
  })

  test.each(providers)('T23 never follows a reference to another document for %s', (provider) => {
    const reason = (ref: string) => compile(object({ a: { $ref: ref } }), provider)
    expect(reason('http://127.0.0.1:9/schema.json')).toBe(
      'it refers to "http://127.0.0.1:9/schema.json", which it does not contain',
    )
    expect(reason('other.json#/a')).toBe('it refers to "other.json#/a", which it does not contain')
    expect(reason('#/$defs/missing')).toBe('it refers to "#/$defs/missing", which it does not contain')
    expect(reason('#/__proto__')).toBe('it refers to "#/__proto__", which it does not contain')
  })
})

describe('compileSchema of the top level', () => {
  test.each(['openai', 'anthropic', 'gemini'] as const)(
    'merges a choice into one object for %s',
    (provider) => {
      const schema = object(
        { id: { type: 'string' } },
        {
          required: ['id'],
          anyOf: [
            { required: ['title'], properties: { title: { type: 'string' } } },
            object({ body: { type: 'string' } }, { required: ['body'] }),
          ],
        },
      )
      expect(compile(schema, provider)).toEqual({
        type: 'object',
        description: 'Needs one of: title; body.',
        properties: { title: { type: 'string' }, body: { type: 'string' }, id: { type: 'string' } },
        required: ['id'],
      })
    },
  )

  test('a choice keeps what all branches require, and all types of an argument', () => {
    const schema = {
      type: 'object',
      oneOf: [
        object({ kind: { const: 'a' }, size: { type: 'number' } }, { required: ['kind', 'size'] }),
        object({ kind: { const: 'b' } }, { required: ['kind'] }),
      ],
      not: { required: ['x'] },
    }
    expect(compile(schema, 'openai')).toEqual({
      type: 'object',
      description: 'Needs one of: size; none.',
      properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, size: { type: 'number' } },
      required: ['kind'],
    })
  })

  test('merges allOf', () => {
    const schema = {
      allOf: [
        object({ a: { type: ['string', 'null'], minLength: 1 } }, { required: ['a'] }),
        object({ a: { type: 'string', minLength: 3 }, b: {} }, { required: ['b'] }),
      ],
    }
    expect(compile(schema, 'openai')).toEqual(
      object({ a: { type: 'string', minLength: 3 }, b: {} }, { required: ['a', 'b'] }),
    )
  })

  test('O14 always has properties, and must be an object', () => {
    expect(compile({ type: 'object' }, 'openai')).toEqual({ type: 'object', properties: {} })
    expect(compile({}, 'anthropic')).toEqual({ type: 'object', properties: {} })
    expect(compile({ type: 'string' }, 'openai')).toBe('its arguments are not an object')
  })
})

test.each(['openai', 'anthropic'] as const)(
  'compileSchema: repairs keywords of older drafts and invalid values for %s',
  (provider) => {
    const schema = object(
      {
        a: { type: 'String', required: true, description: null },
        b: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
        c: { type: 'any', enum: [] },
        d: true,
        e: { type: 'string', nullable: true },
        f: { anyOf: [] },
      },
      { required: ['a', 'a'], additionalProperties: 'no' },
    )
    expect(compile(schema, provider)).toEqual(
      object(
        {
          a: { type: 'string' },
          b: { type: 'integer', exclusiveMinimum: 0, maximum: 9 },
          c: {},
          d: {},
          e: { type: ['string', 'null'] },
          f: {},
        },
        { required: ['a'], additionalProperties: true },
      ),
    )
  },
)

test('compileSchema: a tuple becomes items for openai and stays prefixItems for anthropic', () => {
  const schema = object({
    any: { type: 'array' },
    pair: { type: 'array', items: [{ type: 'number' }, { type: 'string' }] },
    one: { type: 'array', prefixItems: [{ type: 'number' }] },
  })
  expect(compile(schema, 'openai')).toEqual(
    object({
      any: { type: 'array', items: {} },
      pair: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'string' }] } },
      one: { type: 'array', items: { type: 'number' } },
    }),
  )
  expect(compile(schema, 'anthropic')).toEqual(
    object({
      any: { type: 'array' },
      pair: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] },
      one: { type: 'array', prefixItems: [{ type: 'number' }] },
    }),
  )
})

test('compileSchema: a required but undeclared property of a choice is added, and has no strict form', () => {
  const choice = { oneOf: [{ required: ['a'] }, { required: ['b', 'a b'] }] }
  const schema = object({ a: { type: 'string' } }, choice)
  const description = 'Needs one of: a; b and a b.'
  const properties = { a: { type: 'string' }, b: {}, 'a b': {} }
  expect(compile(schema, 'openai')).toEqual(object(properties, { description }))
  expect(compile(schema, 'openai-strict')).toBe(
    'its "b" takes any value, which a strict schema cannot express',
  )
  const closed = { additionalProperties: false }
  expect(compile(object({ a: {} }, { ...choice, ...closed }), 'openai')).toEqual(
    object({ a: {} }, { description, ...closed }),
  )
})

test('compileSchema anthropic: a renamed argument has its new name everywhere in the schema', () => {
  const held = object({ 'a b': {} }, { required: ['a b'] })
  const schema = object(
    { 'a b': held, 'c/d': {}, e: {} },
    {
      required: ['a b'],
      dependentRequired: { 'a b': ['c/d', 'e'] },
      dependentSchemas: { 'c/d': { required: ['a b'] } },
      dependencies: { e: ['c/d'] },
      if: { properties: { 'a b': { const: 1 } }, not: { required: ['c/d'] } },
      ...under('then', { anyOf: [{ required: ['c/d'] }, { properties: { 'a b': { minimum: 1 } } }] }),
      else: { required: ['e'] },
      propertyNames: { enum: ['a b', 'c/d', 'e'] },
      oneOf: [{ required: ['c/d'] }, { required: ['e'] }],
    },
  )
  expect(compile(schema, 'anthropic')).toEqual(
    object(
      { a_b: held, c_d: {}, e: {} },
      {
        required: ['a_b'],
        dependentRequired: { e: ['c_d'], a_b: ['c_d', 'e'] },
        dependentSchemas: { c_d: { required: ['a_b'] } },
        if: { properties: { a_b: { const: 1 } }, not: { required: ['c_d'] } },
        ...under('then', { anyOf: [{ required: ['c_d'] }, { properties: { a_b: { minimum: 1 } } }] }),
        else: { required: ['e'] },
        description: 'Needs one of: c_d; e.',
      },
    ),
  )
})

test('compileSchema anthropic: renames invalid argument names, and toArguments restores them', () => {
  const long = 'x'.repeat(70)
  const schema = object(
    { 'filter[id]': {}, filter_id_: {}, $top: {}, [long]: {}, fine: {} },
    { required: ['$top', 'fine'] },
  )
  const compiled = compileSchema(schema, 'anthropic')
  if (!('schema' in compiled)) throw new Error(compiled.reason)
  expect(compiled.schema).toEqual(
    object(
      { filter_id__2: {}, filter_id_: {}, _top: {}, ['x'.repeat(56)]: {}, fine: {} },
      { required: ['_top', 'fine'] },
    ),
  )
  expect(
    compiled.toArguments({ filter_id__2: 1, filter_id_: 2, _top: 3, ['x'.repeat(56)]: 4, other: 5 }),
  ).toEqual({
    'filter[id]': 1,
    filter_id_: 2,
    $top: 3,
    [long]: 4,
    other: 5,
  })
})

describe('compileSchema openai-strict', () => {
  const schema = object(
    {
      q: { type: 'string', minLength: 1, format: 'email', pattern: '^a' },
      n: { type: 'integer', default: 10, description: 'How many' },
      sort: { enum: ['up', 'down'], format: 'x-sort' },
      on: { const: true },
      near: { oneOf: [{ type: 'string' }, object({ lat: { type: 'number' } })], description: 'Where' },
      opt: object({ a: { type: 'string' } }, { description: 'Options', required: ['a'] }),
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 3 },
      free: { type: ['string', 'null'] },
    },
    { required: ['q', 'near'], additionalProperties: true },
  )

  test('requires every property, and allows null for optional ones', () => {
    const strict = { additionalProperties: false }
    expect(compile(schema, 'openai-strict')).toEqual({
      type: 'object',
      properties: {
        q: { type: 'string', pattern: '^a', format: 'email' },
        n: { type: ['integer', 'null'], description: 'How many (default: 10)' },
        sort: { type: ['string', 'null'], enum: ['up', 'down', null] },
        on: { type: ['boolean', 'null'], enum: [true, null] },
        near: {
          anyOf: [
            { type: 'string' },
            { ...object({ lat: { type: ['number', 'null'] } }), required: ['lat'], ...strict },
          ],
          description: 'Where',
        },
        opt: {
          anyOf: [{ ...object({ a: { type: 'string' } }), required: ['a'], ...strict }, { type: 'null' }],
          description: 'Options',
        },
        tags: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 3 },
        free: { type: ['string', 'null'] },
      },
      required: ['q', 'n', 'sort', 'on', 'near', 'opt', 'tags', 'free'],
      ...strict,
    })
  })

  test('toArguments removes a null for an optional property, unless the tool itself allows null', () => {
    const compiled = compileSchema(schema, 'openai-strict')
    if (!('schema' in compiled)) throw new Error(compiled.reason)
    const answer = {
      q: 'x',
      n: null,
      sort: null,
      near: { lat: null },
      opt: { a: 'b' },
      tags: null,
      free: null,
      extra: null,
    }
    expect(compiled.toArguments(answer)).toEqual({
      q: 'x',
      near: {},
      opt: { a: 'b' },
      free: null,
      extra: null,
    })
    const list = compileSchema(
      object({ all: { type: 'array', items: object({ x: { type: 'number' } }) } }),
      'openai-strict',
    )
    if (!('schema' in list)) throw new Error(list.reason)
    expect(list.toArguments({ all: [{ x: null }, { x: 1 }] })).toEqual({ all: [{}, { x: 1 }] })
  })

  test('toArguments removes nulls by the option of a choice that the arguments match', () => {
    const option = (k: string, required: readonly string[], x: JsonObject = { type: 'string' }) =>
      object({ k: { const: k }, x }, { required })
    const either = {
      anyOf: [option('a', ['k', 'x']), option('b', ['k']), option('c', ['k'], { type: ['string', 'null'] })],
    }
    const compiled = compileSchema(
      object({
        p: either,
        pair: { type: 'array', prefixItems: [option('a', ['k', 'x']), option('b', ['k'])] },
      }),
      'openai-strict',
    )
    if (!('schema' in compiled)) throw new Error(compiled.reason)
    const restore = (k: string) => compiled.toArguments({ p: { k, x: null }, pair: [{ k, x: null }] })
    expect(restore('b')).toEqual({ p: { k: 'b' }, pair: [{ k: 'b' }] })
    expect(restore('c')).toEqual({ p: { k: 'c', x: null }, pair: [{ k: 'c', x: null }] })
    // Matches no option: the server reports the error.
    expect(restore('a')).toEqual({ p: { k: 'a', x: null }, pair: [{ k: 'a', x: null }] })
  })

  test.each([
    [{ a: {} }, 'its "a" takes any value, which a strict schema cannot express'],
    [{ a: { type: 'object' } }, 'its "a" takes any keys, which a strict schema cannot express'],
    [
      { a: { type: 'object', additionalProperties: { type: 'string' } } },
      'its "a" takes any keys, which a strict schema cannot express',
    ],
    [
      { a: object({ b: { type: 'string' } }, { required: ['c'] }) },
      'its "a.c" takes any value, which a strict schema cannot express',
    ],
    [
      { a: object({ b: { type: 'string' } }, { if: {}, ...under('then', { required: ['c'] }) }) },
      'its "a.c" takes any value, which a strict schema cannot express',
    ],
    [
      { a: object({ b: { type: 'string' } }, { dependentRequired: { b: ['c'] } }) },
      'its "a.c" takes any value, which a strict schema cannot express',
    ],
    [{ a: { type: 'array' } }, 'its "a.[]" takes any value, which a strict schema cannot express'],
    [
      { a: { type: ['object', 'string'], properties: { b: { type: 'string' } } } },
      'it mixes objects with other values',
    ],
    [
      { a: { enum: Array.from({ length: 1001 }, (_, at) => at) } },
      'it has more than 1000 values to choose from',
    ],
    [{ a: { enum: ['x'.repeat(120_001)] } }, 'its names and values are too long in total'],
  ])('%j has no strict form', (properties, reason) => {
    expect(compile(object(properties), 'openai-strict')).toBe(reason)
  })
})

test('compileSchema gemini: keeps the supported keywords and describes the others', () => {
  const schema = object(
    {
      when: { type: 'string', format: 'date-time' },
      mail: { type: 'string', format: 'email', default: 'a@b.c' },
      size: { type: 'integer', enum: [1, 2], description: 'Size' },
      mode: { const: 'fast' },
      maybe: { type: ['string', 'null'], description: 'Perhaps' },
      mixed: { type: ['string', 'number'], description: 'Either' },
      choice: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      either: { oneOf: [{ type: 'string' }, object({ a: { type: 'boolean' } })], description: 'Some' },
      both: { allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] },
      list: { type: 'array' },
      map: { type: 'object', additionalProperties: { type: 'string' } },
    },
    { required: ['when', 'missing'], additionalProperties: false },
  )
  const anything = {
    anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }],
  }
  expect(compile(schema, 'gemini')).toEqual({
    type: 'object',
    properties: {
      when: { type: 'string', format: 'date-time' },
      mail: { type: 'string' },
      size: { type: 'integer', description: 'Size (one of 1, 2)' },
      mode: { type: 'string', enum: ['fast'] },
      maybe: { type: 'string', nullable: true, description: 'Perhaps' },
      mixed: {
        anyOf: [
          { type: 'string', description: 'Either' },
          { type: 'number', description: 'Either' },
        ],
      },
      choice: { type: 'string', nullable: true },
      either: {
        anyOf: [
          { type: 'string', description: 'Some' },
          { ...object({ a: { type: 'boolean' } }), description: 'Some' },
        ],
      },
      both: object({ a: { type: 'string' }, b: { type: 'string' } }),
      list: { type: 'array', items: anything },
      map: { type: 'object' },
    },
    required: ['when'],
  })
})

test('compileSchema gemini: converts a schema that allows only null', () => {
  expect(compile(object({ a: { type: 'string', oneOf: [{ const: null }] } }), 'gemini')).toEqual(
    object({ a: { type: 'string', nullable: true } }),
  )
})

test('compileSchema: caches the result per schema object', () => {
  const schema = object({ a: { type: 'array' } })
  expect(compileSchema(schema, 'openai')).toBe(compileSchema(schema, 'openai'))
  expect(compileSchema(schema, 'openai')).not.toBe(compileSchema(schema, 'anthropic'))
})
