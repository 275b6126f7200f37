import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs } from 'ai'
import { describe, expect, test } from 'vitest'
import { toAiSdk } from '../../src/adapters/ai-sdk.ts'
import type { AiSdkOptions } from '../../src/adapters/ai-sdk.ts'
import { HostError } from '../../src/index.ts'
import type { CallResult, View } from '../../src/index.ts'
import { startModel } from './model-server.ts'
import { executeTool, imageOf, png, resultOf, viewOf } from './view.ts'

/** Runs one call of `x__a` and returns the results that the model received. */
async function turn(view: View, options: AiSdkOptions = {}) {
  await using served = await startModel((_, index) =>
    index === 0 ? { calls: [{ name: 'x__a', args: { text: 't' } }] } : { says: 'done' },
  )
  const openai = createOpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none' })
  const { signal } = new AbortController()
  const { steps } = await generateText({
    model: openai('scripted'),
    tools: await toAiSdk(view, options),
    stopWhen: stepCountIs(3),
    prompt: 'go',
    abortSignal: signal,
  })
  return { steps, signal, results: served.turns.at(-1)?.results, offered: served.turns[0]?.tools }
}

describe('toAiSdk: a turn', () => {
  test('the model receives the text, the embedder the whole result', async () => {
    const result = resultOf('hello', { structured: { a: 1 } })
    const { view, called } = viewOf({ a: async () => result })
    const { steps, signal, results, offered } = await turn(view)
    expect(offered).toEqual([
      {
        name: 'x__a',
        description: 'It is a.',
        schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ])
    expect(called).toEqual([{ name: 'x__a', args: { text: 't' }, signal }])
    expect(results).toEqual([{ text: 'hello' }])
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual([result])
  })

  test('images are parts of a result for providers that accept them or with images: true, and never base64 in the text', async () => {
    const { view } = viewOf({ a: async () => resultOf('[image]', { blocks: [imageOf(png)] }) })
    const parts = [{ text: '[image]', images: [`data:image/png;base64,${png}`] }]
    expect((await turn(view)).results).toEqual([{ text: '[image]' }])
    expect((await turn(view, { images: true })).results).toEqual(parts)
    expect((await turn(view, { provider: 'anthropic' })).results).toEqual(parts)
    expect((await turn(view, { provider: 'anthropic', images: false })).results).toEqual([
      { text: '[image]' },
    ])
  })

  test('a call that did not run is an error for the embedder, and the model receives its message', async () => {
    const error = new HostError('call.invalid-args', { ref: 'x/a', problems: [] }, 'text is missing')
    const { steps, results } = await turn(viewOf({ a: () => Promise.reject(error) }).view)
    // The AI SDK 7 puts it into JSON.
    expect(results).toEqual([{ text: expect.stringContaining('text is missing') as string }])
    expect(steps[0]?.content.filter(({ type }) => type === 'tool-error')).toMatchObject([{ error }])
  })
})

test('toAiSdk: a failed result becomes error-text', async () => {
  const failed: CallResult = resultOf('no such file', { failed: true })
  const { x__a: tool } = await toAiSdk(viewOf({ a: async () => failed }).view)
  const results = await tool?.toModelOutput?.({ toolCallId: 'c', input: {}, output: failed })
  expect(results).toEqual({ type: 'error-text', value: 'no such file' })
})

test('D-6 toAiSdk: for Gemini every name begins with a letter or _, and its call reaches the right tool', async () => {
  const { view, called } = viewOf(
    Object.fromEntries(['a', 'b', 'c', 'd'].map((tool) => [tool, async () => resultOf(tool)])),
    (tool) => ({ name: { a: '7zip__a', b: '_7zip__a', c: '-x', d: `9${'x'.repeat(63)}` }[tool] ?? tool }),
  )
  expect(Object.keys(await toAiSdk(view))).toEqual(['7zip__a', '_7zip__a', '-x', `9${'x'.repeat(63)}`])
  const tools = await toAiSdk(view, { provider: 'gemini' })
  expect(Object.keys(tools)).toEqual(['__7zip__a', '_7zip__a', '_-x', `_9${'x'.repeat(62)}`])
  for (const tool of Object.values(tools)) await executeTool(tool)
  expect(called.map(({ name }) => name)).toEqual(['7zip__a', '_7zip__a', '-x', `9${'x'.repeat(63)}`])
})

test('D-6 toAiSdk: for Gemini a name gets a hash suffix when the prefixed names are taken', async () => {
  const longest = '9'.repeat(64)
  const names = [
    longest,
    ...Array.from({ length: 64 }, (_, at) => `${'_'.repeat(at + 1)}${longest}`.slice(0, 64)),
  ]
  const { view } = viewOf(
    Object.fromEntries(names.map((name) => [name, async () => resultOf('')])),
    (name) => ({ name }),
  )
  const [first = '', ...others] = Object.keys(await toAiSdk(view, { provider: 'gemini' }))
  expect(first).toMatch(/^_9{53}_h[0-9a-f]{8}$/)
  expect(others).toEqual(names.slice(1))
})

test('toAiSdk: onLeftOut names a tool whose schema the chosen provider cannot express', async () => {
  const { view } = viewOf({ a: async () => resultOf('') }, () => ({
    inputSchema: { type: 'object', properties: { t: { $ref: '#/$defs/none' } } },
  }))
  const left: string[] = []
  const onLeftOut = ({ ref }: { readonly ref: string }) => left.push(ref)
  expect(await toAiSdk(view, { provider: 'gemini', onLeftOut })).toEqual({})
  expect(left).toEqual(['x/a'])
})
