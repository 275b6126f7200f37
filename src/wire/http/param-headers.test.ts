import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../model/json.ts'
import { encodeHeaderValue } from './message-headers.ts'
import { readParamHeaders, toParamHeaders } from './param-headers.ts'

const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const annotated = (name: unknown, type: unknown = 'string') =>
  ({ type, 'x-mcp-header': name }) as unknown as JsonObject // includes values that the types forbid

test('param headers: annotations are found at any depth of properties, for all allowed types', () => {
  const found = readParamHeaders(
    schema({
      region: annotated('Region'),
      depth: annotated('Depth', 'integer'),
      verbose: annotated('Verbose', 'boolean'),
      method: annotated('Method'),
      plain: { type: 'number' },
      nested: schema({ 'a.b': annotated('Inner') }),
    }),
  )
  expect(found).toEqual([
    { header: 'Mcp-Param-Region', path: ['region'] },
    { header: 'Mcp-Param-Depth', path: ['depth'] },
    { header: 'Mcp-Param-Verbose', path: ['verbose'] },
    { header: 'Mcp-Param-Method', path: ['method'] },
    { header: 'Mcp-Param-Inner', path: ['nested', 'a.b'] },
  ])
})

test('param headers: an argument named x-mcp-header and data values are not annotations', () => {
  const input = schema({
    'x-mcp-header': { type: 'string' },
    other: { type: 'object', default: { 'x-mcp-header': 'X' }, enum: [{ 'x-mcp-header': 'X' }] },
  })
  expect(readParamHeaders(input)).toEqual([])
})

describe('T25 param headers: a bad annotation is reported with the reason', () => {
  const nowhere = 'an x-mcp-header is in a place where the schema alone does not identify an argument'
  const bad: readonly (readonly [string, JsonObject, string])[] = [
    ['an empty name', schema({ a: annotated('') }), 'the x-mcp-header of "a" is not a header name'],
    ['a number as name', schema({ a: annotated(7) }), 'the x-mcp-header of "a" is not a header name'],
    [
      'a name with a space',
      schema({ a: annotated('My Region') }),
      'the x-mcp-header of "a" is not a header name',
    ],
    [
      'a name with a colon',
      schema({ a: annotated('Region:1') }),
      'the x-mcp-header of "a" is not a header name',
    ],
    [
      'a name with a line break',
      schema({ a: annotated('A\r\nB: c') }),
      'the x-mcp-header of "a" is not a header name',
    ],
    [
      'a name that is not ASCII',
      schema({ a: annotated('Région') }),
      'the x-mcp-header of "a" is not a header name',
    ],
    [
      'Authorization',
      schema({ a: annotated('Authorization') }),
      'the x-mcp-header of "a" uses the reserved name Authorization',
    ],
    ['a cookie', schema({ a: annotated('cookie') }), 'the x-mcp-header of "a" uses the reserved name cookie'],
    ['Host', schema({ a: annotated('HOST') }), 'the x-mcp-header of "a" uses the reserved name HOST'],
    [
      'a name of the protocol',
      schema({ a: annotated('Mcp-Name') }),
      'the x-mcp-header of "a" uses the reserved name Mcp-Name',
    ],
    ...['object', 'array', 'null', 'number', ''].map(
      (type) =>
        [
          `the type ${type}`,
          schema({ a: annotated('A', type) }),
          'the x-mcp-header of "a" is not on a string, integer or boolean',
        ] as const,
    ),
    [
      'several types',
      schema({ a: annotated('A', ['string', 'null']) }),
      'the x-mcp-header of "a" is not on a string, integer or boolean',
    ],
    [
      'the same name twice, in another case',
      schema({ a: annotated('Region'), b: annotated('region') }),
      'the x-mcp-header of "b" uses the name region a second time',
    ],
    ['on the root', { ...schema({}), 'x-mcp-header': 'A' }, nowhere],
    ['in items', schema({ a: { type: 'array', items: annotated('A') } }), nowhere],
    ['in oneOf', schema({ a: { oneOf: [annotated('A')] } }), nowhere],
    ['in additionalProperties', schema({}, { additionalProperties: annotated('A') }), nowhere],
    ['in patternProperties', schema({}, { patternProperties: { '^a': annotated('A') } }), nowhere],
    ['in $defs', schema({}, { $defs: { a: annotated('A') } }), nowhere],
    ['on a property below items', schema({ a: { items: schema({ b: annotated('A') }) } }), nowhere],
  ]
  test.each(bad)('%s', (_name, input, reason) => {
    expect(readParamHeaders(input)).toBe(reason)
  })
})

test('param headers: arguments become headers; absent, null and unsafe ones do not', () => {
  const headers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
    header: `Mcp-Param-${name}`,
    path: [name],
  }))
  const args = { a: 'us-west1', b: 42, c: false, d: null, e: { x: 1 }, f: 2 ** 60 }
  expect(toParamHeaders([...headers, { header: 'Mcp-Param-G', path: ['e', 'x'] }], args)).toEqual({
    'Mcp-Param-a': 'us-west1',
    'Mcp-Param-b': '42',
    'Mcp-Param-c': 'false',
    'Mcp-Param-G': '1',
  })
  expect(toParamHeaders(headers, undefined)).toEqual({})
  expect(toParamHeaders([{ header: 'Mcp-Param-P', path: ['constructor'] }], {})).toEqual({})
})

test.each([
  ['plain text', 'plain text'],
  ['~!@#$%^&*()', '~!@#$%^&*()'],
  ['', '=?base64??='],
  [' x', '=?base64?IHg=?='],
  ['x ', '=?base64?eCA=?='],
  ['a\tb', '=?base64?YQli?='],
  ['a\r\nb: c', '=?base64?YQ0KYjogYw==?='],
  ['Grüße', '=?base64?R3LDvMOfZQ==?='],
  ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
])('param headers: %j is sent as %s', (value, encoded) => {
  expect(encodeHeaderValue(value)).toBe(encoded)
})
