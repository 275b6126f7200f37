import { generateText, jsonSchema, streamText } from 'ai'
import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { modelOf } from './support/model-objects.ts'
import { startModelServer, wires } from './support/model-server.ts'
import type { Script, Wire } from './support/model-server.ts'

// The scripted model servers, as the providers of the AI SDK see them.

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

const tools: ToolSet = {
  echo: {
    description: 'Repeats a message.',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { message: { type: 'string' } },
      required: ['message'],
    }),
  },
}

async function serverOf(wire: Wire, script: Script, key?: string) {
  const server = await startModelServer({ wire, script, ...(key && { key }), models: ['small', 'large'] })
  onTestFinished(() => server.stop())
  return server
}

interface Run {
  readonly parts: readonly TextStreamPart<ToolSet>[]
  readonly thrown: unknown
  readonly messages: readonly ModelMessage[]
}

/** One step of a streamed answer, with all that it can end in. */
async function runStep(options: Parameters<typeof streamText>[0]): Promise<Run> {
  const parts: TextStreamPart<ToolSet>[] = []
  let thrown: unknown
  let messages: readonly ModelMessage[] = []
  try {
    const result = streamText({ maxRetries: 0, onError: () => {}, tools, ...options })
    for await (const part of result.fullStream) parts.push(part)
    messages = (await result.response).messages
  } catch (error) {
    thrown = error
  }
  return { parts, thrown, messages }
}

function textOf(parts: Run['parts']): string {
  return parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('')
}

test.each(wires)(
  '%s: text, reasoning and two calls arrive in pieces; results are recorded in one shape',
  async (wire) => {
    const server = await serverOf(wire, [
      {
        reasoning: 'They want both.',
        text: 'Grüße, 👩‍💻: I ask for both.',
        calls: [
          { name: 'echo', args: { message: 'a rather long first message, in pieces' } },
          { name: 'echo', args: { message: 'zwei' } },
        ],
        usage: { input: 100, output: 20, cached: 60 },
      },
      { text: 'Done.' },
    ])
    const model = modelOf(server)
    const first = await runStep({ model, system: 'Be brief.', prompt: 'both please' })
    expect(textOf(first.parts)).toBe('Grüße, 👩‍💻: I ask for both.')
    expect(first.parts.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(2)
    const calls = first.parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
    expect(calls.map(({ toolName, input }) => [toolName, input])).toEqual([
      ['echo', { message: 'a rather long first message, in pieces' }],
      ['echo', { message: 'zwei' }],
    ])
    const finish = first.parts.find((part) => part.type === 'finish')
    expect(finish).toMatchObject({
      finishReason: 'tool-calls',
      totalUsage: { inputTokens: 100, outputTokens: 20, inputTokenDetails: { cacheReadTokens: 60 } },
    })

    const results: ModelMessage = {
      role: 'tool',
      content: calls.map(({ toolCallId, toolName, input }) => ({
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: 'text', value: `said ${(input as { message: string }).message}` },
      })),
    }
    const second = await runStep({
      model,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'both please' }, ...first.messages, results],
    })
    expect(textOf(second.parts)).toBe('Done.')
    const [one, two] = server.requests
    expect(one).toMatchObject({ system: 'Be brief.', model: 'scripted', isStream: true })
    expect(one?.messages).toEqual([{ role: 'user', text: 'both please' }])
    expect(one?.tools).toMatchObject([
      { name: 'echo', description: 'Repeats a message.', schema: { required: ['message'] } },
    ])
    expect(two?.toolsText).toBe(one?.toolsText)
    expect(two?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(two?.messages[1]).toMatchObject({
      text: 'Grüße, 👩‍💻: I ask for both.',
      calls: [
        { name: 'echo', args: { message: 'a rather long first message, in pieces' } },
        { name: 'echo', args: { message: 'zwei' } },
      ],
    })
    expect(two?.messages[2]?.results?.map(({ text }) => text)).toEqual([
      'said a rather long first message, in pieces',
      'said zwei',
    ])
  },
)

test.each(wires)('%s: an answer that is not streamed has the same content', async (wire) => {
  const server = await serverOf(wire, [{ text: 'Hello.', calls: [{ name: 'echo', args: { message: 'x' } }] }])
  const result = await generateText({ model: modelOf(server), prompt: 'hi', tools })
  expect(result.text).toBe('Hello.')
  expect(result.toolCalls.map(({ input }) => input)).toEqual([{ message: 'x' }])
  expect(server.requests[0]?.isStream).toBe(false)
})

test.each(wires)(
  '%s: a wrong key, a limit with Retry-After and a fault are answers of the wire',
  async (wire) => {
    const server = await serverOf(
      wire,
      [{ status: 429, headers: { 'retry-after': '0' } }, { text: 'after the wait' }, { status: 500 }],
      'right',
    )
    const wrong = await runStep({ model: modelOf(server), prompt: 'hi' })
    expect(wrong.parts.find((part) => part.type === 'error')).toMatchObject({ error: { statusCode: 401 } })
    const model = modelOf(server, 'scripted', 'right')
    expect(textOf((await runStep({ model, prompt: 'hi', maxRetries: 1 })).parts)).toBe('after the wait')
    const failed = await runStep({ model, prompt: 'hi' })
    expect(failed.parts.find((part) => part.type === 'error')).toMatchObject({
      error: { statusCode: 500, message: 'Scripted 500.' },
    })
    expect(server.requests).toHaveLength(3)
  },
)

test.each(wires)('%s: a cut, an unfinished, an endless and a silent stream', async (wire) => {
  const server = await serverOf(wire, [
    { text: 'half', cut: true },
    { text: 'half', unfinished: true },
    { text: 'more ', endless: true },
    { text: 'then nothing', silent: true },
  ])
  const model = modelOf(server)
  const cut = await runStep({ model, prompt: 'hi' })
  expect([textOf(cut.parts), cut.thrown ?? cut.parts.find(({ type }) => type === 'error')]).toEqual([
    'half',
    expect.anything(),
  ])
  expect(textOf((await runStep({ model, prompt: 'hi' })).parts)).toBe('half')
  for (const number of [3, 4]) {
    const stop = new AbortController()
    const running = runStep({ model, prompt: 'hi', abortSignal: stop.signal })
    const request = await server.arrived(number)
    stop.abort()
    await request.closed
    const { parts, thrown } = await running
    expect(thrown ?? parts.find(({ type }) => type === 'abort')).toBeDefined()
  }
})

test.each(wires)('%s: arguments that are no JSON and a tool that does not exist', async (wire) => {
  const server = await serverOf(wire, [
    { calls: [{ name: 'echo', rawArgs: '{"message": ' }] },
    { calls: [{ name: 'nothing', args: {} }] },
  ])
  const model = modelOf(server)
  for (let step = 0; step < 2; step++) {
    const { parts } = await runStep({ model, prompt: 'hi' })
    expect(parts.find(({ type }) => type === 'tool-call')).toMatchObject({ invalid: true })
  }
})

test.each(wires)('%s: the models of an endpoint', async (wire) => {
  const server = await serverOf(wire, [], 'right')
  const headers = { authorization: 'Bearer right', 'x-goog-api-key': 'right' }
  const response = await fetch(`${server.url}/models`, { headers })
  expect(JSON.stringify(await response.json())).toContain('large')
  expect((await fetch(`${server.url}/models`)).status).toBe(401)
  expect(server.listed).toBe(1)
})
