import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkArguments } from '../../../calls/validate.ts'
import type { Json, JsonObject } from '../../../index.ts'
import { parsePairs, toArguments } from './tool-arguments.ts'

/** A schema as servers write them, and the values that it admits. */
interface Form {
  readonly schema: JsonObject
  readonly defs: JsonObject
  readonly values: fc.Arbitrary<Json>
}

const odd = fc.constantFrom(
  '',
  'null',
  'true',
  '5',
  '007',
  '1.10',
  '"5"',
  '[1]',
  '["a"]',
  '{"a":1}',
  '@a',
  '"',
  'a,b',
)
const text = fc.oneof(fc.string(), odd, fc.json())
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0)
const object = fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.integer(), text))
const plain = (schema: JsonObject, values: fc.Arbitrary<Json>): Form => ({ schema, defs: {}, values })
const listed = fc.uniqueArray(fc.oneof(odd, fc.integer(), fc.constant(null)), { minLength: 1, maxLength: 4 })

const simple: fc.Arbitrary<Form> = fc.oneof(
  fc.constantFrom(
    plain({ type: 'string' }, text),
    plain({ type: 'integer' }, fc.maxSafeInteger()),
    plain({ type: 'number' }, number),
    plain({ type: 'boolean' }, fc.boolean()),
    plain({ type: ['string', 'null'] }, fc.option(text)),
    plain({ type: 'object', additionalProperties: true }, object),
    plain({ title: 'Anything' }, fc.oneof(text, fc.integer(), fc.boolean(), object)),
  ),
  listed.map((values) => plain({ enum: values }, fc.constantFrom(...values))),
  odd.map((value) => plain({ const: value, type: 'string' }, fc.constant(value))),
)

let names = 0
const form = fc.letrec<{ readonly form: Form }>((tie) => ({
  form: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    simple,
    tie('form').map(optional),
    tie('form').map(referred),
    tie('form').map(({ schema, ...form }) => ({ ...form, schema: { allOf: [schema], default: null } })),
    tie('form').map(listOf),
    fc.tuple(tie('form'), tie('form')).map(either),
  ),
})).form

function optional({ schema, defs, values }: Form): Form {
  return { schema: { anyOf: [schema, { type: 'null' }] }, defs, values: fc.option(values) }
}

function referred({ schema, defs, values }: Form): Form {
  const name = `Form${names++}`
  return { schema: { $ref: `#/$defs/${name}` }, defs: { ...defs, [name]: schema }, values }
}

function listOf({ schema, defs, values }: Form): Form {
  return { schema: { type: 'array', items: schema }, defs, values: fc.array(values, { maxLength: 3 }) }
}

function either([a, b]: readonly [Form, Form]): Form {
  return {
    schema: { anyOf: [a.schema, b.schema] },
    defs: { ...a.defs, ...b.defs },
    values: fc.oneof(a.values, b.values),
  }
}

const written = form.chain(({ schema, defs, values }) =>
  values.map((value) => ({ inputSchema: { type: 'object', properties: { v: schema }, $defs: defs }, value })),
)

const read = (word: string, schema: JsonObject) => toArguments(parsePairs([word], '/'), schema)

/** Writes a value as a user would: a text as it is, quoted if it would be read as another type; anything else as JSON. */
function write(value: Json, schema: JsonObject): string {
  const json = `v=${JSON.stringify(value)}`
  if (typeof value !== 'string') return json
  const plainly = `v=${value.startsWith('@') ? '@' : ''}${value}`
  return read(plainly, schema)['v'] === value ? plainly : json
}

test('toArguments: every value a schema admits can be written and is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(written, async ({ inputSchema, value }) => {
      const args = read(write(value, inputSchema), inputSchema)
      expect(args).toEqual({ v: value })
      expect(await checkArguments(inputSchema, args)).toEqual({ kind: 'valid' })
    }),
    { numRuns: 3000 },
  )
})

const onlyText = fc.constantFrom(plain({ type: 'string' }, text), optional(plain({ type: 'string' }, text)))

test('toArguments: a text needs no quotes where only strings (or null) are admitted', () => {
  const some = fc.oneof(onlyText, onlyText.map(referred), onlyText.map(referred).map(optional))
  fc.assert(
    fc.property(some, text, ({ schema, defs }, each) => {
      fc.pre(!each.includes('null') && !each.startsWith('@'))
      expect(read(`v=${each}`, { properties: { v: schema }, $defs: defs })).toEqual({ v: each })
    }),
  )
})

test('toArguments: a list can be written item by item', () => {
  const word = fc.stringMatching(/^[a-z0-9 ]+$/)
  const items = fc.array(word, { minLength: 2, maxLength: 5 })
  const some = fc.constant(listOf(plain({ type: 'string' }, text)))
  fc.assert(
    fc.property(fc.oneof(some, some.map(referred), some.map(optional)), items, ({ schema, defs }, list) => {
      const words = list.map((item) => `v=${item}`)
      expect(toArguments(parsePairs(words, '/'), { properties: { v: schema }, $defs: defs })).toEqual({
        v: list,
      })
    }),
  )
})
