import { describe, expect, test } from 'vitest'
import { parsePairs } from './tool-arguments.ts'
import { parseRef, toRef } from './tool-ref.ts'

describe('a tool ref', () => {
  test.each([
    ['server/tool', { server: 'server', tool: 'tool' }],
    ['a/b/c', { server: 'a', tool: 'b/c' }],
    ['team%2Fa/tool', { server: 'team/a', tool: 'tool' }],
    ['team%2fa/x%2Fy', { server: 'team/a', tool: 'x%2Fy' }],
    ['100%25/tool', { server: '100%', tool: 'tool' }],
    ['100%/tool', { server: '100%', tool: 'tool' }],
  ])('%s', (ref, parts) => {
    expect(parseRef(ref)).toEqual(parts)
  })

  test.each(['', 'server', 'server/', '/tool', '/'])('"%s" is none', (ref) => {
    expect(() => parseRef(ref)).toThrow('names no tool')
  })

  test.each(['plain', 'team/a', '100%', 'a%2Fb', '%', '/'])(
    'of the server "%s" comes back to it',
    (server) => {
      expect(parseRef(toRef(server, 'x/y'))).toEqual({ server, tool: 'x/y' })
    },
  )
})

describe('arguments as key=value', () => {
  const read = (words: readonly string[], properties = {}) => parsePairs(words)({ properties })

  test('what is JSON is read as such, anything else is a text', () => {
    expect(read(['a=1', 'b=-0.5', 'c=true', 'd=null', 'e={"x":[1]}', 'f="1"', 'g=two words', 'h='])).toEqual({
      a: 1,
      b: -0.5,
      c: true,
      d: null,
      e: { x: [1] },
      f: '1',
      g: 'two words',
      h: '',
    })
  })

  test('a number that would lose something stays a text', () => {
    expect(read(['a=007', 'b=1.10', 'c=1e3', 'd=12345678901234567890'])).toEqual({
      a: '007',
      b: '1.10',
      c: '1e3',
      d: '12345678901234567890',
    })
  })

  test('where the tool wants a text it gets one', () => {
    const properties = { id: { type: 'string' }, any: { type: ['string', 'number'] }, odd: true }
    expect(read(['id=5', 'any=5', 'odd=5', 'other=5'], properties)).toEqual({
      id: '5',
      any: 5,
      odd: 5,
      other: 5,
    })
  })

  test('a key of every object is no property of the tool', () => {
    expect(read(['toString=1', '__proto__=1'])).toEqual(
      Object.fromEntries([
        ['toString', 1],
        ['__proto__', 1],
      ]),
    )
  })

  test.each(['word', '=value', ''])('"%s" is none', (word) => {
    expect(() => parsePairs([word])).toThrow('is no argument')
  })
})
