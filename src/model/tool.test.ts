import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRef, toRef } from './tool.ts'

test('toRef and fromRef: server and tool survive the round trip, whatever the name of the server', () => {
  expect(toRef('github', 'search')).toBe('github/search')
  expect(toRef('a/b%2F', 'c/d')).toBe('a%2Fb%252F/c/d')
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (server, tool) => {
      expect(fromRef(toRef(server, tool))).toEqual({ server, tool })
    }),
  )
})

test.each(['', 'github', '/tool', 'github/'])('fromRef: %j is not a ref', (text) => {
  expect(fromRef(text)).toBeUndefined()
})
