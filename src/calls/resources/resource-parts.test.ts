import { describe, expect, test } from 'vitest'
import { readResourceParts, toResourceOutput } from './resource-parts.ts'
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
      'né\n[resource: file:///b, 5 bytes]\n[resource: x:y, x/y]\n[resource: file:///b, 5 bytes: too large to read]',
    )
  })
})
