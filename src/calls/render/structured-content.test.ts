import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalize } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'
import { readOutput } from '../tool-output.ts'
import { defaultPreset } from '../../presets/default-preset.ts'
import { createRender } from './render.ts'

const renderDefault = createRender(defaultPreset.calling.render)

const text = (value: string) => ({ type: 'text', text: value })
const bytes = Buffer.from('a picture of something').toString('base64')
const image = { type: 'image', data: bytes, mimeType: 'image/png' }
const zip = { type: 'resource', resource: { uri: 'file:///b', mimeType: 'application/zip', blob: bytes } }
const entities = [{ name: 'Ada', observations: ['counts'] }]

const render = (structuredContent: Json | undefined, ...content: Json[]) =>
  renderDefault(readOutput(structuredContent === undefined ? { content } : { content, structuredContent }))
const fenced = (value: Json) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``

describe('renderStructured: omitted if the blocks show all of it (C17)', () => {
  test.each<[string, Json, Json[]]>([
    ['its text', { content: 'a file\nof lines\n' }, [text('a file\nof lines\n')]],
    ['its text, which is JSON', { content: '[{"name":"a"}]' }, [text('[{"name":"a"}]')]],
    ['all its texts', { content: 'a\nb' }, [text('a'), text('b')]],
    ['its JSON, in another spacing', { a: 1, b: [2] }, [text('{\n  "b": [ 2 ],\n  "a": 1\n}')]],
    ['the JSON of its only member', { entities }, [text(JSON.stringify(entities, null, 2))]],
    ['each item as a text', { results: ['x', { y: 1 }] }, [text('x'), text('{"y":1}')]],
    ['a JSON text', { result: 'two\nlines' }, [text('"two\\nlines"')]],
    ['a number, written in another way', { result: 5 }, [text('5.0')]],
    ['the image that is a block', { content: [image] }, [image]],
    ['the resource that is a block', { content: [zip] }, [zip]],
    ['all blocks', { content: [text('Here it is'), image] }, [text('Here it is'), image]],
    ['a block with annotations', { content: [{ ...text('a'), annotations: { priority: 1 } }] }, [text('a')]],
  ])('%s', (_, structured, content) => {
    expect(render(structured, ...content)).toBe(render(undefined, ...content))
  })

  test.each<[string, Json, Json[]]>([
    ['a boolean that the text lacks', { success: true, message: 'Deleted.' }, [text('Deleted.')]],
    [
      'a number that the text uses for another member',
      { open: 3, closed: 3 },
      [text('There are 3 open issues.')],
    ],
    ['numbers that contradict it', { passed: 3, failed: 7 }, [text('7 passed, 3 failed')]],
    ['a word that occurs in a sentence', { status: 'open' }, [text('I could not open the file')]],
    [
      'a boolean that the text uses for something else',
      { success: false, msg: 'done' },
      [text('done. set verbose to false')],
    ],
    ['one text for two members', { from: 'here', to: 'here' }, [text('here')]],
    ['one JSON for two members', { before: { b: 1 }, after: { b: 1 } }, [text('{"b":1}')]],
    ['the same values for other keys', { a: 1, b: 2 }, [text('{"a":2,"b":1}')]],
    ['JSON with more keys', { a: 1 }, [text('{"a":1,"b":2}')]],
    ['an empty list', { results: [] }, [text('No results')]],
    ['an object without members', {}, [text('done')]],
    ['a part of a text', { a: 'cat' }, [text('a cat')]],
    ['another image', { content: [{ ...image, mimeType: 'image/gif' }] }, [text('x')]],
    ['a member that looks like a block type', { column: { type: 'text' } }, [text('done')]],
  ])('shown: %s', (_, structured, content) => {
    const shown = fenced(structured).replaceAll(bytes, '[image: image/gif, 22 bytes]')
    expect(render(structured, ...content)).toBe(`${render(undefined, ...content)}\n${shown}`)
  })
})

