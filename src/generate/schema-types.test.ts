import { expect, test } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import { IdentifierPool } from './identifiers.ts'
import { SchemaTypes } from './schema-types.ts'

/** The declarations of a schema as input types, or as output types. */
function typesOf(schema: JsonObject, role: 'input' | 'output' = 'output'): string {
  const names = new IdentifierPool(['T'])
  const types = new SchemaTypes(schema, { name: 'T', names, isReadonly: role === 'input' })
  return types.toDeclarations([]).join('\n').trimEnd()
}

test.each<[string, JsonObject | boolean, string]>([
  ['true', true, 'unknown'],
  ['false', false, 'never'],
  ['no keyword', {}, 'unknown'],
  ['a string with a pattern', { type: 'string', pattern: '^a$' }, 'string'],
  ['an integer', { type: 'integer' }, 'number'],
  ['several types', { type: ['string', 'null'] }, 'string | null'],
  ['nullable', { type: 'string', nullable: true }, 'string | null'],
  ['a type that does not exist', { type: 'constructor' }, 'unknown'],
  ['an enum', { enum: ['a', 1, true, null] }, '"a" | 1 | true | null'],
  ['an enum with values of another type', { type: 'string', enum: ['a', 1] }, '"a"'],
  ['a const object', { const: { b: [1], a: 'x' } }, '{ a: "x"; b: [1] }'],
  ['a number too large for a literal', { const: Number.POSITIVE_INFINITY }, 'number'],
  ['a list', { type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  ['a list of lists', { type: 'array', items: { type: 'array', items: {} } }, '(unknown[])[]'],
  [
    'a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    '[(string)?, (number)?]',
  ],
  [
    'a tuple of which all items are required',
    { prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2 },
    '[string, number]',
  ],
  [
    'a tuple with a rest, of which one item is required',
    { prefixItems: [{ type: 'string' }, {}], minItems: 1, items: { type: 'number' } },
    '[string, (unknown)?, ...number[]]',
  ],
  ['a tuple of an older draft', { items: [{ type: 'string' }], additionalItems: false }, '[(string)?]'],
  ['a map', { type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
  ['an object without properties', { type: 'object' }, '{ [key: string]: unknown }'],
  [
    'a closed object without properties',
    { type: 'object', additionalProperties: false },
    '{ [key: string]: never }',
  ],
  ['patterns', { patternProperties: { '^x': { type: 'string' } } }, '{ [key: string]: string }'],
  ['anyOf', { anyOf: [{ type: 'string' }, { const: 5 }] }, 'string | 5'],
  ['oneOf with an option that admits all', { oneOf: [{ type: 'string' }, {}] }, 'unknown'],
  ['allOf', { allOf: [{ enum: ['a', 'b'] }, { type: 'string' }] }, '("a" | "b") & string'],
  ['a reference that leads nowhere', { $ref: 'https://host.example/schema.json' }, 'unknown'],
])('types: %s', (_, schema, expected) => {
  const text = typesOf({ type: 'object', properties: { a: schema }, required: ['a'] })
  expect(text).toBe(`export type T = {\n  a: ${expected}\n}`)
})

test('types: an optional property that every object inherits admits everything, so that it can be left out', () => {
  const properties = { constructor: { type: 'string' }, toString: { type: 'string' }, a: { type: 'string' } }
  expect(typesOf({ type: 'object', properties, required: ['toString'] })).toBe(
    'export type T = {\n  toString: string\n  a?: string\n  constructor?: unknown\n}',
  )
})

test('types: properties have their descriptions, required ones come first, and input is readonly', () => {
  const schema = {
    type: 'object',
    properties: {
      'with space': { type: 'string', deprecated: true },
      b: { type: 'array', items: { type: 'string' }, description: 'Names.\nSorted.', default: [] },
      a: { type: 'object', properties: { __proto__x: {}, new: { type: 'null' } } },
    },
    required: ['b', 'undeclared'],
    additionalProperties: { type: 'number' },
  }
  expect(typesOf(schema, 'input')).toBe(
    [
      'export type T = {',
      '  /**',
      '   * Names.',
      '   * Sorted.',
      '   *',
      '   * Default: []',
      '   */',
      '  readonly b: readonly string[]',
      '  readonly undeclared: unknown',
      '  readonly a?: {',
      '    readonly __proto__x?: unknown',
      '    readonly new?: null',
      '  }',
      '  /** @deprecated */',
      '  readonly "with space"?: string',
      '  readonly [key: string]: unknown',
      '}',
    ].join('\n'),
  )
})

test('types: a schema that refers to itself has a type with a name, also where it consists of references only', () => {
  const schema = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' }, self: { $ref: '#' }, loop: { $ref: '#/$defs/loop' } },
    $defs: {
      node: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } },
      loop: { anyOf: [{ $ref: '#/$defs/pool' }, { type: 'string' }] },
      pool: { allOf: [{ $ref: '#/$defs/loop' }] },
    },
  }
  expect(typesOf(schema)).toBe(
    [
      'export type T = {',
      '  loop?: TLoop',
      '  self?: T',
      '  tree?: TNode',
      '}',
      '',
      'export type TLoop = unknown',
      '',
      'export type TNode = {',
      '  children?: TNode[]',
      '}',
    ].join('\n'),
  )
})

test('types: a huge schema ends in unknown', () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string' }]))
  let deep: JsonObject = { type: 'string' }
  for (let level = 0; level < 5000; level++) deep = { type: 'array', items: deep }
  const options = Array.from({ length: 200 }, (_, at) => ({ type: 'object', properties: { [`o${at}`]: {} } }))
  const crossed = {
    allOf: [{ anyOf: options }, { anyOf: [...options].reverse() }, { anyOf: options.slice(1) }],
  }
  const many = { enum: Array.from({ length: 10_000 }, (_, at) => `v${at}`), type: 'string' }
  const text = typesOf({
    type: 'object',
    properties: { wide: { type: 'object', properties: wide }, deep, crossed, many },
  })
  expect(text.length).toBeLessThan(100_000)
  expect(text).toContain('many?: string\n')
})
