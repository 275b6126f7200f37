import { expect, test } from 'vitest'
import { bytesOfResult, drawMarkdown, drawResult, toProtocol } from './tool-result.ts'

const blocks = [
  { type: 'text', text: 'two\nlines' },
  { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
  { type: 'resource_link', uri: 'file:///a', name: 'a' },
  { type: 'resource', resource: { uri: 'file:///b', text: 'inside ```' } },
  { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
  { type: 'text' },
  { type: 'unknown', value: 7 },
]

test('drawResult: texts are printed, other blocks described with the file they were saved to', () => {
  expect(drawResult({ blocks }, new Map([[1, 'out/x-1.wav']]))).toBe(
    [
      'two\nlines',
      '[audio, audio/wav, 3 bytes, saved as out/x-1.wav]',
      '[resource_link, file:///a]',
      'inside ```',
      '[resource, file:///c, 3 bytes]',
      '[text]',
      '[unknown content]',
    ].join('\n'),
  )
})

test('drawMarkdown: images are embedded, other blocks fenced or linked', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
  expect(drawMarkdown({ blocks: [image, ...blocks.slice(0, 5)] }, new Map([[0, 'x-1.png']]))).toBe(
    [
      '![image](x-1.png)',
      'two\nlines',
      '`[audio, audio/wav, 3 bytes]`',
      '[a](file:///a)',
      '````\ninside ```\n````',
      '`[resource, file:///c, 3 bytes]`',
    ].join('\n\n'),
  )
  expect(drawMarkdown({ blocks: [], structured: { a: 1 } })).toBe('```json\n{\n  "a": 1\n}\n```')
})

test('drawResult: structured content is shown unless a text has it already', () => {
  const structured = { total: 3 }
  expect(drawResult({ blocks: [], structured })).toBe('{\n  "total": 3\n}')
  expect(drawResult({ blocks: [{ type: 'text', text: '{ "total": 3 }' }], structured })).toBe(
    '{ "total": 3 }',
  )
  expect(drawResult({ blocks: [{ type: 'text', text: 'Three.' }], structured })).toBe(
    'Three.\n{\n  "total": 3\n}',
  )
  expect(drawResult({ blocks: [] })).toBe('(no output)')
})

test('structured content: parts in the texts are not repeated; raw and the protocol form are complete', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
  const twice = {
    blocks: [{ type: 'text', text: 'a file' }, image],
    structured: { content: [{ type: 'text', text: 'a file' }, image] },
  }
  expect(drawResult(twice)).toBe('a file\n[image, image/png, 3 bytes]')
  expect(drawMarkdown(twice)).toBe('a file\n\n`[image, image/png, 3 bytes]`')
  const more = { blocks: [image], structured: { image, width: 16 } }
  expect(drawResult(more)).toBe(
    `[image, image/png, 3 bytes]\n${JSON.stringify({ image: { ...image, data: '[image: image/png, 3 bytes]' }, width: 16 }, null, 2)}`,
  )
  expect(toProtocol({ text: '', failed: false, ref: 'a/b', ms: 1, ...more })).toEqual({
    content: [image],
    structuredContent: { image, width: 16 },
  })
  expect(bytesOfResult({ blocks: [], structured: { image } }).toString()).toBe(JSON.stringify({ image }))
})

test('bytesOfResult: only the content', () => {
  expect(bytesOfResult({ blocks: blocks.slice(0, 5) })).toEqual(
    Buffer.from('two\nlines\0\0\0inside ```\0\0\0', 'latin1'),
  )
  expect(bytesOfResult({ blocks: [], structured: [1] })).toEqual(Buffer.from('[1]'))
})

test('toProtocol: the result in the form of the protocol', () => {
  const result = { text: '', blocks: [], failed: true, structured: 1, ref: 'a/b', ms: 1 }
  expect(toProtocol(result)).toEqual({ content: [], structuredContent: 1, isError: true })
})
