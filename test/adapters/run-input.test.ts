import type { ChatCompletion } from 'openai/resources/chat/completions'
import { describe, expect, test } from 'vitest'
import { toAnthropic } from '../../src/adapters/anthropic.ts'
import { toOpenAi } from '../../src/adapters/openai.ts'
import { resultOf, viewOf } from './view.ts'

const { view } = viewOf({ a: async () => resultOf('ok') })
const chatCall = { id: 'c1', type: 'function' as const, function: { name: 'x__a', arguments: '{}' } }
const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls: [chatCall] }
const silent = { role: 'assistant' as const, content: 'Done.', refusal: null }
const responseCall = { type: 'function_call' as const, call_id: 'c1', name: 'x__a', arguments: '{}' }
const block = {
  type: 'tool_use' as const,
  id: 'c1',
  name: 'x__a',
  input: {},
  caller: { type: 'direct' as const },
}
const choice = { index: 0, finish_reason: 'tool_calls' as const, logprobs: null }
const completion = (...messages: ChatCompletion.Choice['message'][]): Pick<ChatCompletion, 'choices'> => ({
  choices: messages.map((each) => ({ ...choice, message: each })),
})

describe('toOpenAi: chat.run', () => {
  const answer = [{ role: 'tool', tool_call_id: 'c1', content: 'ok' }]

  test('takes a message, a completion and the list of calls', async () => {
    const { chat } = await toOpenAi(view)
    for (const given of [message, completion(message), message.tool_calls, { tool_calls: [chatCall] }])
      expect(await chat.run(given)).toEqual(answer)
  })

  test('a message without calls has no results', async () => {
    const { chat } = await toOpenAi(view)
    const written = { ...silent, tool_calls: null as never } // as compatible servers write it
    for (const given of [silent, completion(silent), [], written]) expect(await chat.run(given)).toEqual([])
  })

  test.each([
    ['nothing, as message.tool_calls of a message without calls', undefined],
    ['text', 'x__a'],
    ['an object without a message', {}],
    ['a response', { output: [responseCall] }],
    ['the output of a response', [responseCall]],
    ['a message of Anthropic', { role: 'assistant', content: [block] }],
    ['several choices', completion(message, silent)],
    ['no choice', completion()],
    ['a part of a stream', { choices: [{ index: 0, delta: { tool_calls: [chatCall] } }] }],
    ['the conversation', [{ role: 'user', content: 'hello' }, message]],
    ['a call without arguments', [{ id: 'c1', type: 'function', function: { name: 'x__a' } }]],
    ['a call without a function', [{ id: 'c1', type: 'function' }]],
  ])('refuses what it cannot read: %s', async (_, given) => {
    const { chat } = await toOpenAi(view)
    await expect(chat.run(given as never)).rejects.toMatchObject({
      code: 'usage',
      message:
        'run cannot read this value. It takes a message of chat.completions, a completion with one choice, or message.tool_calls.',
      hint:
        given === undefined
          ? 'A reply without calls has no list of calls: pass the reply itself.'
          : undefined,
    })
  })
})

describe('toOpenAi: responses.run', () => {
  test('takes a response and its output', async () => {
    const { responses } = await toOpenAi(view)
    for (const given of [{ output: [responseCall] }, [responseCall]])
      expect(await responses.run(given)).toEqual([
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      ])
    expect(await responses.run([{ type: 'reasoning', id: 'r1', summary: [] }])).toEqual([])
  })

  test.each([
    ['nothing', undefined],
    ['the text of a response', 'Done.'],
    ['a chat message', message],
    ['calls of a chat message', [chatCall]],
    ['a call alone', responseCall],
    ['a call without an id', [{ type: 'function_call', name: 'x__a', arguments: '{}' }]],
  ])('refuses what it cannot read: %s', async (_, given) => {
    const { responses } = await toOpenAi(view)
    await expect(responses.run(given as never)).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('toAnthropic: run', () => {
  test('takes a message and its content', async () => {
    const { run } = await toAnthropic(view)
    for (const given of [{ content: [block] }, [block]])
      expect(await run(given)).toEqual([{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }])
  })

  test.each([
    ['nothing', undefined],
    ['a chat message', message],
    ['calls of OpenAI', [chatCall]],
    ['a block alone', block],
    ['a block without an id', [{ type: 'tool_use', name: 'x__a', input: {} }]],
  ])('refuses what it cannot read: %s', async (_, given) => {
    const { run } = await toAnthropic(view)
    await expect(run(given as never)).rejects.toMatchObject({ code: 'usage' })
  })
})
