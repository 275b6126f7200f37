import { expect, test } from 'vitest'
import { promptText, toShownBlock } from './prompt-text.ts'

test('a prompt becomes one message; what it lets an assistant say is marked', () => {
  const text = promptText([
    { role: 'user', blocks: [{ type: 'text', text: 'Review this:' }] },
    {
      role: 'user',
      blocks: [{ type: 'resource', resource: { uri: 'x://a', text: 'let a' } }, { type: 'image' }],
    },
    { role: 'assistant', blocks: [{ type: 'text', text: 'Gladly.' }] },
  ])
  expect(text).toBe('Review this:\n\nlet a\n(image)\n\nassistant: Gladly.')
})

test('its blocks are drawn like those of results', () => {
  expect(toShownBlock({ type: 'image', data: 'AA==', mimeType: 'image/png' })).toEqual({
    type: 'image',
    data: 'AA==',
    mimeType: 'image/png',
  })
  const resource = { uri: 'x://a', blob: 'AA==', mimeType: 5 }
  expect(toShownBlock({ type: 'resource', resource })).toEqual({
    type: 'resource',
    uri: 'x://a',
    data: 'AA==',
  })
})
