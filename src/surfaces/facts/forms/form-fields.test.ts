import { readFileSync } from 'node:fs'
import {
  assert,
  anything,
  constantFrom,
  dictionary,
  jsonValue,
  letrec,
  oneof,
  property,
  record,
} from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../index.ts'
import type { Field } from '../../api/form-field.ts'
import { toForm } from './form-fields.ts'

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})

/** The fields of a form without their titles, for short expectations. */
function fieldsOf(schema: JsonObject): readonly Field[] {
  const form = toForm(schema)
  if (form.kind !== 'object') throw new Error(`not an object: ${JSON.stringify(form)}`)
  return form.fields
}

function only(definition: Json, more: JsonObject = {}): Field {
  const [field] = fieldsOf(object({ a: definition }, more))
  if (!field) throw new Error('no field')
  return field
}

const a = { name: 'a', title: 'a', isRequired: false }

describe('toForm', () => {
  test('a tool without arguments has an empty form', () => {
    const empty = { name: '', title: '', isRequired: true, kind: 'object', fields: [] }
    expect(toForm({})).toEqual(empty)
    expect(toForm({ type: 'object', properties: {} })).toEqual(empty)
  })

  test('objects, lists and maps nest', () => {
    const filter = object(
      {
        labels: { type: 'array', items: { type: 'string' }, minItems: 1 },
        meta: { type: 'object', additionalProperties: { type: 'integer' } },
      },
      { required: ['labels'], title: 'Filter', description: 'Which ones' },
    )
    expect(fieldsOf(object({ filter }, { required: ['filter'] }))).toEqual([
      {
        name: 'filter',
        title: 'Filter',
        description: 'Which ones',
        isRequired: true,
        kind: 'object',
        fields: [
          {
            name: 'labels',
            title: 'labels',
            isRequired: true,
            kind: 'list',
            min: 1,
            item: { name: '', title: '', isRequired: true, kind: 'text' },
          },
          {
            name: 'meta',
            title: 'meta',
            isRequired: false,
            kind: 'map',
            value: { name: '', title: '', isRequired: true, kind: 'number', isInteger: true },
          },
        ],
      },
    ])
  })

  test.each<[string, Json, object]>([
    [
      'a text with its limits',
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'email', default: 'x' },
      { kind: 'text', min: 1, max: 9, pattern: '^a', format: 'email', initial: 'x' },
    ],
    ['a long text', { type: 'string', maxLength: 5000 }, { kind: 'text', max: 5000, isLong: true }],
    [
      'a whole number above a limit',
      { type: 'integer', exclusiveMinimum: 0, maximum: 9 },
      { kind: 'number', isInteger: true, min: 1, max: 9 },
    ],
    ['yes or no', { type: 'boolean', default: true }, { kind: 'yes-no', initial: true }],
    ['one value', { const: 'x' }, { kind: 'constant', value: 'x' }],
    [
      'values of any type',
      { enum: ['x', 1, true] },
      {
        kind: 'choice',
        options: [
          { value: 'x', title: 'x' },
          { value: 1, title: '1' },
          { value: true, title: 'true' },
        ],
      },
    ],
    [
      'titled values',
      { oneOf: [{ const: 1, title: 'One' }, { enum: [2] }] },
      {
        kind: 'choice',
        options: [
          { value: 1, title: 'One' },
          { value: 2, title: '2' },
        ],
      },
    ],
    [
      'several of a list',
      { type: 'array', items: { enum: ['x', 'y'] }, default: ['y', 'z'] },
      {
        kind: 'choices',
        options: [
          { value: 'x', title: 'x' },
          { value: 'y', title: 'y' },
        ],
        initial: ['y'],
      },
    ],
    [
      'a type that may be null',
      { type: ['string', 'null'], default: null },
      { kind: 'text', isNullable: true },
    ],
    [
      'null as an option',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], title: 'N' },
      { kind: 'number', isInteger: true, isNullable: true, title: 'N' },
    ],
    [
      'null in an enum',
      { enum: ['x', null] },
      { kind: 'choice', options: [{ value: 'x', title: 'x' }], isNullable: true },
    ],
    ['nullable of OpenAPI', { type: 'string', nullable: true }, { kind: 'text', isNullable: true }],
    ['a schema without a type', { minimum: 3 }, { kind: 'number', isInteger: false, min: 3 }],
  ])('%s', (_, definition, expected) => {
    expect(only(definition)).toEqual({ ...a, ...expected })
  })

  test('several types are shapes to choose from', () => {
    expect(only({ type: ['string', 'integer'], default: 'x' })).toEqual({
      ...a,
      kind: 'one-of',
      initial: 'x',
      variants: [
        { ...a, title: 'text', kind: 'text', initial: 'x' },
        { ...a, title: 'whole number', kind: 'number', isInteger: true },
      ],
    })
  })

  test('shapes have the title that they declare, the constant that tells them apart, or the name of their definition', () => {
    const $defs = { Plain: object({ x: { type: 'string' } }) }
    const field = only(
      {
        oneOf: [
          object({ x: { type: 'string' } }, { title: 'Titled' }),
          object({ kind: { const: 'circle' }, r: { type: 'number' } }),
          { $ref: '#/$defs/Plain' },
          { type: 'array', items: { type: 'number' } },
        ],
      },
      { $defs },
    )
    expect(field.kind === 'one-of' && field.variants.map(({ title, kind }) => [title, kind])).toEqual([
      ['Titled', 'object'],
      ['circle', 'object'],
      ['Plain', 'object'],
      ['list', 'list'],
    ])
  })

  test('options that only say which names are needed together leave the form as it is', () => {
    const properties = { id: { type: 'string' }, name: { type: 'string' } }
    const schema = object(properties, { anyOf: [{ required: ['id'] }, { required: ['name'] }] })
    expect(fieldsOf(schema).map(({ name }) => name)).toEqual(['id', 'name'])
  })

  test('allOf is merged: names, needed names and the stricter limits', () => {
    const $defs = { Base: object({ id: { type: 'string', maxLength: 9 } }, { required: ['id'] }) }
    const own = { properties: { id: { type: 'string', maxLength: 5 }, extra: { type: 'boolean' } } }
    expect(only({ allOf: [{ $ref: '#/$defs/Base' }, own], title: 'T' }, { $defs })).toEqual({
      ...a,
      title: 'T',
      kind: 'object',
      fields: [
        { name: 'id', title: 'id', isRequired: true, kind: 'text', max: 5 },
        { name: 'extra', title: 'extra', isRequired: false, kind: 'yes-no' },
      ],
    })
  })

  test('parts of allOf that fit no value, or that only a check can combine, are JSON', () => {
    expect(only({ allOf: [{ type: 'string' }, { type: 'number' }] })).toMatchObject({ kind: 'json' })
    const choice = { oneOf: [{ type: 'string' }, { type: 'number' }] }
    expect(only({ allOf: [choice, { oneOf: [{ minLength: 1 }, { minimum: 1 }] }] })).toMatchObject({
      kind: 'json',
      reason: 'combines schemas that no form can show',
    })
  })

  test('T23 a schema that contains itself is a form of four levels, then JSON with a signature and an example', () => {
    const schema = {
      ...object({ name: { type: 'string' }, child: { $ref: '#' } }, { required: ['name'] }),
    }
    const depthOf = (field: Field | undefined): number =>
      field?.kind === 'object' ? 1 + depthOf(field.fields.find(({ name }) => name === 'child')) : 0
    const form = toForm(schema)
    expect(depthOf(form)).toBe(4)
    let last: Field | undefined = form
    while (last?.kind === 'object') last = last.fields.find(({ name }) => name === 'child')
    expect(last).toMatchObject({
      kind: 'json',
      reason: 'is nested too deep for a form',
      example: { name: '<name>' },
    })
    expect(last?.kind === 'json' && last.signature).toContain('name: string')
  })

  test('an object with more than 40 fields is JSON, and so is one that finds no room in the form', () => {
    const many = (count: number) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'string' }])))
    expect(toForm(many(40))).toMatchObject({ kind: 'object' })
    expect(toForm(many(41))).toMatchObject({ kind: 'json', reason: 'has 41 fields' })
    const [first, second] = fieldsOf(object({ a: many(30), b: many(30) }))
    expect([first?.kind, second?.kind]).toEqual(['object', 'json'])
  })

  test.each<[string, Json, string]>([
    ['any value', {}, 'may be any value'],
    ['true', true, 'may be any value'],
    ['no schema', 5, 'has no schema'],
    ['an unknown type', { type: 'file' }, 'has a type that forms do not support ("file")'],
    ['an object with any fields', { type: 'object' }, 'may have any fields'],
    ['a list of anything', { type: 'array' }, 'may have items of any kind'],
    ['a tuple', { type: 'array', prefixItems: [{}] }, 'has its own schema for each item'],
    ['options of another type', { type: 'string', enum: [1] }, 'has no text options to choose from'],
    ['a huge list of options', { enum: Array.from({ length: 5000 }, (_, at) => at) }, 'has 5000 options'],
  ])('%s is JSON, with the reason', (_, definition, reason) => {
    const field = only(definition)
    expect(field).toMatchObject({ kind: 'json', reason })
  })

  test('a huge list of texts to choose from is typed', () => {
    expect(only({ enum: Array.from({ length: 5000 }, (_, at) => `v${at}`) })).toEqual({ ...a, kind: 'text' })
  })
})

