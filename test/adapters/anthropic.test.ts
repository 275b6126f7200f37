import type { ToolUseBlock } from '@anthropic-ai/sdk/resources/messages'
import { expect, test } from 'vitest'
import { toAnthropic } from '../../src/adapters/anthropic.ts'
import { HostError } from '../../src/index.ts'
import { imageOf, png, resultOf, viewOf } from './view.ts'

const use = (name: string, input: unknown): ToolUseBlock => ({
  type: 'tool_use',
  id: 't1',
  caller: { type: 'direct' },
  name,
  input,
})

test('a tool is offered with its schema, and its arguments come back under their own names', async () => {
  const { view, called } = viewOf({ a: async () => resultOf('ok') }, () => ({
    description: '',
    inputSchema: { type: 'object', properties: { 'full name': { type: 'string' } } },
  }))
  const { tools, run } = await toAnthropic(view)
  const key = Object.keys(tools[0]?.input_schema.properties ?? {})[0] ?? ''
  expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/)
  expect(tools).toEqual([
    { name: 'x__a', input_schema: { type: 'object', properties: { [key]: expect.any(Object) } } },
  ])
  await run({ content: [use('x__a', { [key]: 'Ada' })] })
  expect(called).toEqual([{ name: 'x__a', args: { 'full name': 'Ada' }, signal: undefined }])
})

test('text and images are the blocks of a result', async () => {
  const { view } = viewOf({ a: async () => resultOf('[image]', { blocks: [imageOf(png)] }) })
  const source = { type: 'base64', media_type: 'image/png', data: png }
  const content = [use('x__a', {})]
  expect(await (await toAnthropic(view)).run({ content })).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 't1',
      content: [
        { type: 'text', text: '[image]' },
        { type: 'image', source },
      ],
    },
  ])
  expect(await (await toAnthropic(view, { images: false })).run({ content })).toEqual([
    { type: 'tool_result', tool_use_id: 't1', content: '[image]' },
  ])
})

test.each([
  [
    'of the tool',
    async () => resultOf('no such file', { failed: true, blocks: [imageOf(png)] }),
    'no such file',
  ],
  [
    'of a call that did not run',
    async () => {
      throw new HostError('call.busy', { server: 'x' }, '"x" has too much to do.')
    },
    '"x" has too much to do.',
  ],
  [
    'of an address that nobody lists',
    async () => {
      throw new HostError('usage', {}, 'Whose resource is x:///1? Name the server.')
    },
    'Whose resource is x:///1? Name the server.',
  ],
  [
    'of one that is unknown',
    async () => {
      throw new HostError('resource.unknown', { uri: 'x:///1' }, 'Whose resource is x:///1?')
    },
    'Whose resource is x:///1?',
  ],
])('a failure %s is marked, and holds nothing but text', async (_, call, content) => {
  const { run } = await toAnthropic(viewOf({ a: call }).view)
  expect(await run({ content: [use('x__a', {})] })).toEqual([
    { type: 'tool_result', tool_use_id: 't1', content, is_error: true },
  ])
})

test('a mistake of ours is thrown; the signal reaches the call; text is no call', async () => {
  const error = new TypeError('a mistake of ours')
  const { view, called } = viewOf({ a: () => Promise.reject(error) })
  const { run } = await toAnthropic(view)
  const { signal } = new AbortController()
  await expect(run({ content: [use('x__a', {})] }, { signal })).rejects.toBe(error)
  expect(called).toEqual([{ name: 'x__a', args: {}, signal }])
  expect(await run({ content: [{ type: 'text', text: 'hello', citations: null }] })).toEqual([])
})
