import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesTemplate, ownersOf } from './resource-owners.ts'

describe('D21 whether an address is one of a template', () => {
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

  test('what a template is filled in to is one of it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        const uri = `x://h/${encodeURIComponent(a)}/y-${encodeURIComponent(b)}`
        expect(matchesTemplate('x://h/{a}/y-{b}', uri)).toBe(true)
      }),
    )
  })

  test('T24 a template made to take long is not looked through', () => {
    expect(matchesTemplate('{a}x'.repeat(17), 'x'.repeat(2000))).toBe(false)
    expect(matchesTemplate('{+a}', 'x'.repeat(3000))).toBe(false)
    expect(matchesTemplate(`${'{+a}x'.repeat(16)}y`, 'x'.repeat(2000))).toBe(false)
  })
})

describe('D21 whose an address is', () => {
  const offered = [
    {
      server: 'fs',
      resource: { uri: 'file:///a', name: 'a', title: 'The A', mimeType: 'text/plain', size: 5 },
    },
    { server: 'fs', resource: { uriTemplate: 'file:///{path}', name: 'any', description: 'Any\nfile' } },
    { server: 'db', resource: { uri: 'file:///a', name: 'same' } },
  ]

  test('an address is of those who list it, else of those with a template for it', () => {
    expect(['file:///a', 'file:///b', 'file:///b/c', 'note:b'].map((uri) => ownersOf(uri, offered))).toEqual([
      ['fs', 'db'],
      ['fs'],
      [],
      [],
    ])
  })

  test('T23 one server cannot list so many templates that another one is not found', () => {
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
