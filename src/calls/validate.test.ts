import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../model/json.ts'
import { checkArguments } from './validate.ts'

const check = (properties: JsonObject, args: Json, rest: JsonObject = {}) =>
  checkArguments({ type: 'object', properties, ...rest }, args)
const wrong = (...problems: (readonly [path: string, message: string])[]) => ({
  kind: 'invalid',
  problems: problems.map(([path, message]) => ({ path, message })),
})
const valid = { kind: 'valid' }
const unchecked = (reason: string) => ({ kind: 'unchecked', reason })

describe('checkArguments: problems for a model (C32)', () => {
  const issues = {
    state: { enum: ['open', 'closed', 'all'] },
    labels: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    filter: { type: 'object', properties: { 'created at': { type: 'string' } } },
    query: { type: ['string', 'null'], minLength: 2 },
  }

  test.each<[string, Json, ReturnType<typeof wrong> | typeof valid]>([
    ['empty object', {}, valid],
    ['valid arguments', { state: 'open', labels: ['a'], limit: 1, query: null, more: 1 }, valid],
    ['a string instead of an object', 'x', wrong(['', 'expected an object, got "x"'])],
    ['a list instead of an object', [1], wrong(['', 'expected an object, got a list of 1'])],
    ['wrong type', { limit: '5' }, wrong(['limit', 'expected integer, got "5"'])],
    ['fraction instead of an integer', { limit: 1.5 }, wrong(['limit', 'expected integer, got 1.5'])],
    ['neither of two types', { query: 5 }, wrong(['query', 'expected string or null, got 5'])],
    [
      'misspelled enum value',
      { state: 'closd' },
      wrong(['state', 'expected "open", "closed" or "all", got "closd"; did you mean "closed"?']),
    ],
    ['value out of range', { limit: 0 }, wrong(['limit', 'expected at least 1, got 0'])],
    ['wrong item of a list', { labels: ['a', 5] }, wrong(['labels[1]', 'expected string, got 5'])],
    ['too many items', { labels: ['a', 'b', 'c'] }, wrong(['labels', 'expected at most 2 items, got 3'])],
    ['string too short', { query: 'a' }, wrong(['query', 'expected at least 2 characters, got "a"'])],
    [
      'nested property',
      { filter: { 'created at': {} } },
      wrong(['filter["created at"]', 'expected string, got an object']),
    ],
    [
      'several problems',
      { limit: 101, state: null },
      wrong(
        ['limit', 'expected at most 100, got 101'],
        ['state', 'expected "open", "closed" or "all", got null'],
      ),
    ],
  ])('%s', async (_, args, expected) => {
    expect(await check(issues, args)).toEqual(expected)
  })

  test('-0 equals 0 in enum and const', async () => {
    expect(await check({ at: { enum: [0] }, only: { const: 0 } }, { at: -0, only: -0 })).toEqual(valid)
  })

  test('a missing property is named with its type and a similar given name', async () => {
    const schema = { required: ['path', 'mode', 'other'], additionalProperties: false }
    const properties = { path: { type: 'string' }, mode: { type: ['string', 'integer'] } }
    expect(await check(properties, { pth: 'x' }, schema)).toEqual(
      wrong(
        ['path', 'is required (string) but missing; is "pth" a misspelling?'],
        ['mode', 'is required (string or integer) but missing'],
        ['other', 'is required but missing'],
        ['pth', 'is unknown; did you mean "path"?'],
      ),
    )
    expect(await check(properties, { zzz: 1 }, { additionalProperties: false })).toEqual(
      wrong(['zzz', 'is unknown; allowed: "path" or "mode"']),
    )
    expect(await check({}, { zzz: 1 }, { additionalProperties: false })).toEqual(
      wrong(['zzz', 'is unknown; allowed: none']),
    )
  })

  test('an undefined property counts as missing', async () => {
    const args = { a: undefined } as unknown as JsonObject // embedders pass such objects
    expect(await check({ a: { type: 'string' } }, args)).toEqual(valid)
    expect(await check({ a: { type: 'string' } }, args, { required: ['a'] })).toEqual(
      wrong(['a', 'is required (string) but missing']),
    )
  })

  test('oneOf and anyOf: names what all forms expect, or what the closest form lacks', async () => {
    const point = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }
    const forms = (name: string, ...list: Json[]) => ({ v: { [name]: list } })
    const kinds = forms('anyOf', { type: 'string' }, { enum: [1, 2] }, { type: 'null' })
    expect(await check(kinds, { v: true })).toEqual(wrong(['v', 'expected string, 1, 2 or null, got true']))
    expect(await check(forms('anyOf', { type: 'null' }, point), { v: { x: 'a' } })).toEqual(
      wrong(['v.x', 'expected number, got "a"']),
    )
    const tagged = forms(
      'oneOf',
      { properties: { kind: { const: 'a' }, size: { type: 'number' } }, required: ['kind', 'size'] },
      { properties: { kind: { const: 'b' }, name: { type: 'string' } }, required: ['kind', 'name'] },
    )
    expect(await check(tagged, { v: { kind: 'b', name: 5 } })).toEqual(
      wrong(
        ['v', 'matches none of its 2 forms; problems with the closest one:'],
        ['v.name', 'expected string, got 5'],
      ),
    )
    expect(await check(forms('oneOf', { type: 'integer' }, { minimum: 3 }), { v: 4 })).toEqual(
      wrong(['v', 'matches 2 of its 2 forms, but must match exactly one']),
    )
    expect(await check(forms('allOf', { minimum: 3 }, { maximum: 5 }), { v: 6 })).toEqual(
      wrong(['v', 'expected at most 5, got 6']),
    )
    expect(await check({ v: { not: { type: 'string' } } }, { v: 'a' })).toEqual(
      wrong(['v', 'matches a form that is not allowed: {"type":"string"}']),
    )
  })

  test('long values and long lists are shortened in messages', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `value-${index}`)
    const checked = await check({ v: { enum: many } }, { v: 'x'.repeat(1000) })
    const shown = many.slice(0, 20).map((each) => JSON.stringify(each))
    expect(checked).toEqual(
      wrong(['v', `expected ${shown.join(', ')} … (30 in all), got "${'x'.repeat(60)}…"`]),
    )
    const items = await check(
      { v: { items: { type: 'string' } } },
      { v: Array.from({ length: 1000 }, () => 1) },
    )
    expect(items.kind === 'invalid' && items.problems.length).toBe(20)
  })

  test('keys such as __proto__ and constructor are ordinary keys', async () => {
    const args = JSON.parse('{"__proto__": 1, "constructor": 2}') as JsonObject
    expect(await check({}, args, { additionalProperties: { type: 'string' } })).toEqual(
      wrong(['__proto__', 'expected string, got 1'], ['constructor', 'expected string, got 2']),
    )
    expect(await check({}, {}, { required: ['toString'] })).toEqual(
      wrong(['toString', 'is required but missing']),
    )
  })
})

