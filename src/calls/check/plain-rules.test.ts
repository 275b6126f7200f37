import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../model/json.ts'
import { factsOf } from './schema-facts.ts'
import { checkKeywords } from './check-keywords.ts'
import { CheckRun } from './check-run.ts'
import { matchesPlainRules, readPlainRules } from './plain-rules.ts'

const names = fc.constantFrom('a', 'b', 'toString', 'constructor', 'length')
const value = fc.oneof(
  fc.constantFrom<Json>('', 'text', 0, 1.5, -3, 1e300, true, false, null),
  fc.constantFrom<Json>([], ['x'], {}, { a: 1 }),
)
const kind = fc.constantFrom<Json>('string', 'number', 'integer', 'boolean', 'array', 'odd')
const argument = fc.oneof(
  { weight: 6, arbitrary: fc.record<JsonObject>({ type: kind, description: fc.constant('What it is') }) },
  fc.constantFrom<Json>({}, true, false, { enum: ['text'] }, { type: 'string', minLength: 3 }, { const: 0 }),
)
const schemas = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(names, argument),
    required: fc.uniqueArray(names, { maxLength: 1 }),
    additionalProperties: fc.constantFrom<Json>(true, true, false, { type: 'string' }),
    title: fc.constant('Arguments'),
  },
  { requiredKeys: ['type'] },
)

test('matchesPlainRules: whatever it accepts passes the full check too', () => {
  let quick = 0
  fc.assert(
    fc.property(schemas, fc.dictionary(names, value, { maxKeys: 2 }), (schema, args) => {
      const rules = readPlainRules(schema)
      if (!rules || !matchesPlainRules(args, rules)) return
      quick++
      const run = new CheckRun({
        root: schema,
        facts: factsOf(schema),
        keywords: checkKeywords,
        createMatcher: undefined,
      })
      run.check(schema, args, undefined)
      expect(run.problems).toEqual([])
    }),
    { numRuns: 3000 },
  )
  expect(quick).toBeGreaterThan(100)
})

const some = { type: 'object', properties: { n: { type: 'integer' }, list: { type: 'array' } } }

test.each<[string, JsonObject, JsonObject, boolean | undefined]>([
  ['an integer', some, { n: 1 }, true],
  ['a value of another type', some, { n: 1.5 }, false],
  ['an undefined property', some, { n: undefined as unknown as Json }, true],
  ['an array', some, { list: [] }, false],
  ['an undeclared property', some, { other: 1 }, true],
  [
    'an undeclared property with additionalProperties: false',
    { ...some, additionalProperties: false },
    { other: 1 },
    false,
  ],
  ['a missing property', { ...some, required: ['n'] }, {}, false],
  ['a missing property that every object inherits', { ...some, required: ['toString'] }, {}, false],
  ['a schema with other keywords', { ...some, minProperties: 1 }, { n: 1 }, undefined],
  ['a schema with $ref', { ...some, $ref: '#/$defs/a' }, { n: 1 }, undefined],
])('matchesPlainRules: %s', (_what, schema, args, expected) => {
  const rules = readPlainRules(schema)
  expect(rules && matchesPlainRules(args, rules)).toBe(expected)
})
