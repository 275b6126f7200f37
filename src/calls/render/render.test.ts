import { describe, expect, test } from 'vitest'
import type { Json } from '../../model/json.ts'
import { readOutput } from '../tool-output.ts'
import { boocodePreset } from '../../presets/boocode-preset.ts'
import { defaultPreset } from '../../presets/default-preset.ts'
import { dispatchPreset } from '../../presets/dispatch-preset.ts'
import { ompPreset } from '../../presets/omp-preset.ts'
import { createRender } from './render.ts'

const renderBoocode = createRender(boocodePreset.calling.render)
const renderDefault = createRender(defaultPreset.calling.render)
const renderDispatch = createRender(dispatchPreset.calling.render)
const renderOmp = createRender(ompPreset.calling.render)

const text = (value: string) => ({ type: 'text', text: value })
const base64 = Buffer.from('hello').toString('base64')
const image = { type: 'image', data: base64, mimeType: 'image/png' }
const readable = { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'inside' } }
const binary = { type: 'resource', resource: { uri: 'file:///b', mimeType: 'application/zip', blob: base64 } }
const link = { type: 'resource_link', uri: 'file:///c', name: 'c.md' }
const of = (...content: Json[]) => readOutput({ content })

describe('createRender: default (C17)', () => {
  test.each<[string, Json, string]>([
    ['texts, joined by line ends', [text('a'), text('b')], 'a\nb'],
    ['an image by its type and size', [image], '[image: image/png, 5 bytes]'],
    [
      'audio by its type and size',
      [{ ...image, type: 'audio', mimeType: 'audio/wav' }],
      '[audio: audio/wav, 5 bytes]',
    ],
    ['an image without a type', [{ type: 'image', data: base64 }], '[image: unknown type, 5 bytes]'],
    ['a resource as its text', [readable], 'inside'],
    ['a resource without text', [{ type: 'resource', resource: { uri: 'x:y' } }], '[resource: x:y]'],
    ['a binary resource', [binary], '[resource: file:///b, application/zip, 5 bytes]'],
    ['a link', [link], '[resource link: c.md file:///c]'],
    [
      'a link with all fields',
      [{ ...link, title: 'The C', mimeType: 'text/markdown', size: 12, description: 'All about\nC.' }],
      '[resource link: The C (c.md) file:///c, text/markdown, 12 bytes] All about C.',
    ],
    ['an unknown block type', [{ type: 'hologram', x: 1 }], '{"type":"hologram","x":1}'],
    ['a text block without text', [{ type: 'text' }], '{"type":"text"}'],
    [
      'values without a type',
      [{ x: 1 }, 5, 'plain'],
      '{"x":1,"type":"unknown"}\n{"type":"unknown","value":5}\nplain',
    ],
    ['content that is not a list', text('alone'), 'alone'],
    ['no content', [], '(no output)'],
    ['an empty text', [text('')], '(no output)'],
  ])('%s', (_, content, expected) => {
    expect(renderDefault(readOutput({ content }))).toBe(expected)
  })

  test('a result that is not an object is shown too', () => {
    expect(['plain', 5, null].map((result) => renderDefault(readOutput(result)))).toEqual([
      'plain',
      '{"type":"unknown","value":5}',
      '{"type":"unknown","value":null}',
    ])
  })

  test('a field is shortened to one line of limited length', () => {
    const long = { ...link, name: 'n', uri: `data:${'x'.repeat(10_000)}` }
    expect(renderDefault(of(long))).toBe(`[resource link: n data:${'x'.repeat(495)}…]`)
  })
})

describe('createRender: structured content is never dropped and never repeated (C17)', () => {
  const render = (structuredContent: Json, ...content: Json[]) =>
    renderDefault(readOutput({ content, structuredContent }))

  test.each<[string, Json, Json[]]>([
    ['the same JSON, its keys in another order', { a: 1, b: [2] }, [text(' {"b": [2], "a": 1}\n')]],
    ['the same among others', { a: 1 }, [text('Here:'), text('{"a":1}')]],
    ['a wrapped text', { result: 'plain' }, [text('plain')]],
    ['a wrapped number', { result: 5 }, [text('5')]],
    ['a wrapped list, one text for each', { result: ['x', { y: 1 }] }, [text('x'), text('{"y":1}')]],
  ])('not repeated: %s', (_, structured, content) => {
    expect(render(structured, ...content)).toBe(renderDefault(of(...content)))
  })

  test.each<[string, Json, Json[], string]>([
    ['another value', { a: 1 }, [text('{"a":2}')], '{"a":2}\n```json\n{"a":1}\n```'],
    ['prose', { a: 1 }, [text('One.')], 'One.\n```json\n{"a":1}\n```'],
    ['no blocks', { a: 1 }, [], '```json\n{"a":1}\n```'],
    ['a fence in it', { a: '```' }, [], '````json\n{"a":"```"}\n````'],
    [
      'a list of which one is missing',
      { result: ['x', 'y'] },
      [text('x')],
      'x\n```json\n{"result":["x","y"]}\n```',
    ],
  ])('added: %s', (_, structured, content, expected) => {
    expect(render(structured, ...content)).toBe(expected)
  })

  test('content nested too deep becomes a notice, not an exception', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as Json
    expect(render(deep, text(JSON.stringify([1])))).toBe('[1]\n```json\n"(nested too deep to be shown)"\n```')
  })

  test('the older field toolResult is read as structured content', () => {
    expect(renderDefault(readOutput({ toolResult: { a: 1 } }))).toBe('```json\n{"a":1}\n```')
  })
})

test('createRender: BooCode joins texts, shows resources as JSON and a word for no output (P13 P14 P15)', () => {
  expect(renderBoocode(of(text('a'), text('b'), binary, image, link))).toBe(
    `a\nb\n${JSON.stringify(binary)}\n[image: image/png, 5 bytes]\n[resource link: c.md file:///c]`,
  )
  expect(renderBoocode(of(readable))).toBe(JSON.stringify(readable))
  expect(renderBoocode(of())).toBe('(no output)')
})

test('createRender: Dispatch shows text, image, resource text or uri, joined by line ends (D20)', () => {
  expect(renderDispatch(of(text('a'), image, readable, binary))).toBe(
    'a\n[image: image/png, 5 bytes]\ninside\n[resource: file:///b]',
  )
  expect(renderDispatch(of())).toBe('')
})

test('createRender: omp starts a failure of a tool with Error:, a refusal of the server with MCP error: (O15)', () => {
  expect(renderOmp(of(text('fine')))).toBe('fine')
  expect(renderOmp(readOutput({ content: [text('no such file')], isError: true }))).toBe(
    'Error: no such file',
  )
  expect(renderOmp({ blocks: [], failed: true, rpcError: { code: -32602, message: 'bad' } })).toBe(
    'MCP error: bad',
  )
})

test('createRender: a refusal of the server is shown with its code and data', () => {
  const rpcError = { code: -32602, message: 'Unknown tool', data: { name: 'x' } }
  expect(renderDefault({ blocks: [], failed: true, rpcError })).toBe(
    'The server refused the call: Unknown tool (-32602)\n{"name":"x"}',
  )
  expect(renderDefault({ blocks: [], failed: true, rpcError: { code: 1, message: '' } })).toBe(
    'The server refused the call: no reason given (1)',
  )
})