describe('checkArguments: keywords of JSON Schema', () => {
  const conditional = JSON.parse(
    '{ "if": { "type": "string" }, "then": { "minLength": 2 }, "else": false }',
  ) as JsonObject

  test.each<[string, JsonObject, Json, boolean]>([
    ['const', { const: { a: [1] } }, { a: [1] }, true],
    ['const', { const: 1 }, '1', false],
    ['exclusiveMinimum', { exclusiveMinimum: 3 }, 3, false],
    ['exclusiveMaximum', { exclusiveMaximum: 3 }, 2.9, true],
    ['multipleOf', { multipleOf: 0.1 }, 0.3, true],
    ['multipleOf', { multipleOf: 2 }, 3, false],
    ['an integer as 1.0', { type: 'integer' }, 1.0, true],
    ['maxLength counts characters', { maxLength: 2 }, '😀😀', true],
    ['maxLength', { maxLength: 2 }, 'abc', false],
    ['minItems', { minItems: 1 }, [], false],
    [
      'uniqueItems',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ['uniqueItems', { uniqueItems: true }, [1, '1', true], true],
    [
      'prefixItems and items',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      ['a', 1],
      true,
    ],
    ['prefixItems and items', { prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    ['a list as items', { items: [{ type: 'string' }], additionalItems: false }, ['a', 1], false],
    ['contains', { contains: { const: 1 } }, [2, 3], false],
    ['maxContains', { contains: { const: 1 }, maxContains: 1 }, [1, 1], false],
    ['minProperties', { minProperties: 1 }, {}, false],
    ['maxProperties', { maxProperties: 1 }, { a: 1, b: 2 }, false],
    ['propertyNames', { propertyNames: { maxLength: 1 } }, { ab: 1 }, false],
    ['additionalProperties', { additionalProperties: { type: 'string' } }, { a: 1 }, false],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }, false],
    ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, false],
    ['dependencies', { dependencies: { a: ['b'], c: { required: ['d'] } } }, { a: 1, b: 1, c: 1 }, false],
    ['if, then', conditional, 'a', false],
    ['if, else', conditional, 1, false],
    ['a schema that is false', { items: false }, [1], false],
    ['format only describes', { format: 'email' }, 'no address', true],
    [
      'keywords of the wrong kind',
      { required: true, minimum: '5', properties: [], enum: 1, anyOf: {} },
      1,
      true,
    ],
    ['a kind that nobody knows', { type: 'any' }, 1, true],
    ['kinds of which nobody knows one', { type: ['file', 'string'] }, 1, true],
  ])('%s: %j and %j', async (_, schema, value, isRight) => {
    expect((await check({ v: schema }, { v: value })).kind).toBe(isRight ? 'valid' : 'invalid')
  })

  test('a local $ref is followed, in any encoding of its pointer', async () => {
    const rest = { $defs: { 'a/b c': { type: 'string' } }, definitions: { n: { $ref: '#/$defs/a~1b%20c' } } }
    expect(await check({ v: { $ref: '#/definitions/n' } }, { v: 1 }, rest)).toEqual(
      wrong(['v', 'expected string, got 1']),
    )
  })

  test('keywords beside $ref apply in 2020-12 and are ignored in draft-07', async () => {
    const rest = { $defs: { s: { type: 'string' } } }
    const properties = { v: { $ref: '#/$defs/s', maxLength: 1 } }
    expect((await check(properties, { v: 'ab' }, rest)).kind).toBe('invalid')
    expect(
      (await check(properties, { v: 'ab' }, { ...rest, $schema: 'http://json-schema.org/draft-07/schema#' }))
        .kind,
    ).toBe('valid')
  })

  test('a recursive schema is checked as deep as the arguments', async () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { type: 'number' } } }
    expect(
      await check(
        { tree: { $ref: '#/$defs/node' } },
        { tree: { next: { next: { v: 'x' } } } },
        { $defs: { node } },
      ),
    ).toEqual(wrong(['tree.next.next.v', 'expected number, got "x"']))
  })
})

