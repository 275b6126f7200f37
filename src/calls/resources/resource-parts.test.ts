import { describe, expect, test } from 'vitest'
import { readResourceParts, toResourceOutput } from './resource-parts.ts'
import { defaultPreset } from '../../presets/default-preset.ts'
import { createRender } from '../render/render.ts'

const renderDefault = createRender(defaultPreset.calling.render)

const blob = Buffer.from('hello').toString('base64')

describe('readResourceParts', () => {
  const contents = [
    { uri: 'file:///a', mimeType: 'text/plain', text: 'né' },
    { uri: 'file:///b', blob },
    { mimeType: 'x/y' },
    'no object',
  ]

  test('reads texts and blobs with their sizes', () => {
    expect(readResourceParts({ contents }, { uri: 'file:///asked' })).toEqual([
      { uri: 'file:///a', mimeType: 'text/plain', kind: 'text', text: 'né', bytes: 3 },
      { uri: 'file:///b', kind: 'blob', blob, bytes: 5 },
      { uri: 'file:///asked', mimeType: 'x/y', kind: 'empty', bytes: 0 },
    ])
  })

  test.each([null, [], {}, { contents: 5 }])('a malformed response has no parts: %j', (result) => {
    expect(readResourceParts(result, { uri: 'x:y' })).toEqual([])
  })

  test('a part over the limit is marked too-large; smaller parts after it are kept (T24)', () => {
    expect(readResourceParts({ contents }, { uri: 'x:y', maxBytes: 4 })).toEqual([
      { uri: 'file:///a', mimeType: 'text/plain', kind: 'text', text: 'né', bytes: 3 },
      { uri: 'file:///b', kind: 'too-large', bytes: 5 },
      { uri: 'x:y', mimeType: 'x/y', kind: 'empty', bytes: 0 },
    ])
  })

  test('parts are rendered like the blocks of a tool (C17)', () => {
    const parts = [
      ...readResourceParts({ contents }, { uri: 'x:y' }),
      ...readResourceParts({ contents: contents.slice(1, 2) }, { uri: 'x:y', maxBytes: 4 }),
    ]
    expect(renderDefault(toResourceOutput(parts))).toBe(
      'né\n[resource: file:///b, 5 bytes]\n[resource: x:y, x/y]\n[resource: file:///b, 5 bytes: too large to read]',
    )
  })
})