describe('real tools', () => {
  test.each(['github', 'server-filesystem', 'server-github', 'server-memory', 'mixed-servers'])(
    '%s: each tool has a form, with every argument in it',
    (file) => {
      const url = new URL(`../../../../test/fixtures/tools/${file}.json`, import.meta.url)
      const read = JSON.parse(readFileSync(url, 'utf8')) as unknown
      const tools = (Array.isArray(read) ? read : (read as { tools: unknown }).tools) as {
        inputSchema: JsonObject & { properties?: object }
      }[]
      for (const { inputSchema } of tools) {
        const form = toForm(inputSchema)
        const names = Object.keys(inputSchema.properties ?? {})
        const found =
          form.kind === 'object' ? form.fields.map(({ name }) => name) : form.kind === 'json' && form.reason
        expect(found).toEqual(names.length > 40 ? `has ${names.length} fields` : names)
      }
    },
  )
})

describe('T23 hostile schemas', () => {
  const keys = [
    'type',
    'properties',
    'items',
    'anyOf',
    'oneOf',
    'allOf',
    '$ref',
    'enum',
    'const',
    'required',
    'default',
    'additionalProperties',
    'title',
    'description',
    'nullable',
    'minimum',
    'prefixItems',
    'patternProperties',
    'enumNames',
  ]
  const schema = letrec((tie) => ({
    schema: oneof(
      { depthSize: 'small' },
      jsonValue(),
      record({ $ref: constantFrom('#', '#/$defs/a', '#/properties/a', 'http://x/y', '#/nope') }),
      dictionary(constantFrom(...keys), oneof(tie('schema'), jsonValue(), tie('list')), { maxKeys: 5 }),
      dictionary(constantFrom('a', 'b', '__proto__', 'constructor'), tie('schema'), { maxKeys: 3 }),
    ),
    list: oneof(
      tie('schema'),
      tie('schema').map((each) => [each, each]),
    ),
  })).schema as Arbitrary<Json>

  test('never throws, and stays within its limits, whatever a server sends', () => {
    assert(
      property(dictionary(constantFrom(...keys, '$defs', 'a'), oneof(schema, jsonValue())), (root) => {
        const form = toForm(root as JsonObject) // generated as JSON
        expect(countOf(form)).toBeLessThanOrEqual(41)
        expect(levelsOf(form)).toBeLessThanOrEqual(5)
        expect(JSON.parse(JSON.stringify(form))).toEqual(form)
      }),
      { numRuns: 300 },
    )
    assert(
      property(anything(), (value) => void toForm({ properties: { a: value } } as JsonObject)),
      {
        numRuns: 100,
      },
    )
  })

  test.each<[string, JsonObject]>([
    ['billion laughs', object({ a: { $ref: '#/$defs/l0' } }, { $defs: laughs() })],
    [
      'nested allOf of itself',
      {
        $defs: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } },
        properties: { a: { $ref: '#/$defs/a' } },
      },
    ],
    [
      'references in a circle',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    [
      'shapes of shapes',
      {
        $defs: { a: { anyOf: Array.from({ length: 12 }, () => ({ $ref: '#/$defs/a' })) } },
        properties: { a: { $ref: '#/$defs/a' } },
      },
    ],
    [
      '200,000 names',
      object(Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`f${at}`, true]))),
    ],
    ['a deep chain', deep(5000)],
  ])('%s', (_, hostile) => {
    const form = toForm(hostile)
    expect(countOf(form)).toBeLessThanOrEqual(41)
    expect(JSON.stringify(form).length).toBeLessThan(200_000)
  })
})

function laughs(): JsonObject {
  const levels = Array.from({ length: 12 }, (_, at) => [
    `l${at}`,
    object(Object.fromEntries('abcdefgh'.split('').map((key) => [key, { $ref: `#/$defs/l${at + 1}` }]))),
  ])
  return Object.fromEntries([...levels, ['l12', { type: 'string' }]]) as JsonObject
}

function deep(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let at = 0; at < levels; at++) schema = object({ a: schema })
  return schema
}

function insideOf(field: Field): readonly Field[] {
  switch (field.kind) {
    case 'object':
      return field.fields
    case 'list':
      return [field.item]
    case 'map':
      return [field.value]
    case 'one-of':
      return field.variants
    default:
      return []
  }
}

function countOf(field: Field): number {
  return insideOf(field).reduce((sum, each) => sum + countOf(each), 1)
}

function levelsOf(field: Field): number {
  return 1 + Math.max(0, ...insideOf(field).map(levelsOf))
}
