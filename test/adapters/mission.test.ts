import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import type { BaseMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { generateText, stepCountIs } from 'ai'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import { toAiSdk } from '../../src/adapters/ai-sdk.ts'
import { toAnthropic } from '../../src/adapters/anthropic.ts'
import { toLangChain } from '../../src/adapters/langchain.ts'
import { toOpenAi } from '../../src/adapters/openai.ts'
import {
  conclude,
  conclusion,
  expectOffered,
  firstCalls,
  mission,
  model,
  prompt,
  secondCalls,
} from './mission.ts'
import { startModel } from './model-server.ts'

describe('adapters: a model uses the tools of two real servers', () => {
  test('AI SDK, responses', async () => {
    await using x = await mission()
    await using served = await startModel(model)
    const openai = createOpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none' })
    const { text } = await generateText({
      model: openai('scripted'),
      tools: await toAiSdk(x.host),
      stopWhen: stepCountIs(5),
      prompt,
    })
    expect(JSON.parse(text)).toEqual(conclusion)
    expectOffered(served.turns)
  })

  test('AI SDK, chat completions', async () => {
    await using x = await mission()
    await using served = await startModel(model)
    const openai = createOpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none' })
    const { text } = await generateText({
      model: openai.chat('scripted'),
      tools: await toAiSdk(x.host),
      stopWhen: stepCountIs(5),
      prompt,
    })
    expect(JSON.parse(text)).toEqual(conclusion)
    expectOffered(served.turns)
  })

  test('AI SDK, mode search: finds a tool and calls it through call_tool', async () => {
    await using x = await mission()
    const call = (name: string, args: object) => ({ name: 'call_tool', args: { name, arguments: args } })
    await using served = await startModel(({ results }, index) => {
      if (index === 0) return { calls: [{ name: 'search_tools', args: { query: 'echo a message back' } }] }
      if (index === 1) return { calls: [call('everything__echo', { message: 'hello' })] }
      return { says: results.map(({ text }) => text).join('\n') }
    })
    const openai = createOpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none' })
    const { text } = await generateText({
      model: openai('scripted'),
      tools: await toAiSdk(x.host, { mode: 'search' }),
      stopWhen: stepCountIs(5),
      prompt,
    })
    expect(served.turns[0]?.tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'describe_tool',
      'call_tool',
    ])
    expect(text).toContain('everything__echo')
    expect(text.endsWith('\nEcho: hello')).toBe(true)
  })

  test.each([false, true])('OpenAI chat completions, strict: %s', async (strict) => {
    await using x = await mission()
    await using served = await startModel(model)
    expect(JSON.parse(await converse())).toEqual(conclusion)
    expectOffered(served.turns)

    async function converse(): Promise<string> {
      const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none', maxRetries: 0 })
      const { tools, run } = (await toOpenAi(x.host, { strict })).chat
      const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }]
      for (;;) {
        const { choices } = await client.chat.completions.create({ model: 'scripted', messages, tools })
        const { message } = choices[0]!
        const results = await run(message)
        if (results.length === 0) return message.content ?? ''
        messages.push(message, ...results)
      }
    }
  })

  test('OpenAI responses', async () => {
    await using x = await mission()
    await using served = await startModel(model)
    expect(JSON.parse(await converse())).toEqual(conclusion)
    expectOffered(served.turns)

    async function converse(): Promise<string> {
      const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none', maxRetries: 0 })
      const { tools, run } = (await toOpenAi(x.host)).responses
      const input: ResponseInputItem[] = [{ role: 'user', content: prompt }]
      for (;;) {
        const response = await client.responses.create({ model: 'scripted', input, tools })
        const results = await run(response)
        if (results.length === 0) return response.output_text
        input.push(...(response.output as ResponseInputItem[]), ...results) // output items are valid input
      }
    }
  })

  test('Anthropic messages', async () => {
    await using x = await mission()
    await using served = await startModel(model)
    expect(JSON.parse(await converse())).toEqual(conclusion)
    expectOffered(served.turns)

    async function converse(): Promise<string> {
      const client = new Anthropic({ baseURL: served.url, apiKey: 'none', maxRetries: 0 })
      const { tools, run } = await toAnthropic(x.host)
      const messages: MessageParam[] = [{ role: 'user', content: prompt }]
      for (;;) {
        const { content } = await client.messages.create({
          model: 'scripted',
          max_tokens: 1000,
          messages,
          tools,
        })
        const results = await run({ content })
        if (results.length === 0)
          return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
        messages.push({ role: 'assistant', content }, { role: 'user', content: results })
      }
    }
  })

  test('LangChain', async () => {
    await using x = await mission()
    const tools = await toLangChain(x.host)
    const scripted = fakeModel()
      .respondWithTools(firstCalls.map((call, index) => ({ ...call, id: `first_${index}` })))
      .respondWithTools(secondCalls.map((call, index) => ({ ...call, id: `second_${index}` })))
      .respond((messages) => new AIMessage(conclude(resultsOf(messages))))
    const bound = scripted.bindTools(tools)
    const messages: BaseMessage[] = [new HumanMessage(prompt)]
    for (;;) {
      const message = await bound.invoke(messages)
      messages.push(message)
      if (!message.tool_calls?.length) break
      for (const call of message.tool_calls) {
        const tool = tools.find(({ name }) => name === call.name)
        messages.push((await tool!.invoke({ ...call, type: 'tool_call' })) as ToolMessage) // because the call has an id
      }
    }
    expect(JSON.parse(messages.at(-1)?.text ?? '')).toEqual(conclusion)
    expect(scripted.callCount).toBe(3)
  })
})

test('toAiSdk: a narrower view is awaited as well, and only its tools are offered', async () => {
  await using x = await mission()
  const view = await x.host.scope({ tools: ['everything__echo', 'memory__*', '!*delete*'] })
  const names = Object.keys(await toAiSdk(view))
  expect(names).toEqual(view.tools().map(({ name }) => name))
  expect(names).toContain('everything__echo')
  expect(names).toContain('memory__read_graph')
  expect(names).not.toContain('everything__get-sum')
  expect(names).not.toContain('memory__delete_entities')
})

function resultsOf(messages: readonly BaseMessage[]): readonly string[] {
  return messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
}
