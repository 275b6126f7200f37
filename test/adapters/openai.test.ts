import { describe, expect, test } from 'vitest'
import { toOpenAi } from '../../src/adapters/openai.ts'
import { HostError } from '../../src/index.ts'
import { imageOf, png, resultOf, viewOf } from './view.ts'

const chatCall = (name: string, args: string, id = 'c1') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
})
const responseCall = (name: string, args: string) => ({
  type: 'function_call' as const,
  call_id: 'c1',
  name,
  arguments: args,
})

describe('toOpenAi: tools', () => {
  test('both endpoints have the same tools, each in its own format', async () => {
    const { view } = viewOf({ a: async () => resultOf('') })
    const { chat, responses } = await toOpenAi(view)
    const definition = {
      name: 'x__a',
      description: 'It is a.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      strict: false,
    }
    expect(chat.tools).toEqual([{ type: 'function', function: definition }])
    expect(responses.tools).toEqual([{ type: 'function', ...definition }])
  })

  test('strict is true for each tool whose schema fits the strict subset', async () => {
    const { view, called } = viewOf(
      { a: async () => resultOf('ok'), b: async () => resultOf('ok') },
      (name) => ({
        inputSchema:
          name === 'a'
            ? { type: 'object', properties: { text: { type: 'string' } } }
            : { type: 'object', additionalProperties: { type: 'string' } },
      }),
    )
    const { chat } = await toOpenAi(view, { strict: true })
    expect(chat.tools.map((tool) => [tool.function.name, tool.function.strict])).toEqual([
      ['x__a', true],
      ['x__b', false],
    ])
    await chat.run({ tool_calls: [chatCall('x__a', '{"text":null}')] })
    expect(called).toEqual([{ name: 'x__a', args: {}, signal: undefined }])
  })

  test('a tool whose schema cannot be expressed is left out and reported, the others stay', async () => {
    const { view } = viewOf({ a: async () => resultOf(''), b: async () => resultOf('') }, (name) =>
      name === 'a' ? { inputSchema: { type: 'object', properties: { t: { $ref: '#/$defs/none' } } } } : {},
    )
    const left: string[] = []
    const { chat } = await toOpenAi(view, { onLeftOut: ({ ref }, reason) => left.push(`${ref}: ${reason}`) })
    expect(chat.tools.map((tool) => tool.function.name)).toEqual(['x__b'])
    expect(left).toEqual([expect.stringMatching(/^x\/a: ./)])
  })
})

describe('toOpenAi: answers', () => {
  test('a result is the text of a message; the responses endpoint also gets its image', async () => {
    const text = 'A pixel:\n[image: image/png, 70 bytes]'
    const { view } = viewOf({ a: async () => resultOf(text, { blocks: [imageOf(png)] }) })
    const { chat, responses } = await toOpenAi(view)
    expect(await chat.run({ tool_calls: [chatCall('x__a', '{"text":"t"}')] })).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: text },
    ])
    expect(await responses.run({ output: [responseCall('x__a', '{"text":"t"}')] })).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text },
          { type: 'input_image', image_url: `data:image/png;base64,${png}` },
        ],
      },
    ])
    const plain = await toOpenAi(view, { images: false })
    expect(await plain.responses.run({ output: [responseCall('x__a', '{}')] })).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: text },
    ])
  })

  test.each([
    ['tool failed', async () => resultOf('no such file', { failed: true }), 'Error: no such file'],
    ['failure text begins with ERROR', async () => resultOf('ERROR 7', { failed: true }), 'ERROR 7'],
    [
      'call denied',
      async () => {
        throw new HostError('call.denied', { ref: 'x/a', reason: 'no' }, 'It was denied: no')
      },
      'Error: It was denied: no',
    ],
    [
      'server unknown',
      async () => {
        throw new HostError('server.unknown', { server: 'x' }, 'There is no server "x".')
      },
      'Error: There is no server "x".',
    ],
  ])('a failure is text that begins with "Error" (%s)', async (_, run, content) => {
    const { chat } = await toOpenAi(viewOf({ a: run }).view)
    expect(await chat.run({ tool_calls: [chatCall('x__a', '{}')] })).toEqual([
      { role: 'tool', tool_call_id: 'c1', content },
    ])
  })

  test.each([
    new TypeError('an internal error'),
    new HostError('host.closed', {}, 'The host is closed.'),
    new HostError('call.cancelled', { server: 'x', method: 'tools/call', sent: true }, 'Cancelled.'),
  ])('an error that a model can do nothing about is thrown: %s', async (error) => {
    const { chat } = await toOpenAi(viewOf({ a: () => Promise.reject(error) }).view)
    const cancelled = { signal: AbortSignal.abort() }
    await expect(chat.run({ tool_calls: [chatCall('x__a', '{}')] }, cancelled)).rejects.toBe(error)
  })

  test('arguments that are not JSON are refused, and empty arguments become {}', async () => {
    const { view, called } = viewOf({ a: async () => resultOf('ok') })
    const { chat } = await toOpenAi(view)
    const calls = [
      chatCall('x__a', '{"text":', 'c1'),
      chatCall('x__a', '', 'c2'),
      chatCall('x__a', '[1]', 'c3'),
    ]
    const contents = (await chat.run({ tool_calls: calls })).map(({ content }) => content)
    expect(contents).toEqual(['Error: The arguments are not JSON.', 'ok', 'ok'])
    expect(called.map(({ args }) => args)).toEqual([{}, [1]])
  })

  test('calls of the embedder’s own tools and custom calls are left to the embedder', async () => {
    const { view } = viewOf({ a: async () => resultOf('ok') })
    const { chat, responses } = await toOpenAi(view)
    const custom = { id: 'c3', type: 'custom' as const, custom: { name: 'x__a', input: '' } }
    const calls = [chatCall('native', '{}', 'c1'), chatCall('x__a', '{}', 'c2'), custom]
    expect(await chat.run({ tool_calls: calls })).toEqual([
      { role: 'tool', tool_call_id: 'c2', content: 'ok' },
    ])
    expect(await responses.run({ output: [] })).toEqual([])
  })

  test('the signal is passed to the call', async () => {
    const { view, called } = viewOf({ a: async () => resultOf('ok') })
    const { chat, responses } = await toOpenAi(view)
    const { signal } = new AbortController()
    await chat.run({ tool_calls: [chatCall('x__a', '{}')] }, { signal })
    await responses.run({ output: [responseCall('x__a', '{}')] }, { signal })
    expect(called.map((each) => each.signal)).toEqual([signal, signal])
  })
})

test('C25 toOpenAi: concurrency-safe tools run in parallel, every other call runs alone', async () => {
  const happened: string[] = []
  const run = (name: string) => async () => {
    happened.push(`${name} began`)
    await Promise.resolve()
    happened.push(`${name} ended`)
    return resultOf(name)
  }
  const { view } = viewOf({ a: run('a'), b: run('b'), alone: run('alone') }, (name) => ({
    concurrencySafe: name !== 'alone',
  }))
  const { chat } = await toOpenAi(view)
  const names = ['x__a', 'x__b', 'x__alone', 'x__a']
  const results = await chat.run({
    tool_calls: names.map((name, index) => chatCall(name, '{}', `c${index}`)),
  })
  expect(results.map(({ tool_call_id: id, content }) => [id, content])).toEqual([
    ['c0', 'a'],
    ['c1', 'b'],
    ['c2', 'alone'],
    ['c3', 'a'],
  ])
  expect(happened).toEqual([
    'a began',
    'b began',
    'a ended',
    'b ended',
    'alone began',
    'alone ended',
    'a began',
    'a ended',
  ])
})
