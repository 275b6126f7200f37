import { describe, expect, test } from 'vitest'
import { checkPromptArguments, readPrompt, renderPrompt } from './prompt-messages.ts'
import { defaultPreset } from '../../presets/default-preset.ts'
import { createRender } from '../render/render.ts'

const renderDefault = createRender(defaultPreset.calling.render)

const text = (value: string) => ({ type: 'text', text: value })

describe('readPrompt and renderPrompt (D21)', () => {
  test('a message has its blocks, whether its content is one block or a list', () => {
    const result = {
      description: 'Reviews code',
      messages: [
        { role: 'user', content: text('Look:') },
        { role: 'assistant', content: [text('a'), { type: 'image', data: '', mimeType: 'image/png' }] },
        { role: 'system', content: 'plain' },
        5,
      ],
    }
    const read = readPrompt(result)
    expect(read).toEqual({
      description: 'Reviews code',
      messages: [
        { role: 'user', blocks: [text('Look:')] },
        { role: 'assistant', blocks: [text('a'), { type: 'image', data: '', mimeType: 'image/png' }] },
        { role: 'user', blocks: [text('plain')] },
      ],
    })
    expect(renderPrompt(read, renderDefault)).toBe(
      'user: Look:\n\nassistant: a\n[image: image/png, 0 bytes]\n\nuser: plain',
    )
  })

  test('a single user message is rendered as its text alone', () => {
    const read = readPrompt({ messages: [{ role: 'user', content: text('Do\u202E it') }] })
    expect(renderPrompt(read, renderDefault)).toBe(
      'Do it\n[hidden characters were removed: direction overrides]',
    )
  })

  test.each([null, {}, { messages: 'x' }])('a malformed response has no messages: %j', (result) => {
    expect(readPrompt(result)).toEqual({ messages: [] })
  })
})

test('checkPromptArguments: reports missing and unknown arguments', () => {
  const prompt = { name: 'review', arguments: [{ name: 'path', required: true }, { name: 'depth' }, {}, 5] }
  expect(checkPromptArguments(prompt, { path: 'x', depth: '1' })).toEqual([])
  expect(checkPromptArguments(prompt, { dept: '1', zzz: '' })).toEqual([
    { path: 'path', message: 'is required but missing' },
    { path: 'dept', message: 'is unknown; did you mean "depth"?' },
    { path: 'zzz', message: 'is unknown' },
  ])
  expect(checkPromptArguments({ name: 'plain' }, {})).toEqual([])
})
