import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvelopeScanner, topLevelId } from './envelope-scanner.ts'

const plainId = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
)
const anyId = fc.oneof(plainId, fc.constantFrom(null, true, [1], { id: 2 }))
const other = fc.jsonValue({ maxDepth: 4 })
const key = fc.oneof(fc.constantFrom('jsonrpc', 'result', 'error', 'id ', 'Id', '"id":1,', '\\'), fc.string())
const member = fc.oneof(fc.tuple(fc.constant('id'), anyId), fc.tuple(key, other))
const blank = fc.constantFrom('', ' ', '\t', '\r', '  ')

/** Objects as a server may write them: white space anywhere, duplicate keys, escaped letters. */
const message = fc
  .tuple(fc.array(fc.tuple(member, blank, fc.boolean()), { maxLength: 6 }), blank)
  .map(([members, last]) => {
    const texts = members.map(([[name, value], space, isEscaped]) => {
      const quoted = isEscaped && name === 'id' ? '"\\u0069d"' : JSON.stringify(name)
      return `${space}${quoted}${space}:${space}${JSON.stringify(value)}${space}`
    })
    return `${last}{${last}${texts.join(',')}}${last}`
  })

function idByParsing(text: string): unknown {
  const { id, method } = JSON.parse(text) as { readonly id?: unknown; readonly method?: unknown }
  if (method !== undefined) return undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

describe('D-10 envelope scanner: the id of a message', () => {
  test('is the id that JSON.parse finds (property)', () => {
    fc.assert(
      fc.property(message, (text) => {
        expect(topLevelId(text)).toEqual(idByParsing(text))
      }),
      { numRuns: 1000 },
    )
  })

  test('is found for any split of the message into pieces (property)', () => {
    fc.assert(
      fc.property(message, fc.array(fc.nat(40), { minLength: 1 }), (text, lengths) => {
        const scanner = new EnvelopeScanner()
        const bytes = Buffer.from(text)
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 0
          scanner.push(bytes.subarray(at, at + Math.max(1, length)))
          at += Math.max(1, length)
        }
        expect(scanner.answers).toEqual(idByParsing(text))
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['in a message that is cut off later', '{"jsonrpc":"2.0","id":7,"result":{"a":[1,', 7],
    [
      'after a deeply nested result',
      `{"result":${'['.repeat(9000)}"]"${']'.repeat(9000)},"id":"a-1"}`,
      'a-1',
    ],
    ['after a long text', `{"result":"${'\\"},{'.repeat(90_000)}","id":3}`, 3],
    ['after a byte order mark', '\uFEFF{"id":1}', 1],
    ['if another object follows', '{"id":1}{"id":2}', 1],
    ['after long white space', `{${' '.repeat(9000)}"id"  :${' '.repeat(9000)}5 }`, 5],
  ])('is found %s', (_, text, id) => {
    expect(topLevelId(text)).toBe(id)
  })

  test.each([
    ['in a nested object', '{"result":{"id":1}}'],
    ['in a batch', '[{"id":1}]'],
    ['in a string', '{"a":"\\"id\\":1,"}'],
    ['in noise', 'ready {"id":1}'],
    ['if it is cut off', '{"id":12'],
    ['if it is longer than any id of ours', `{"id":"${'x'.repeat(300)}"}`],
    ['if it is not a JSON token', '{"id":1x,"b":2}'],
    ['in an empty text', ''],
  ])('is not found %s', (_, text) => {
    expect(topLevelId(text)).toBeUndefined()
  })

  test('of a request or a notification from the server is not reported as an answer', () => {
    const scanner = new EnvelopeScanner()
    scanner.pushText('{"id":1,"params":{"a":[]},"method":"sampling/createMessage"}')
    expect([scanner.answers, scanner.hasMethod]).toEqual([undefined, true])
  })
})
