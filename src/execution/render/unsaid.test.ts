import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isList, isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import { readOutput } from '../output.ts'
import { renderDefault } from './default.ts'

const text = (value: string) => ({ type: 'text', text: value })
const bytes = Buffer.from('a picture of something').toString('base64')
const image = { type: 'image', data: bytes, mimeType: 'image/png' }
const zip = { type: 'resource', resource: { uri: 'file:///b', mimeType: 'application/zip', blob: bytes } }
const readable = { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }
const entities = [{ name: 'Ada', observations: ['counts'] }]

const render = (structuredContent: Json | undefined, ...content: Json[]) =>
  renderDefault(readOutput(structuredContent === undefined ? { content } : { content, structuredContent }))
const fenced = (value: Json) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``

describe('C17 what is structured is left out where all of it is said', () => {
  test.each<[string, Json, Json[]]>([
    ['its text', { content: 'a file\nof lines\n' }, [text('a file\nof lines\n')]],
    ['its text, which is JSON', { content: '[{"name":"a"}]' }, [text('[{"name":"a"}]')]],
    ['its text among others', { content: 'a.txt' }, [text('[FILE] a.txt\n[DIR] b')]],
    ['its JSON, in another spacing', { a: 1, b: [2] }, [text('{\n  "b": [ 2 ],\n  "a": 1\n}')]],
    ['the JSON of its only member', { entities }, [text(JSON.stringify(entities, null, 2))]],
    ['the JSON of each of its members', { entities, at: [1] }, [text(JSON.stringify(entities)), text('[1]')]],
    ['JSON that has more', { a: 1, list: [{ b: 2 }] }, [text('{"a":1,"list":[{"b":2,"c":3}],"d":4}')]],
    ['each item as a text', { results: ['x', { y: 1 }] }, [text('x'), text('{"y":1}')]],
    ['a JSON text', { result: 'two\nlines' }, [text('"two\\nlines"')]],
    ['a number, written in another way', { result: 5 }, [text('5.0')]],
    [
      'words and numbers of a sentence',
      { city: 'New York', temperature: -3.5, wind: null, rain: false },
      [text('New York: -3.5 °C, rain false, wind null.')],
    ],
    ['the same word twice', { from: 'here', to: 'here' }, [text('It stays here.')]],
    ['no words', { content: '', note: ' \n' }, [text('done')]],
    ['the image that is a block', { content: [image] }, [image]],
    ['the image alone', { picture: bytes, kind: 'image/png' }, [image]],
    ['the resource that is a block', { content: [zip] }, [zip]],
    ['all blocks', { content: [text('Here it is'), image] }, [text('Here it is'), image]],
    ['the text of a resource', { content: [{ type: 'resource', resource: { text: 'inside' } }] }, [readable]],
  ])('%s', (_, structured, content) => {
    expect(render(structured, ...content)).toBe(render(undefined, ...content))
  })

  test.each<[string, Json, Json[]]>([
    ['a truth', { success: true, message: 'Deleted.' }, [text('Deleted.')]],
    ['the same words about others', { a: 1, b: 2 }, [text('{"a":2,"b":1}')]],
    ['a list of which the JSON has more', { list: [1] }, [text('{"list":[1,2]}')]],
    ['nothing at all', { results: [] }, [text('No results')]],
    ['an object without members', {}, [text('done')]],
    ['a part of a number', { a: 1 }, [text('10')]],
    ['a part of a fraction', { a: 1 }, [text('1.5 0.1 .1')]],
    ['a number without its sign', { a: 1 }, [text('-1')]],
    ['a part of a date', { a: 1 }, [text('1-2-2020 12:1 1/2')]],
    ['a part of a word', { a: 'cat', b: true }, [text('concatenate truely')]],
    ['a part of a word of another script', { a: 'für' }, [text('dafür')]],
    ['a long text with another end', { a: `${'x'.repeat(100)}y` }, [text('x'.repeat(200))]],
    ['a resource that is not shown', { content: [readable] }, [readable]],
    ['the kind of a block', { column: { type: 'text' } }, [text('done')]],
    [
      'what is only about a block',
      { content: [{ ...text('a'), annotations: { priority: 1 } }] },
      [text('a')],
    ],
  ])('not where it is not: %s', (_, structured, content) => {
    expect(render(structured, ...content)).toBe(`${render(undefined, ...content)}\n${fenced(structured)}`)
  })
})

describe('C17 bytes are never shown as base64', () => {
  const mark = '[image: image/png, 22 bytes]'

  test.each<[string, Json, Json[], Json]>([
    ['of a block', { ok: true, picture: bytes }, [image], { ok: true, picture: mark }],
    [
      'of a block that is in it again',
      { ok: true, list: [image] },
      [image],
      { ok: true, list: [{ ...image, data: mark }] },
    ],
    ['of one that only it has', { list: [image] }, [], { list: [{ ...image, data: mark }] }],
    [
      'of a resource that only it has',
      zip,
      [],
      {
        type: 'resource',
        resource: { ...zip.resource, blob: '[resource: file:///b, application/zip, 22 bytes]' },
      },
    ],
    [
      'but what is no base64 is',
      { ...image, data: 'https://x.y/z.png' },
      [],
      { ...image, data: 'https://x.y/z.png' },
    ],
    ['and data of no block is', { data: bytes }, [], { data: bytes }],
  ])('%s', (_, structured, content, shown) => {
    expect(render(structured, ...content)).toBe(
      [...content.map((each) => render(undefined, each)), fenced(shown)].join('\n'),
    )
  })

  test('a member __proto__ is one like others', () => {
    const structured = JSON.parse(`{"__proto__":${JSON.stringify(image)},"b":1}`) as Json
    expect(render(structured)).toBe(
      fenced(JSON.parse(`{"__proto__":${JSON.stringify({ ...image, data: mark })},"b":1}`) as Json),
    )
  })
})

