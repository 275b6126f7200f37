import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRef, toRef } from './tool.ts'

test('a ref is the server and the tool, whatever a server is called', () => {
  expect(toRef('github', 'search')).toBe('github/search')
  expect(toRef('a/b%2F', 'c/d')).toBe('a%2Fb%252F/c/d')
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (server, tool) => {
      expect(fromRef(toRef(server, tool))).toEqual({ server, tool })
    }),
  )
})

test.each(['', 'github', '/tool', 'github/'])('%j is no ref', (text) => {
  expect(fromRef(text)).toBeUndefined()
})
