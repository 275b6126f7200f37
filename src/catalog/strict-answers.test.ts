import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkArguments } from '../calls/validate.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { compileSchema } from './provider-schema.ts'

test('compileSchema openai-strict: arguments for the strict schema always convert to valid arguments for the tool', () => {
  const asked = objectOf(3).chain((schema) => {
    const compiled = compileSchema(schema, 'openai-strict')
    if ('reason' in compiled) throw new Error(compiled.reason)
    return answerTo(compiled.schema).map((answer) => ({
      schema,
      args: compiled.toArguments(answer as JsonObject), // to the schema of an object
    }))
  })
  fc.assert(
    fc.property(asked, ({ schema, args }) => {
      expect(checkArguments(schema, args)).toEqual({ kind: 'valid' })
    }),
    { numRuns: 1000 },
  )
})

function objectOf(depth: number): fc.Arbitrary<JsonObject> {
  const names = ['k', 'x', 'y']
  const properties = fc.record({ k: schemaOf(0), x: schemaOf(depth - 1), y: schemaOf(depth - 1) })
  return fc
    .tuple(properties, fc.subarray(names))
    .map(([held, required]) => ({ type: 'object', properties: held, required }))
}

function schemaOf(depth: number): fc.Arbitrary<JsonObject> {
  const plain = fc.constantFrom<JsonObject>(
    { type: 'string' },
    { type: 'integer' },
    { type: ['boolean', 'null'] },
    { const: 'a' },
    { enum: ['b', 'c'] },
    { enum: ['d', null] },
  )
  if (depth <= 0) return plain
  const inner = fc.oneof(plain, objectOf(depth - 1))
  return fc.oneof(
    plain,
    inner,
    fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(objectOf(depth - 1), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    inner.map((items) => ({ type: 'array', items })),
    inner.map((one) => ({ allOf: [one], description: 'It.' })),
  )
}

/** Values that a strict schema admits. */
function answerTo(schema: JsonObject): fc.Arbitrary<Json> {
  const { anyOf, enum: values, type, properties, items } = schema as Strict // made by us
  if (anyOf) return fc.oneof(...anyOf.map(answerTo))
  if (values) return fc.constantFrom(...values)
  const kinds: Readonly<Record<string, () => fc.Arbitrary<Json>>> = {
    null: () => fc.constant(null),
    string: () => fc.constantFrom('a', 'b', 'z'),
    integer: () => fc.constantFrom(0, 7),
    boolean: () => fc.boolean(),
    array: () => fc.array(answerTo(items ?? {}), { maxLength: 2 }),
    object: () =>
      fc.record(
        Object.fromEntries(Object.entries(properties ?? {}).map(([name, one]) => [name, answerTo(one)])),
      ),
  }
  return fc.oneof(...[type ?? []].flat().map((kind) => kinds[kind]!()))
}

interface Strict {
  readonly anyOf?: readonly JsonObject[]
  readonly enum?: readonly Json[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonObject>>
  readonly items?: JsonObject
}
