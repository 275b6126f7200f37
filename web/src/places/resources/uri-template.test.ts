import { expect, test } from 'vitest'
import { expandTemplate, variablesOf } from './uri-template.ts'

test('a template names its variables once', () => {
  expect(variablesOf('repo://{owner}/{repo}/files{/path*}{?ref,owner}')).toEqual([
    'owner',
    'repo',
    'path',
    'ref',
  ])
  expect(variablesOf('file:///readme')).toEqual([])
})

test.each([
  ['file:///{path}', { path: 'a b/c' }, 'file:///a%20b%2Fc'],
  ['file:///{+path}', { path: 'a b/c' }, 'file:///a%20b/c'],
  ['x://a{/b,c}{?d,e}{&f}', { b: '1', c: '2', e: '3', f: '4' }, 'x://a/1/2?e=3&f=4'],
  ['x://a{?d}', {}, 'x://a'],
  ['x://{a}{#b}', { a: 'é', b: 'top' }, 'x://%C3%A9#top'],
  ['x://{', { a: '1' }, 'x://{'],
])('%s with %j is %s', (template, values, expected) => {
  expect(expandTemplate(template, values)).toBe(expected)
})
