import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import type { Tool, ToolDefinition } from '../model/tool.ts'
import { toExample, toSignature } from './signature.ts'

const github = JSON.parse(
  readFileSync(new URL('../../test/fixtures/tools/github.json', import.meta.url), 'utf8'),
) as readonly ToolDefinition[] // a file of ours

function tool(inputSchema: JsonObject, outputSchema?: JsonObject): Tool {
  const rest = {
    ref: 's/x',
    description: '',
    annotations: {},
    server: 's',
    tool: 'x',
    concurrencySafe: false,
    hash: '',
  }
  return { ...rest, name: 's__x', inputSchema, ...(outputSchema && { outputSchema }) }
}

test('toSignature: reads like a TypeScript function', () => {
  const schema = {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to\n  look for.' },
      'sort-by': { enum: ['date', 'score', null] },
      page: { type: 'integer', default: 1, description: 'Page' },
      tags: { type: 'array', items: { type: ['string', 'null'] } },
      where: {
        type: 'object',
        properties: { near: { $ref: '#/$defs/place' }, exact: { const: true } },
        required: ['near'],
      },
      anything: {},
      map: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['query'],
    $defs: {
      place: { anyOf: [{ type: 'string' }, { type: 'object', properties: { lat: { type: 'number' } } }] },
    },
  }
  expect(
    toSignature(
      tool(schema, { type: 'object', properties: { hits: { type: 'array' } }, required: ['hits'] }),
    ),
  ).toBe(
    `s__x({
  query: string  // What to look for.
  "sort-by"?: "date" | "score" | null
  page?: number  // Page · default 1
  tags?: (string | null)[]
  where?: {
    near: string | {
      lat?: number
    }
    exact?: true
  }
  anything?: unknown
  map?: object
}): {
  hits: unknown[]
}`,
  )
  expect(toExample(tool(schema))).toEqual({ query: '<query>' })
})

test('toSignature: a tool without arguments has an empty parameter list', () => {
  expect(toSignature(tool({ type: 'object' }))).toBe('s__x()')
  expect(toSignature(tool({ type: 'object', additionalProperties: true }))).toBe('s__x(object)')
  expect(toExample(tool({ type: 'object' }))).toEqual({})
})

test('toExample: has all required arguments, with values from the schema where it has any', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'string', examples: ['fine'] },
      b: { type: 'integer', minimum: 5 },
      c: { enum: ['x', 'y'] },
      d: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
      },
      e: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      f: { $ref: '#/properties/c' },
      g: { type: 'string' },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'missing'],
  }
  expect(toExample(tool(schema))).toEqual({ a: 'fine', b: 5, c: 'x', d: [{ id: 1 }], e: true, f: 'x' })
})

test('toSignature and toExample: cover all and all required arguments of the GitHub tools', () => {
  for (const { name, inputSchema } of github) {
    const signature = toSignature({ ...tool(inputSchema), name })
    for (const property of Object.keys(inputSchema['properties'] ?? {})) {
      expect(signature).toMatch(new RegExp(`^  ${property}\\??: `, 'm'))
    }
    expect(Object.keys(toExample({ inputSchema }))).toEqual(inputSchema['required'] ?? [])
  }
})

test('T23 toSignature and toExample: end for recursive schemas', () => {
  const names = Array.from({ length: 40 }, (_, at) => `p${at}`)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    required: names,
  }
  expect(toSignature(tool(schema)).length).toBeLessThan(100_000)
  expect(JSON.stringify(toExample(tool(schema))).length).toBeLessThan(100_000)
  const loop = {
    type: 'object',
    properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } },
    required: ['a'],
  }
  expect(toSignature(tool(loop))).toBe('s__x({\n  a: unknown\n  b?: unknown\n})')
  expect(toExample(tool(loop))).toEqual({ a: '<a>' })
})

test('T23 toSignature and toExample: never throw for any JSON as a schema', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('type', 'properties', 'anyOf', 'items', '$ref', 'required', 'enum', 'default'),
        fc.jsonValue(),
      ),
      (schema) => {
        expect(typeof toSignature(tool(schema as JsonObject))).toBe('string') // JSON, as a server could send it
        expect(toExample(tool(schema as JsonObject))).toBeTypeOf('object')
      },
    ),
  )
})

test('toSignature: merges allOf and decodes references', () => {
  const schema = {
    type: 'object',
    allOf: [{ properties: { id: { type: 'integer' } }, required: ['id'] }, { $ref: '#/$defs/a%20b' }],
    properties: {
      mode: { allOf: [{ $ref: '#/$defs/Mode' }], default: 'fast' },
      self: { $ref: '#/$defs/Loop' },
    },
    $defs: {
      'a b': { properties: { name: { type: 'string' } } },
      Mode: { enum: ['fast', 'slow'] },
      Loop: { allOf: [{ $ref: '#/$defs/Loop' }] },
    },
  }
  expect(toSignature(tool({ ...schema, properties: { mode: schema.properties.mode } }))).toBe(`s__x({
  id: number
  name?: string
  mode?: "fast" | "slow"  // default "fast"
})`)
  expect(toExample(tool(schema))).toEqual({ id: 1 })
  expect(toSignature(tool(schema))).toMatch(/^s__x\(/)
})

test('T23 toExample: ends for options that contain themselves', () => {
  const inputSchema = {
    anyOf: [{ $ref: '#' }, { $ref: '#' }],
    properties: { a: { $ref: '#/$defs/a' } },
    required: ['a'],
    $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } },
  }
  expect(toExample({ inputSchema })).toEqual({ a: '<a>' })
})
