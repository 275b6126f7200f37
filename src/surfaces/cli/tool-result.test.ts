import { expect, test } from 'vitest'
import { drawResult, isFailed } from './tool-result.ts'

test('texts are shown as they are, everything else is named', () => {
  const content = [
    { type: 'text', text: 'two\nlines' },
    { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'resource_link', uri: 'file:///a' },
    { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
    { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAA' } },
    { type: 'text' },
    null,
  ]
  expect(drawResult({ content })).toBe(
    [
      'two\nlines',
      '[audio, audio/wav, 3 bytes]',
      '[resource_link, file:///a]',
      'inside',
      '[resource, file:///c, 3 bytes]',
      '[text]',
      '[something unknown]',
    ].join('\n'),
  )
})

test('without content: what is structured, or all of it', () => {
  expect(drawResult({ content: [], structuredContent: [1] })).toBe('[\n  1\n]')
  expect(drawResult({ content: 'odd' })).toBe('{\n  "content": "odd"\n}')
  expect(drawResult(7)).toBe('7')
})

test('only true is a failure', () => {
  expect([{ isError: true }, { isError: 'yes' }, {}, null, []].map(isFailed)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
