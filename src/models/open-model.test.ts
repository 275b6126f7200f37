import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../test/support/model-server.ts'
import type { ModelServerOptions, Script, Wire } from '../../test/support/model-server.ts'
import { createPerson } from '../../test/support/person.ts'
import { createAgent } from '../agent.ts'
import { createHost } from '../index.ts'
import type { HostError } from '../model/error.ts'
import { listModels } from './list-models.ts'
import { openModel } from './open-model.ts'
import { tryModel } from './try-model.ts'

const kinds: Readonly<Record<Wire, object>> = {
  'openai-chat': { kind: 'openai-compatible' },
  'openai-responses': { kind: 'openai' },
  anthropic: { kind: 'anthropic' },
  google: { kind: 'google' },
}

const secret = 'the-key-of-this-person'

/** A scripted model behind the endpoint `mine` of a person. */
async function endpointOf(
  wire: Wire,
  script: Script,
  options: Partial<ModelServerOptions> & {
    readonly entry?: object
    readonly env?: Record<string, string>
  } = {},
) {
  const { entry = {}, env = { KEY: secret }, ...rest } = options
  const server = await startModelServer({ wire, script, key: secret, ...rest })
  onTestFinished(() => server.stop())
  const mine = { ...kinds[wire], url: server.url, key: '${env:KEY}', ...entry }
  const { platform } = createPerson({ '~/.config/plugboard/settings.json': { endpoints: { mine } } }, { env })
  return { server, platform }
}

const ready = { calls: [{ name: 'report', args: { word: 'ready' } }] }

const wires: readonly Wire[] = ['openai-chat', 'openai-responses', 'anthropic', 'google']

describe.each(wires)('%s', (wire) => {
  test('a model streams, calls a tool and reports its usage, with the key of the person', async () => {
    const { server, platform } = await endpointOf(wire, [ready])
    const trial = await tryModel('mine/scripted', { platform })
    expect(trial).toMatchObject({ model: 'mine/scripted', callsTools: true, reportsUsage: true })
    const [request] = server.requests
    expect(request).toMatchObject({ model: 'scripted', isStream: true })
    expect(request?.bodyText).not.toContain(secret)
    expect(JSON.stringify(request?.headers)).not.toContain('stand-in')
  })

  test('its models are listed', async () => {
    const { platform } = await endpointOf(wire, [], { models: ['small', 'large'] })
    const { endpoints } = await listModels({ platform, endpoint: 'mine' })
    expect(endpoints).toMatchObject([
      {
        name: 'mine',
        state: 'ready',
        key: 'KEY',
        models: [
          { ref: 'mine/small', id: 'small' },
          { ref: 'mine/large', id: 'large' },
        ],
      },
    ])
  })

  test.each([
    [
      { status: 401 },
      'model.unauthorized',
      /^mine refused the key of KEY \(401\)/,
      /plugboard models add mine/,
    ],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      'model.busy',
      /no more requests now \(429\)/,
      /in 7 s/,
    ],
    [{ status: 503 }, 'model.unavailable', /answered with the status 503/, /Try again later/],
    [{ status: 400 }, 'model.refused', /rejected the request \(400\)/, /^$/],
    [{ status: 404 }, 'model.unknown', /has no model "scriptes" \(404\)/, /Did you mean mine\/scripted\?/],
    [
      { status: 403, body: { error: { message: `bad ${secret}` } } },
      'model.unauthorized',
      /^mine refused the key of KEY \(403\): bad •••\.$/,
      /--key/,
    ],
  ])('T64 %j is an error with the next step, and without the key', async (answer, code, message, hint) => {
    const { platform } = await endpointOf(wire, [answer])
    const error = await tryModel('mine/scriptes', { platform }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string })
    expect((error as HostError).hint ?? '').toMatch(hint)
  })
})

