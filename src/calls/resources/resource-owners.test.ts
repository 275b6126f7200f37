import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesTemplate, ownersOf } from './resource-owners.ts'

describe('matchesTemplate (D21)', () => {
  test.each([
    ['x://{a}', 'x://b', true],
    ['x://{a}', 'x://', false],
    ['x://{a}', 'x://b/c', false],
    ['x://{a}/c', 'x://b/c', true],
    ['x://{a}-{b}', 'x://1-2-3', true],
    ['x://{+path}', 'x://b/c/d', true],
    ['x://{a}{?q*}', 'x://b?q=1', true],
    ['x://{a}', 'y://b', false],
    ['x://a', 'x://a', false],
    ['x://{a', 'x://{a', false],
    ['', '', false],
  ])('%j, %j: %s', (template, uri, isOne) => {
    expect(matchesTemplate(template, uri)).toBe(isOne)
  })

  test('a filled-in template matches itself', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        const uri = `x://h/${encodeURIComponent(a)}/y-${encodeURIComponent(b)}`
        expect(matchesTemplate('x://h/{a}/y-{b}', uri)).toBe(true)
      }),
    )
  })

  test('a template or URI that is made to take long does not match (T24)', () => {
    expect(matchesTemplate('{a}x'.repeat(17), 'x'.repeat(2000))).toBe(false)
    expect(matchesTemplate('{+a}', 'x'.repeat(3000))).toBe(false)
    expect(matchesTemplate(`${'{+a}x'.repeat(16)}y`, 'x'.repeat(2000))).toBe(false)
  })
})

describe('ownersOf (D21)', () => {
  const offered = [
    {
      server: 'fs',
      resource: { uri: 'file:///a', name: 'a', title: 'The A', mimeType: 'text/plain', size: 5 },
    },
    { server: 'fs', resource: { uriTemplate: 'file:///{path}', name: 'any', description: 'Any\nfile' } },
    { server: 'db', resource: { uri: 'file:///a', name: 'same' } },
  ]

  test('returns the servers that list a URI, else those with a matching template', () => {
    expect(['file:///a', 'file:///b', 'file:///b/c', 'note:b'].map((uri) => ownersOf(uri, offered))).toEqual([
      ['fs', 'db'],
      ['fs'],
      [],
      [],
    ])
  })

  test('a server with very many templates does not keep another one from being found (T23)', () => {
    const uri = `x:///${'a/'.repeat(1000)}`
    const hostile = Array.from({ length: 1000 }, (_, n) => ({
      server: 'a',
      resource: { uriTemplate: `x:///{+a}{+b}{+c}{+d}/${n}` },
    }))
    const offered = [...hostile, { server: 'b', resource: { uriTemplate: 'x:///{+path}' } }]
    expect(ownersOf(uri, offered)).toEqual(['b'])
    expect(ownersOf(uri, [...hostile, { server: 'a', resource: { uriTemplate: 'x:///{+path}' } }])).toEqual(
      [],
    )
  })
})
