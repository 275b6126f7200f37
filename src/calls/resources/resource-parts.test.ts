import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listResources, ownersOf, resourceTools } from './resource-tools.ts'
import { readResourceParts, toResourceOutput } from './resource-parts.ts'
import { expandTemplate, matchesTemplate, templateNames } from './uri-template.ts'
import { defaultPreset } from '../../presets/default-preset.ts'
import { createRender } from '../render/render.ts'

const renderDefault = createRender(defaultPreset.calling.render)

const blob = Buffer.from('hello').toString('base64')

describe('what a resource holds', () => {
  const contents = [
    { uri: 'file:///a', mimeType: 'text/plain', text: 'né' },
    { uri: 'file:///b', blob },
    { mimeType: 'x/y' },
    'no object',
  ]

  test('texts and blobs with their sizes', () => {
    expect(readResourceParts({ contents }, { uri: 'file:///asked' })).toEqual([
      { uri: 'file:///a', mimeType: 'text/plain', kind: 'text', text: 'né', bytes: 3 },
      { uri: 'file:///b', kind: 'blob', blob, bytes: 5 },
      { uri: 'file:///asked', mimeType: 'x/y', kind: 'empty', bytes: 0 },
    ])
  })

  test.each([null, [], {}, { contents: 5 }])('an answer of another form holds nothing: %j', (result) => {
    expect(readResourceParts(result, { uri: 'x:y' })).toEqual([])
  })

  test('T24 what does not fit is named, and what fits behind it is kept', () => {
    expect(readResourceParts({ contents }, { uri: 'x:y', maxBytes: 4 })).toEqual([
      { uri: 'file:///a', mimeType: 'text/plain', kind: 'text', text: 'né', bytes: 3 },
      { uri: 'file:///b', kind: 'too-large', bytes: 5 },
      { uri: 'x:y', mimeType: 'x/y', kind: 'empty', bytes: 0 },
    ])
  })

  test('C17 it is rendered as the blocks of a tool are', () => {
    const parts = [
      ...readResourceParts({ contents }, { uri: 'x:y' }),
      ...readResourceParts({ contents: contents.slice(1, 2) }, { uri: 'x:y', maxBytes: 4 }),
    ]
    expect(renderDefault(toResourceOutput(parts))).toBe(
      'né\n[resource: file:///b, 5 bytes]\n[resource: x:y, x/y]\n[resource: file:///b, 5 bytes: too large to be read]',
    )
  })
})

describe('templates of addresses', () => {
  test.each([
    ['file:///{path}', { path: 'a b/c?#é%' }, 'file:///a%20b%2Fc%3F%23%C3%A9%25'],
    ['x://{a}/{b}/{a}', { a: '1', b: '2' }, 'x://1/2/1'],
    ['x://{a}', { a: "!'()*-._~" }, 'x://%21%27%28%29%2A-._~'],
    ['x://{a}', { a: '{b}', b: 'no' }, 'x://%7Bb%7D'],
    ['x://{a}', { a: '\uD83C' }, 'x://%EF%BF%BD'],
    ['x://open{', {}, 'x://open{'],
    ['x://plain', {}, 'x://plain'],
  ])('%s', (template, values, uri) => {
    expect(expandTemplate(template, values)).toEqual({ kind: 'uri', uri })
  })

  test('what is missing is named, once', () => {
    expect(expandTemplate('x://{a}/{b}/{a}/{toString}', { b: '1' })).toEqual({
      kind: 'missing',
      names: ['a', 'toString'],
    })
    expect(templateNames('x://{a}/{b}/{a}{?c}')).toEqual(['a', 'b'])
  })

  test.each(['{+path}', '{?a,b}', '{a:3}', '{}'])('%s is not guessed at', (expression) => {
    expect(expandTemplate(`x://${expression}`, { path: '1', a: '1', b: '1' })).toEqual({
      kind: 'unsupported',
      expression,
    })
  })

  test('T45 whatever a value is, it stays one part of the address and comes back whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const expanded = expandTemplate('x://h/{v}/end', { v: value })
        const uri = expanded.kind === 'uri' ? expanded.uri : ''
        expect(uri).toMatch(/^x:\/\/h\/[A-Za-z0-9._~%-]*\/end$/)
        expect(decodeURIComponent(uri.slice(6, -4))).toBe(value)
      }),
    )
  })
})

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
        const expanded = expandTemplate('x://h/{a}/y-{b}', { a, b })
        expect(expanded.kind === 'uri' && matchesTemplate('x://h/{a}/y-{b}', expanded.uri)).toBe(true)
      }),
    )
  })

  test('T24 a template made to take long is not looked through', () => {
    expect(matchesTemplate('{a}x'.repeat(17), 'x'.repeat(2000))).toBe(false)
    expect(matchesTemplate('{+a}', 'x'.repeat(3000))).toBe(false)
    expect(matchesTemplate(`${'{+a}x'.repeat(16)}y`, 'x'.repeat(2000))).toBe(false)
  })
})

describe('D21 resources as tools', () => {
  const offered = [
    {
      server: 'fs',
      resource: { uri: 'file:///a', name: 'a', title: 'The A', mimeType: 'text/plain', size: 5 },
    },
    { server: 'fs', resource: { uriTemplate: 'file:///{path}', name: 'any', description: 'Any\nfile' } },
    { server: 'db', resource: { uri: 'file:///a', name: 'same' } },
  ]

  test('list_resources and read_resource, both of which only read', () => {
    expect(resourceTools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['list_resources', { readOnlyHint: true }],
      ['read_resource', { readOnlyHint: true }],
    ])
  })

  test('the list has one line for each', () => {
    expect(listResources(offered)).toBe(
      'fs: file:///a (text/plain, 5 bytes) – The A\nfs: template file:///{path} – any: Any file\ndb: file:///a – same',
    )
    expect(listResources(offered, { server: 'db' })).toBe('db: file:///a – same')
    expect(listResources(offered, { query: 'ANY' })).toBe('fs: template file:///{path} – any: Any file')
    expect(listResources(offered, { query: 'nothing' })).toBe('(no resources)')
  })

  test('a long list ends with how many more there are', () => {
    const many = Array.from({ length: 250 }, (_, index) => ({ server: 's', resource: { uri: `x:${index}` } }))
    const lines = listResources(many).split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([201, '[50 more: narrow it with "query" or "server"]'])
  })

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
