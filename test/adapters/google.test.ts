import { expect, test } from 'vitest'
import { toGoogle } from '../../src/adapters/google.ts'
import { HostError } from '../../src/index.ts'
import { imageOf, png, resultOf, viewOf, waitingView } from './view.ts'

const call = { id: 'c1', name: 'x__a', args: { text: 't' } }

test('toGoogle: tools are function declarations with a JSON Schema', async () => {
  const { view } = viewOf({ a: async () => resultOf('') })
  const { tools } = await toGoogle(view)
  expect(tools).toEqual([
    {
      functionDeclarations: [
        {
          name: 'x__a',
          description: 'It is a.',
          parametersJsonSchema: {
            type: 'object',
            properties: { text: { type: 'string' } },
            required: ['text'],
          },
        },
      ],
    },
  ])
  expect((await toGoogle(viewOf({}).view)).tools).toEqual([])
})

test('toGoogle: a name that Google rejects is changed, and the call reaches the tool', async () => {
  const { view, called } = viewOf({ a: async () => resultOf('ok') }, () => ({ name: '1__a' }))
  const { tools, run } = await toGoogle(view)
  expect(tools[0]?.functionDeclarations?.[0]?.name).toBe('_1__a')
  expect(await run([{ name: '_1__a', args: {} }])).toEqual([
    { functionResponse: { name: '_1__a', response: { output: 'ok' } } },
  ])
  expect(called).toMatchObject([{ name: '1__a', args: {} }])
})

test('toGoogle: calls without ids and of the embedder’s own tools keep their order', async () => {
  const { view } = viewOf({ a: async () => resultOf('a'), b: async () => resultOf('b') })
  const { run } = await toGoogle(view)
  const content = {
    role: 'model',
    parts: [{ text: 'I look.' }, ...['native', 'x__b', 'x__a'].map((name) => ({ functionCall: { name } }))],
  }
  for (const given of [content, { candidates: [{ content }] }])
    expect(await run(given)).toEqual([
      { functionResponse: { name: 'x__b', response: { output: 'b' } } },
      { functionResponse: { name: 'x__a', response: { output: 'a' } } },
    ])
})

test('toGoogle: images follow the response, unless images: false', async () => {
  const { view } = viewOf({ a: async () => resultOf('[image]', { blocks: [imageOf(png)] }) })
  const response = { functionResponse: { id: 'c1', name: 'x__a', response: { output: '[image]' } } }
  expect(await (await toGoogle(view)).run([call])).toEqual([
    response,
    { inlineData: { mimeType: 'image/png', data: png } },
  ])
  expect(await (await toGoogle(view, { images: false })).run([call])).toEqual([response])
})

test.each([
  ['the tool failed', async () => resultOf('no such file', { failed: true }), 'no such file'],
  [
    'the call was denied',
    async () => {
      throw new HostError('call.denied', { ref: 'x/a', reason: 'no' }, 'It was denied.')
    },
    'It was denied.',
  ],
])('toGoogle: a failure is the error of a response: %s', async (_, run, error) => {
  const tools = await toGoogle(viewOf({ a: run }).view)
  expect(await tools.run([call])).toEqual([
    { functionResponse: { id: 'c1', name: 'x__a', response: { error } } },
  ])
})

test('toGoogle: a response without calls has no results, also one that was cut off', async () => {
  const { run } = await toGoogle(viewOf({}).view)
  const texts = { role: 'model', parts: [{ text: 'Done.' }] }
  const blocked: object = { promptFeedback: { blockReason: 'SAFETY' } }
  for (const given of [
    { candidates: [{ content: texts }] },
    texts,
    [],
    { candidates: [{}] },
    { role: 'model' },
    blocked,
  ])
    expect(await run(given)).toEqual([])
})

const passReply = 'A reply without calls has no list of calls: pass the reply itself.'

test.each<readonly [string, unknown, string?]>([
  ['nothing, as response.functionCalls of a response without calls', undefined, passReply],
  ['text', 'Done.'],
  ['another object', { output: [] }],
  ['parts', [{ functionCall: call }]],
  ['the conversation', [{ role: 'user', parts: [] }]],
])('toGoogle: run refuses what it cannot read: %s', async (_, given, hint) => {
  const { run } = await toGoogle(viewOf({}).view)
  await expect(run(given as never)).rejects.toMatchObject({
    code: 'usage',
    message:
      'run cannot read this value. It takes a response of generateContent, its content, or response.functionCalls.',
    hint,
  })
})

test('toGoogle: timeoutMs limits the wait for servers that are not known yet', async () => {
  const { view, waits } = waitingView()
  await toGoogle(view, { timeoutMs: 50 })
  await toGoogle(view)
  expect(waits).toEqual([{ timeoutMs: 50 }, { slow: 'skip' }])
})