describe('renderStructured: base64 is replaced by a placeholder (C17)', () => {
  const mark = '[image: image/png, 22 bytes]'

  test.each<[string, Json, Json[], Json]>([
    ['data of a block', { ok: true, picture: bytes }, [image], { ok: true, picture: mark }],
    [
      'data of a block that the content repeats',
      { ok: true, list: [image] },
      [image],
      { ok: true, list: [{ ...image, data: mark }] },
    ],
    ['an image that only the content has', { list: [image] }, [], { list: [{ ...image, data: mark }] }],
    [
      'a resource that only the content has',
      zip,
      [],
      {
        type: 'resource',
        resource: { ...zip.resource, blob: '[resource: file:///b, application/zip, 22 bytes]' },
      },
    ],
    [
      'not: data that is not base64',
      { ...image, data: 'https://x.y/z.png' },
      [],
      { ...image, data: 'https://x.y/z.png' },
    ],
    ['not: base64 that belongs to no block', { data: bytes }, [], { data: bytes }],
  ])('%s', (_, structured, content, shown) => {
    expect(render(structured, ...content)).toBe(
      [...content.map((each) => render(undefined, each)), fenced(shown)].join('\n'),
    )
  })

  test('a key __proto__ is an ordinary key', () => {
    const structured = JSON.parse(`{"__proto__":${JSON.stringify(image)},"b":1}`) as Json
    expect(render(structured)).toBe(
      fenced(JSON.parse(`{"__proto__":${JSON.stringify({ ...image, data: mark })},"b":1}`) as Json),
    )
  })
})

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

test('renderStructured: omitted if a text is its JSON, in any spacing and among other texts (C17)', () => {
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

test('renderStructured: omitted content can be read back from the shown texts (C17)', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b'), value),
      fc.array(value, { maxLength: 2 }),
      (structured, said) => {
        const texts = said.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
        const content = texts.map(text)
        if (render(structured, ...content) !== render(undefined, ...content)) return
        const [only, ...others] = Object.values(structured)
        const ways = [structured, ...(others.length === 0 && only !== undefined ? [only] : [])].map((way) =>
          JSON.stringify(way),
        )
        const shown = [texts.join('\n'), ...texts, JSON.stringify(said)].flatMap((each) => [
          JSON.stringify(each.trim()),
          canonical(each),
        ])
        expect(ways.some((way) => shown.includes(canonical(way)) || shown.includes(trimmed(way)))).toBe(true)
      },
    ),
    { numRuns: 1500 },
  )
})

/** Normalizes JSON; a text that is not JSON stays as it is. */
function canonical(json: string): string {
  try {
    return canonicalize(JSON.parse(json) as Json)
  } catch {
    return json
  }
}

function trimmed(json: string): string {
  const read = JSON.parse(json) as Json
  return typeof read === 'string' ? JSON.stringify(read.trim()) : json
}

describe('renderStructured: hostile content takes linear time and is shown whole (T42)', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)

  test.each<[string, () => { readonly structured: Json; readonly texts: readonly string[] }]>([
    [
      'words at the end of a long text',
      () => ({
        structured: words(100_000).reverse(),
        texts: [`${'x '.repeat(5_000_000)}${words(100_000).join(' ')}`],
      }),
    ],
    [
      'a letter that is a part of every word',
      () => ({ structured: { a: 'a' }, texts: ['a'.repeat(10_000_000)] }),
    ],
    [
      'a text that almost matches everywhere',
      () => ({
        structured: { a: `${'a'.repeat(2_000_000)}b${'a'.repeat(2_000_000)}` },
        texts: ['a'.repeat(10_000_000)],
      }),
    ],
    [
      'many keys against many texts',
      () => ({
        structured: { x: Object.fromEntries(words(100_000).map((word) => [word, 1])) },
        texts: Array.from({ length: 50_000 }, () => '{"x":{}}'),
      }),
    ],
    [
      'long texts that differ at their end',
      () => ({
        structured: Array.from({ length: 300 }, (_, at) => ({ text: `${'y'.repeat(20_000)}${at + 1000}` })),
        texts: Array.from({ length: 300 }, (_, at) => `{"text":"${'y'.repeat(20_000)}${at + 2000}"}`),
      }),
    ],
    [
      'a long text against many of its length',
      () => ({
        structured: { a: `${'y'.repeat(20_000)}1` },
        texts: Array.from({ length: 500 }, () => `${'y'.repeat(20_000)}2`),
      }),
    ],
  ])('%s', (_, make) => {
    const { structured, texts } = make()
    expect(render(structured, ...texts.map(text)) === [...texts, fenced(structured)].join('\n')).toBe(true)
  })
})

test('renderStructured: deeply nested content against deeply nested texts becomes a notice (T42)', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json
  const texts = Array.from({ length: 20 }, () => text(`${'['.repeat(3000)}${']'.repeat(3000)}`))
  expect(render(deep, ...texts)).toBe(
    `${render(undefined, ...texts)}\n${fenced('(nested too deep to be shown)')}`,
  )
})