describe('a model that cannot be asked', () => {
  const failureOf = async (ref: string, platform: Awaited<ReturnType<typeof endpointOf>>['platform']) =>
    tryModel(ref, { platform }).catch((thrown: unknown) => thrown)

  test('nothing listens: the error says how to start the program', async () => {
    const { server, platform } = await endpointOf('openai-chat', [])
    const url = server.url
    await server.stop()
    const there = createPerson({ '~/.config/plugboard/settings.json': { endpoints: { ollama: { url } } } })
    expect(await failureOf('ollama/m', there.platform)).toMatchObject({
      code: 'model.unavailable',
      data: { endpoint: 'ollama', reason: 'refused' },
      message: expect.stringContaining(`Ollama cannot be reached at ${url}: Nothing listens at`) as string,
      hint: expect.stringContaining('Is Ollama running? Start it: ollama serve.') as string,
    })
    const { endpoints } = await listModels({ platform, endpoint: 'mine' })
    expect(endpoints).toMatchObject([{ state: 'unreachable', models: [] }])
  })

  test('a key that is not set is named, and nothing is sent', async () => {
    const { server, platform } = await endpointOf('openai-chat', [ready], { env: {} })
    expect(await failureOf('mine/scripted', platform)).toMatchObject({
      code: 'model.unauthorized',
      message: '"endpoints.mine.key" needs KEY.',
    })
    expect(await failureOf('openai/gpt-5', platform)).toMatchObject({
      code: 'model.unauthorized',
      message: 'There is no key for OpenAI.',
      hint: expect.stringContaining('Set OPENAI_API_KEY') as string,
    })
    expect(server.requests).toEqual([])
  })

  test('a cut stream is worded, and one that was given up is not', async () => {
    const { platform } = await endpointOf('openai-chat', [{ text: 'I', cut: true }])
    expect(await failureOf('mine/scripted', platform)).toMatchObject({
      code: 'model.unavailable',
      data: { reason: 'reset' },
    })
    const model = await openModel('mine/scripted', { platform })
    expect(await model.toError(new Error('mine'))).toBeUndefined()
  })

  test('a url without /v1 is a 404 for every model', async () => {
    const { server } = await endpointOf('openai-chat', [])
    const mine = { kind: 'openai-compatible', url: server.url.replace(/\/v1$/, ''), key: secret }
    const { platform } = createPerson({ '~/.config/plugboard/settings.json': { endpoints: { mine } } })
    expect(await failureOf('mine/scripted', platform)).toMatchObject({
      code: 'model.unavailable',
      data: { reason: 'http-404' },
      hint: expect.stringContaining('most end with /v1') as string,
    })
  })

  test('an OpenAI endpoint that knows only chat completions: the setting that helps is named', async () => {
    const chatOnly = {
      code: 'model.unavailable',
      data: { reason: 'chat-only' },
      message: expect.stringContaining('but not its responses API.') as string,
      hint: 'Use the chat API: plugboard models add mine --api chat --force',
    }
    // One has no such address, another answers there as it answers everywhere.
    const { platform } = await endpointOf('openai-chat', [], { entry: { kind: 'openai' } })
    expect(await failureOf('mine/scripted', platform)).toMatchObject(chatOnly)
    const chunk = { id: 'x', object: 'chat.completion.chunk', choices: [{ delta: { content: 'Hi' } }] }
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const mine = {
      kind: 'openai',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      key: secret,
    }
    const other = createPerson({ '~/.config/plugboard/settings.json': { endpoints: { mine } } })
    expect(await failureOf('mine/scripted', other.platform)).toMatchObject(chatOnly)
  })

  test('a model that answers in words is a result: it calls no tools', async () => {
    const { platform } = await endpointOf('anthropic', [{ text: 'I cannot do that.' }])
    expect(await tryModel('mine/scripted', { platform })).toMatchObject({
      callsTools: false,
      text: 'I cannot do that.',
    })
  })
})

test('the facts of a model: settings first, then the table; what neither has is absent', async () => {
  const endpoints = {
    openai: { key: 'sk-0123456789', models: { 'gpt-5': { window: 1000 }, own: { window: 5, maxOutput: 2 } } },
    local: { kind: 'openai-compatible', url: 'http://127.0.0.1:9/v1' },
  }
  const { platform } = createPerson({ '~/.config/plugboard/settings.json': { endpoints } })
  const factsOf = async (ref: string) => {
    const { window, maxOutput, price, provider } = await openModel(ref, { platform })
    return { window, maxOutput, input: price?.input, provider }
  }
  expect(await factsOf('openai/gpt-5')).toEqual({
    window: 1000,
    maxOutput: undefined,
    input: 1.25,
    provider: 'openai',
  })
  expect(await factsOf('openai/own')).toMatchObject({ window: 5, maxOutput: 2, input: undefined })
  expect(await factsOf('anthropic/claude-sonnet-4-5')).toMatchObject({
    window: 200_000,
    provider: 'anthropic',
  })
  expect(await factsOf('local/gpt-5')).toMatchObject({ window: undefined, input: undefined })
})

test('an agent: the longest answer of the settings is asked for, a failure is worded, the key is masked', async () => {
  const { server, platform } = await endpointOf(
    'anthropic',
    [{ text: `The key is ${secret}.` }, { status: 401, body: { error: { message: `not ${secret}` } } }],
    { entry: { models: { scripted: { maxOutput: 77 } } } },
  )
  const host = await createHost({ platform, sources: [] })
  onTestFinished(() => host.close())
  const agent = await createAgent({ host, model: await openModel('mine/scripted', { platform }) })
  expect(await agent.send('Hello').finished).toMatchObject({ outcome: 'done', text: 'The key is •••.' })
  expect(server.requests[0]?.body).toMatchObject({ max_tokens: 77 })
  expect(await agent.send('Hello').finished).toMatchObject({
    outcome: 'failed',
    reason: 'mine refused the key of KEY (401): not •••.',
    hint: "Check that key, or use another one: plugboard models add mine --key '${env:NAME}' --force",
  })
})

test('T65 a model whose name would change the path of a request is refused, with the place that names it', async () => {
  const { server, platform } = await endpointOf('google', [])
  const evil = 'mine/../../admin/delete?x='
  await expect(openModel(evil, { platform })).rejects.toThrow(/^"mine\/.*is no model: its name has blanks/)
  const env = { ...platform.env, PLUGBOARD_MODEL: evil }
  await expect(openModel(undefined, { platform: { ...platform, env } })).rejects.toThrow(
    /^PLUGBOARD_MODEL names it/,
  )
  expect(server.requests).toEqual([])
})