/** What is said, found out in the slowest way: every value of it stands in the text, or is one of the blocks'. */
function isSaidSomewhere(value: Json, shown: string, blocks: readonly Block[]): boolean {
  if (isList(value)) return value.every((item) => isSaidSomewhere(item, shown, blocks))
  if (isObject(value)) return Object.values(value).every((item) => isSaidSomewhere(item, shown, blocks))
  if (typeof value !== 'string') return isWord(String(value), shown)
  const words = value.trim()
  const ofBlocks = blocks.flatMap(({ type, data }) => [type, data])
  return (
    shown.includes(words) || shown.includes(JSON.stringify(words).slice(1, -1)) || ofBlocks.includes(words)
  )
}

function isWord(word: string, shown: string): boolean {
  const pattern = word.replaceAll(/[.+]/g, '[$&]')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'u').test(shown)
}

const leaf = fc.oneof(
  fc.constantFrom<Json>('a', 'b c', 'ab', 'text', 'image', bytes, true, false, null, '', '1'),
  fc.integer({ min: -20, max: 120 }),
  fc.constantFrom(0.5, 1.5, 1e21),
  fc.string({ maxLength: 6, unit: 'grapheme' }),
)
const value = fc.letrec<{ readonly value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'type', 'text', 'data', 'content'), tie('value'), { maxKeys: 4 }),
    fc.constantFrom<Json>(image, text('a')),
  ),
})).value

const leavesOf = (each: Json): readonly string[] => {
  if (isList(each)) return each.flatMap(leavesOf)
  return isObject(each) ? Object.values(each).flatMap(leavesOf) : [String(each)]
}

/** Texts that say a value in one of many ways, or something like it. */
const saying = (structured: Json, other: Json) => {
  const members = isObject(structured) ? Object.values(structured) : [structured]
  return fc.constantFrom(
    JSON.stringify(structured),
    JSON.stringify(structured, null, 2),
    ...members.map((each) => JSON.stringify(each)),
    JSON.stringify(other),
    leavesOf(structured).join(' '),
    leavesOf(structured).join('\n'),
    leavesOf(structured).join(''),
    leavesOf(other).join(', '),
  )
}

const results = fc
  .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'type', 'data'), value, { minKeys: 1 }), value)
  .chain(([structured, other]) =>
    fc.record({
      structured: fc.constant(structured),
      content: fc.array(fc.oneof(saying(structured, other).map(text), fc.constant(image)), { maxLength: 3 }),
    }),
  )

test('C17 what is left out is said in what is shown', () => {
  let left = 0
  fc.assert(
    fc.property(results, ({ structured, content }) => {
      const shown = render(undefined, ...content)
      if (render(structured, ...content) !== shown) return
      left++
      expect(isSaidSomewhere(structured, shown, content)).toBe(true)
    }),
    { numRuns: 1500 },
  )
  expect(left).toBeGreaterThan(150)
})

test('C17 its JSON says all of it, in any spacing and among any other texts', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), value),
      fc.nat(8),
      fc.array(fc.string()),
      (structured, spaces, others) => {
        const content = [...others, ` ${JSON.stringify(structured, null, spaces)}\n`].map(text)
        expect(render(structured, ...content)).toBe(render(undefined, ...content))
      },
    ),
  )
})

describe('T42 what a hostile server sends is looked at no longer than it is long, and then shown whole', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)

  test.each<[string, () => { readonly structured: Json; readonly said: readonly string[] }]>([
    [
      'texts that all stand at the end',
      () => ({
        structured: words(100_000).reverse(),
        said: [`${'x '.repeat(5_000_000)}${words(100_000).join(' ')}`],
      }),
    ],
    [
      'a letter that is a part of every word',
      () => ({ structured: { a: 'a' }, said: ['a'.repeat(10_000_000)] }),
    ],
    [
      'a text that is nearly found everywhere',
      () => ({
        structured: { a: `${'a'.repeat(2_000_000)}b${'a'.repeat(2_000_000)}` },
        said: ['a'.repeat(10_000_000)],
      }),
    ],
    [
      'many keys against many texts',
      () => ({
        structured: { x: Object.fromEntries(words(100_000).map((word) => [word, 1])) },
        said: Array.from({ length: 50_000 }, () => '{"x":{}}'),
      }),
    ],
    [
      'long texts that differ at their end',
      () => ({
        structured: Array.from({ length: 300 }, (_, at) => ({ text: `${'y'.repeat(20_000)}${at + 1000}` })),
        said: Array.from({ length: 300 }, (_, at) => `{"text":"${'y'.repeat(20_000)}${at + 2000}"}`),
      }),
    ],
  ])('%s', (_, make) => {
    const { structured, said } = make()
    expect(render(structured, ...said.map(text)) === [...said, fenced(structured)].join('\n')).toBe(true)
  })

  test('100,000 letters, each of them said', () => {
    const structured = Array.from({ length: 100_000 }, (_, at) => String.fromCharCode(97 + (at % 26)))
    const said = text(`${'xx '.repeat(3_000_000)}${structured.slice(0, 26).join(' ')}`)
    expect(render(structured, said) === said.text).toBe(true)
  })

  test('nesting without end against nesting', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json
    const said = Array.from({ length: 20 }, () => text(`${'['.repeat(3000)}${']'.repeat(3000)}`))
    expect(render(deep, ...said)).toBe(
      `${render(undefined, ...said)}\n${fenced('(nested too deep to be shown)')}`,
    )
  })
})
