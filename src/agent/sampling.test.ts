import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../index.ts'
import { createSample } from './sampling.ts'
import type { SampleGrant, SampleModel, SampleOptions, SampleRequest } from './sampling.ts'

const { signal } = new AbortController()
const message = (text: string) => ({ role: 'user', content: { type: 'text', text } })
const paramsOf = (text = 'hi', more: JsonObject = {}): JsonObject => ({
  messages: [message(text)],
  maxTokens: 100,
  ...more,
})

/** A model object of the AI SDK that answers each request with its text, and records what it got. */
function modelOf(received: JsonObject[] = [], tokens = 30, delta = 'hello'): SampleModel {
  return {
    name: 'test/echo',
    model: {
      specificationVersion: 'v3',
      provider: 'test',
      modelId: 'echo',
      supportedUrls: {},
      async doStream(options: JsonObject) {
        received.push(options)
        return {
          stream: new ReadableStream({
            start(controller) {
              controller.enqueue({ type: 'stream-start', warnings: [] })
              controller.enqueue({ type: 'text-start', id: '1' })
              controller.enqueue({ type: 'text-delta', id: '1', delta })
              controller.enqueue({ type: 'text-end', id: '1' })
              const usage = { inputTokens: { total: tokens - 10 }, outputTokens: { total: 10 } }
              const finishReason = { unified: 'stop', raw: 'stop' }
              controller.enqueue({ type: 'finish', finishReason, usage })
              controller.close()
            },
          }),
        }
      },
    },
  }
}

function sampleWith(options: Partial<SampleOptions> & { readonly grants?: readonly SampleGrant[] } = {}) {
  const { grants = ['once'], ...rest } = options
  const asked: SampleRequest[] = []
  const received: JsonObject[] = []
  const rejected: string[] = []
  const sample = createSample({
    model: modelOf(received),
    async approve(request) {
      asked.push(request)
      return grants[Math.min(asked.length, grants.length) - 1] ?? 'no'
    },
    onRejected: ({ reason }) => rejected.push(reason),
    ...rest,
  })
  const send = (params = paramsOf(), server = 'notes') => sample({ server, params }, { signal })
  return { send, asked, received, rejected }
}

describe('createSample', () => {
  test('T21 of 100 requests at most the budget is answered, and no more are asked about', async () => {
    const x = sampleWith()
    const answers = await Promise.all(Array.from({ length: 100 }, () => x.send()))
    expect(answers.filter(Boolean)).toHaveLength(5)
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(95)
    expect(x.asked).toHaveLength(5)
    expect(x.rejected).toHaveLength(95)
    // Another server has a budget of its own.
    expect(await x.send(paramsOf(), 'docs')).toMatchObject({ model: 'test/echo' })
  })

  test('T21 the tokens of a day are a budget too, also for requests that run at once', async () => {
    let now = 0
    const x = sampleWith({ budget: { requestsPerMinute: 100, tokensPerDay: 250 }, now: () => now })
    const answers = await Promise.all([x.send(), x.send(), x.send()])
    expect(answers.filter(Boolean)).toHaveLength(3)
    // The first two reserved 101 each, so the third got the rest; then 90 were used.
    expect(x.asked.map(({ maxTokens }) => maxTokens)).toEqual([100, 100, 47])
    for (let left = 5; left > 0; left--) await x.send()
    expect(await x.send(paramsOf('x'.repeat(100)))).toBeUndefined()
    expect(x.rejected).toEqual(['It has used its 250 tokens of the model for this day.'])
    now = 25 * 3_600_000
    expect(await x.send()).toBeDefined()
  })

  test('T21 the model gets the messages that were shown, and neither tools nor context', async () => {
    const x = sampleWith()
    const params = paramsOf('What is it?', {
      systemPrompt: 'Be brief.',
      includeContext: 'allServers',
      tools: [{ name: 'delete_all', inputSchema: {} }],
      temperature: 0.5,
      maxTokens: 1_000_000,
    })
    expect(await x.send(params)).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'hello' },
      model: 'test/echo',
      stopReason: 'endTurn',
    })
    expect(x.asked).toEqual([
      {
        server: 'notes',
        model: 'test/echo',
        system: 'Be brief.',
        messages: [{ role: 'user', text: 'What is it?' }],
        maxTokens: 2000,
      },
    ])
    const [got] = x.received
    expect(got?.['prompt']).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }] },
    ])
    expect(got).toMatchObject({ maxOutputTokens: 2000, temperature: 0.5 })
    expect(got?.['tools']).toBeUndefined()
  })

  test('a refusal costs nothing, and a grant for the conversation is asked for once', async () => {
    const x = sampleWith({ grants: ['no', 'conversation'], budget: { tokensPerDay: 150 } })
    expect(await x.send()).toBeUndefined()
    expect(x.received).toEqual([])
    expect(await x.send()).toBeDefined()
    expect(await x.send()).toBeDefined()
    expect(x.asked).toHaveLength(2)
  })

  test('a message that is not text is rejected without asking', async () => {
    const x = sampleWith()
    const image = { role: 'user', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } }
    for (const messages of [[image], [], 'hi', [{ role: 'system', content: message('x').content }]])
      expect(await x.send(paramsOf('', { messages }))).toBeUndefined()
    expect(x.asked).toEqual([])
  })

  test('a failing model fails the request', async () => {
    const model = {
      ...modelOf(),
      model: { ...modelOf().model, doStream: () => Promise.reject(new Error('down')) },
    }
    await expect(sampleWith({ model }).send()).rejects.toThrow('down')
  })

  test('what an answer used is told, and an answer longer than was asked for is cut', async () => {
    const used: object[] = []
    const { send } = sampleWith({ onUsed: (each) => used.push(each) })
    await send()
    expect(used).toMatchObject([{ server: 'notes', usage: { inputTokens: 20, outputTokens: 10 } }])
    const endless = modelOf([], 30, 'x'.repeat(1500))
    const cut = await sampleWith({ model: endless }).send(paramsOf('hi', { maxTokens: 10 }))
    expect(cut).toMatchObject({ content: { text: '' }, stopReason: 'maxTokens' })
  })
})
