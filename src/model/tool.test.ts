import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRef, isForModels, toRef } from './tool.ts'

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

test.each([
  [undefined, true],
  [['model', 'app'], true],
  [['app'], false],
  [[], false],
  ['app', false],
  ['model', false],
  [{}, false],
  [1, false],
])('visibility %j of a tool: %s for models; another form than a list allows nothing', (visibility, is) => {
  const ui = visibility === undefined ? {} : { visibility }
  const tool = { name: 't', inputSchema: { type: 'object' } } as const
  expect(isForModels({ ...tool, _meta: { ui } })).toBe(is)
  expect(isForModels({ ...tool, _meta: { 'ui/visibility': visibility ?? ['model'] } })).toBe(is)
})
