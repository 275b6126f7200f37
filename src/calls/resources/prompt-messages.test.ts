import { describe, expect, test } from 'vitest'
import { checkPromptArguments, readPrompt, renderPrompt } from './prompt-messages.ts'
import { defaultPreset } from '../../presets/default-preset.ts'
import { createRender } from '../render/render.ts'

const renderDefault = createRender(defaultPreset.calling.render)

const text = (value: string) => ({ type: 'text', text: value })

describe('D21 a prompt as messages', () => {
  test('with the blocks of each, whether there is one or a list', () => {
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

  test('as the text alone where only the user speaks', () => {
    const read = readPrompt({ messages: [{ role: 'user', content: text('Do\u202E it') }] })
    expect(renderPrompt(read, renderDefault)).toBe(
      'Do it\n[hidden characters were removed: direction overrides]',
    )
  })

  test.each([null, {}, { messages: 'x' }])('an answer of another form has no messages: %j', (result) => {
    expect(readPrompt(result)).toEqual({ messages: [] })
  })
})

test('the arguments of a prompt: what is missing, and what is not known', () => {
  const prompt = { name: 'review', arguments: [{ name: 'path', required: true }, { name: 'depth' }, {}, 5] }
  expect(checkPromptArguments(prompt, { path: 'x', depth: '1' })).toEqual([])
  expect(checkPromptArguments(prompt, { dept: '1', zzz: '' })).toEqual([
    { path: 'path', message: 'is required but missing' },
    { path: 'dept', message: 'is unknown; did you mean "depth"?' },
    { path: 'zzz', message: 'is unknown' },
  ])
  expect(checkPromptArguments({ name: 'plain' }, {})).toEqual([])
})