describe('checkArguments: a hostile schema is cheap and left to the server (T23)', () => {
  test('a remote $ref is never fetched and counts as unknown', async () => {
    const remote = { $ref: 'http://127.0.0.1:9/schema.json' }
    expect(
      await check({ v: remote, w: { not: remote }, x: { oneOf: [remote, {}] } }, { v: 1, w: 1, x: 1 }),
    ).toEqual(valid)
  })

  test('an unknown keyword or $ref inside not, oneOf, if or contains does not make arguments invalid', async () => {
    const unknown = { unevaluatedProperties: false }
    const properties = {
      a: { not: unknown },
      b: { oneOf: [unknown, { type: 'object' }] },
      c: JSON.parse('{ "if": { "unevaluatedProperties": false }, "then": false }') as JsonObject,
      d: { contains: { $ref: '#nowhere' }, maxContains: 0, minContains: 0 },
    }
    expect(await check(properties, { a: {}, b: {}, c: {}, d: [1] })).toEqual(valid)
  })

  test('schemas that double at each level stop at the budget', async () => {
    const defs: Record<string, Json> = { d30: { type: 'object' } }
    for (let i = 0; i < 30; i++) {
      const next = { $ref: `#/$defs/d${i + 1}` }
      defs[`d${i}`] = { allOf: [next, next] }
    }
    expect(await checkArguments({ $defs: defs, $ref: '#/$defs/d0' }, {})).toEqual(
      unchecked('they take too long to check against its schema'),
    )
  })

  test('a schema that only refers to itself stops', async () => {
    expect(await checkArguments({ $ref: '#' }, {})).toEqual(
      unchecked('its schema refers to itself without end'),
    )
  })

  const nested = (levels: number) =>
    JSON.parse(`${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`) as JsonObject
  test.each<[string, JsonObject, string]>([
    ['levels', nested(40), 'its schema has more than 32 levels'],
    ['levels without end', nested(50_000), 'its schema has more than 32 levels'],
    ['parts', { enum: Array.from({ length: 6000 }, () => 1) }, 'its schema has more than 5000 parts'],
    ['a long text', { description: 'x'.repeat(33_000) }, 'its schema has a text of 33000 characters'],
    [
      'many texts',
      { enum: Array.from({ length: 10 }, () => 'x'.repeat(30_000)) },
      'its schema has more than 262144 bytes',
    ],
  ])('too large: %s', async (_, schema, reason) => {
    expect(await checkArguments(schema, {})).toEqual(unchecked(reason))
  })

  test('arguments nested too deep are unchecked', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json
    expect(await check({ v: { uniqueItems: true } }, { v: [deep] })).toEqual(
      unchecked('they are nested too deep'),
    )
  })

  test('a frozen schema is not modified', async () => {
    const schema = Object.freeze({
      type: 'object',
      properties: Object.freeze({ v: Object.freeze({ $ref: '#' }) }),
    })
    expect(await checkArguments(schema, { v: {} })).toEqual(valid)
    expect(JSON.stringify(schema)).toBe('{"type":"object","properties":{"v":{"$ref":"#"}}}')
  })

  test('any schema and any arguments end without an exception', async () => {
    const keywords = fc.constantFrom(
      'type',
      'enum',
      'const',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'prefixItems',
      'anyOf',
      'oneOf',
      'allOf',
      'not',
      'if',
      'then',
      'else',
      '$ref',
      '$defs',
      'minimum',
      'maxLength',
      'uniqueItems',
      'contains',
      'propertyNames',
      'dependencies',
      'multipleOf',
      '$schema',
      '$id',
      '__proto__',
    )
    const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>('object', '#', '#/$defs/a', true, false, null, 1),
        fc.array(tie('schema'), { maxLength: 3 }),
        fc.dictionary(keywords, tie('schema'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(keywords, schema, { noNullPrototype: true }),
        fc.jsonValue(),
        async (any, value) => {
          const args = value as Json // generated as JSON
          const { kind } = await checkArguments(any, { a: args, value: args })
          expect(['valid', 'invalid', 'unchecked']).toContain(kind)
        },
      ),
      { numRuns: 500 },
    )
  })
})
