import { ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { toLangChain } from '../../src/adapters/langchain.ts'
import { HostError } from '../../src/index.ts'
import { imageOf, png, resultOf, viewOf } from './view.ts'

const call = { type: 'tool_call' as const, id: 'c1', name: 'x__a', args: { text: 't' } }

test('a call comes to a message of the tool, with the whole result beside it', async () => {
  const result = resultOf('hello', { structured: { a: 1 } })
  const { view, called } = viewOf({ a: async () => result })
  const [tool] = await toLangChain(view)
  expect(tool).toMatchObject({ name: 'x__a', description: 'It is a.', metadata: { server: 'x', ref: 'x/a' } })
  const { signal } = new AbortController()
  const message = (await tool!.invoke(call, { signal })) as ToolMessage // an id was given
  expect(message).toBeInstanceOf(ToolMessage)
  expect(message).toMatchObject({ content: 'hello', artifact: result, tool_call_id: 'c1', status: 'success' })
  expect(called).toEqual([{ name: 'x__a', args: { text: 't' }, signal }])
})

test('without a call of a model it is the text', async () => {
  const [tool] = await toLangChain(viewOf({ a: async () => resultOf('hello') }).view)
  expect(await tool!.invoke({ text: 't' })).toBe('hello')
})

test('images are parts of the message', async () => {
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
  ['of the tool', async () => resultOf('no such file', { failed: true }), 'no such file'],
  [
    'of a call that did not run',
    async () => {
      throw new HostError('call.denied', { ref: 'x/a', reason: 'no' }, 'It was denied.')
    },
    'It was denied.',
  ],
])('a failure %s is a message that says so', async (_, run, content) => {
  const [tool] = await toLangChain(viewOf({ a: run }).view)
  expect(await tool!.invoke(call)).toMatchObject({
    content,
    tool_call_id: 'c1',
    name: 'x__a',
    status: 'error',
  })
})

test('a mistake of ours is thrown', async () => {
  const error = new TypeError('a mistake of ours')
  const [tool] = await toLangChain(viewOf({ a: () => Promise.reject(error) }).view)
  await expect(tool!.invoke(call)).rejects.toBe(error)
})

test('no pattern of a server is run by LangChain, and arguments reach the host as they are', async () => {
  const { view, called } = viewOf({ a: async () => resultOf('ok') }, () => ({
    inputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
  }))
  const [tool] = await toLangChain(view)
  const args = { text: `${'a'.repeat(50)}!` }
  await tool!.invoke({ ...call, args })
  expect(called).toMatchObject([{ args }])
  expect(tool!.schema).toMatchObject({ properties: { text: { pattern: '^(a+)+$' } } })
})
