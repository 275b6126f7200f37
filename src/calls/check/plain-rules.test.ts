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
const schema = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(names, argument),
    required: fc.uniqueArray(names, { maxLength: 1 }),
    additionalProperties: fc.constantFrom<Json>(true, true, false, { type: 'string' }),
    title: fc.constant('Arguments'),
  },
  { requiredKeys: ['type'] },
)

test('what the quick look lets through is right to the proper one as well', () => {
  let quick = 0
  fc.assert(
    fc.property(schema, fc.dictionary(names, value, { maxKeys: 2 }), (asked, args) => {
      const rules = readPlainRules(asked)
      if (!rules || !matchesPlainRules(args, rules)) return
      quick++
      const run = new CheckRun({
        root: asked,
        facts: factsOf(asked),
        keywords: checkKeywords,
        createMatcher: undefined,
      })
      run.check(asked, args, undefined)
      expect(run.problems).toEqual([])
    }),
    { numRuns: 3000 },
  )
  expect(quick).toBeGreaterThan(100)
})

const some = { type: 'object', properties: { n: { type: 'integer' }, list: { type: 'array' } } }

test.each<[string, JsonObject, JsonObject, boolean | undefined]>([
  ['a number of its kind', some, { n: 1 }, true],
  ['another kind', some, { n: 1.5 }, false],
  ['what is not sent', some, { n: undefined as unknown as Json }, true],
  ['a kind with something inside', some, { list: [] }, false],
  ['a name that nobody asked for', some, { other: 1 }, true],
  ['one where no other is allowed', { ...some, additionalProperties: false }, { other: 1 }, false],
  ['one that is missing', { ...some, required: ['n'] }, {}, false],
  ['one that every object seems to have', { ...some, required: ['toString'] }, {}, false],
  ['a schema that asks for more', { ...some, minProperties: 1 }, { n: 1 }, undefined],
  ['a schema that refers to another', { ...some, $ref: '#/$defs/a' }, { n: 1 }, undefined],
])('the quick look at %s', (_what, asked, args, expected) => {
  const rules = readPlainRules(asked)
  expect(rules && matchesPlainRules(args, rules)).toBe(expected)
})
