import { ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { toLangChain } from '../../src/adapters/langchain.ts'
import { HostError } from '../../src/index.ts'
import { imageOf, png, resultOf, viewOf } from './view.ts'

const call = { type: 'tool_call' as const, id: 'c1', name: 'x__a', args: { text: 't' } }

test('toLangChain: a call returns a ToolMessage with the whole result as its artifact', async () => {
  const result = resultOf('hello', { structured: { a: 1 } })
  const { view, called } = viewOf({ a: async () => result })
  const [tool] = await toLangChain(view)
  expect(tool).toMatchObject({ name: 'x__a', description: 'It is a.', metadata: { server: 'x', ref: 'x/a' } })
  const { signal } = new AbortController()
  const message = (await tool!.invoke(call, { signal })) as ToolMessage // because the call has an id
  expect(message).toBeInstanceOf(ToolMessage)
  expect(message).toMatchObject({ content: 'hello', artifact: result, tool_call_id: 'c1', status: 'success' })
  expect(called).toEqual([{ name: 'x__a', args: { text: 't' }, signal }])
})

test('toLangChain: invoked without a tool call, a tool returns the text', async () => {
  const [tool] = await toLangChain(viewOf({ a: async () => resultOf('hello') }).view)
  expect(await tool!.invoke({ text: 't' })).toBe('hello')
})

test('toLangChain: images are parts of the message, unless images: false', async () => {
  const { view } = viewOf({ a: async () => resultOf('[image]', { blocks: [imageOf(png)] }) })
  const [tool] = await toLangChain(view)
  expect(await tool!.invoke(call)).toMatchObject({
    content: [
      { type: 'text', text: '[image]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
    ],
  })
  const [plain] = await toLangChain(view, { images: false })
  expect(await plain!.invoke(call)).toMatchObject({ content: '[image]' })
})

test.each([
  ['tool failed', async () => resultOf('no such file', { failed: true }), 'no such file'],
  [
    'call did not run',
    async () => {
      throw new HostError('call.denied', { ref: 'x/a', reason: 'no' }, 'It was denied.')
    },
    'It was denied.',
  ],
])('toLangChain: a failure is a message with status error (%s)', async (_, run, content) => {
  const [tool] = await toLangChain(viewOf({ a: run }).view)
  expect(await tool!.invoke(call)).toMatchObject({
    content,
    tool_call_id: 'c1',
    name: 'x__a',
    status: 'error',
  })
})

test('toLangChain: an internal error is thrown', async () => {
  const error = new TypeError('an internal error')
  const [tool] = await toLangChain(viewOf({ a: () => Promise.reject(error) }).view)
  await expect(tool!.invoke(call)).rejects.toBe(error)
})

test('toLangChain: LangChain runs no pattern of the schema, and arguments reach the host unchanged', async () => {
  const { view, called } = viewOf({ a: async () => resultOf('ok') }, () => ({
    inputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
  }))
  const [tool] = await toLangChain(view)
  const args = { text: `${'a'.repeat(50)}!` }
  await tool!.invoke({ ...call, args })
  expect(called).toMatchObject([{ args }])
  expect(tool!.schema).toMatchObject({ properties: { text: { pattern: '^(a+)+$' } } })
})
