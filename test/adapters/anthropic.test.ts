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

test('toAnthropic: property names are made valid for the API, and arguments are sent under the original names', async () => {
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

test('toAnthropic: a result has text and image blocks; images: false leaves only the text', async () => {
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
    'tool failed',
    async () => resultOf('no such file', { failed: true, blocks: [imageOf(png)] }),
    'no such file',
  ],
  [
    'call did not run',
    async () => {
      throw new HostError('call.busy', { server: 'x' }, '"x" has too much to do.')
    },
    '"x" has too much to do.',
  ],
  [
    'resource is ambiguous',
    async () => {
      throw new HostError('usage', {}, 'a and b list x:///1: name the server.')
    },
    'a and b list x:///1: name the server.',
  ],
  [
    'resource is unknown',
    async () => {
      throw new HostError('resource.unknown', { uri: 'x:///1' }, 'Whose resource is x:///1?')
    },
    'Whose resource is x:///1?',
  ],
])('toAnthropic: a failure is marked is_error and has only text (%s)', async (_, call, content) => {
  const { run } = await toAnthropic(viewOf({ a: call }).view)
  expect(await run({ content: [use('x__a', {})] })).toEqual([
    { type: 'tool_result', tool_use_id: 't1', content, is_error: true },
  ])
})

test('toAnthropic: an internal error is thrown, the signal is passed on, text blocks are not calls', async () => {
  const error = new TypeError('an internal error')
  const { view, called } = viewOf({ a: () => Promise.reject(error) })
  const { run } = await toAnthropic(view)
  const { signal } = new AbortController()
  await expect(run({ content: [use('x__a', {})] }, { signal })).rejects.toBe(error)
  expect(called).toEqual([{ name: 'x__a', args: {}, signal }])
  expect(await run({ content: [{ type: 'text', text: 'hello', citations: null }] })).toEqual([])
})
