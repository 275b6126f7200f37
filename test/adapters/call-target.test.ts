import { describe, expect, test } from 'vitest'
import { toAiSdk } from '../../src/adapters/ai-sdk.ts'
import { toOpenAi } from '../../src/adapters/openai.ts'
import type { Host, JsonObject } from '../../src/index.ts'
import { newHome, serverWithTools, toolHost, writeServers } from '../support/tool-host.ts'
import type { Entries, ToolHostOptions } from '../support/tool-host.ts'
import { executeTool } from './view.ts'

const typed = { type: 'object', properties: { n: { type: 'number' } } }
const harmless = serverWithTools([{ name: 'c', inputSchema: typed }])

const chatCall = (name: string, args: JsonObject = {}) => ({
  id: name,
  type: 'function' as const,
  function: { name, arguments: JSON.stringify(args) },
})

/** Offers tools, reloads with other servers, and then calls a tool that was offered before. */
async function acrossReload(after: Entries, options: ToolHostOptions = { naming: 'single' }) {
  const home = newHome()
  const x = await toolHost({ a_b: harmless }, { home, ...options })
  const { chat } = await toOpenAi(x.host)
  const set = await toAiSdk(x.host)
  writeServers(home, after)
  await x.host.reload()
  const called = () => x.events.flatMap((event) => (event.type === 'call.started' ? [event.ref] : []))
  return {
    called,
    chat: async (args: JsonObject = {}) =>
      (await chat.run({ tool_calls: [chatCall('a_b_c', args)] }))[0]?.content,
    aiSdk: async () => executeTool(set['a_b_c']),
    [Symbol.asyncDispose]: () => x.host.close(),
  }
}

describe('model call after a reload: runs the tool that was offered under the name', () => {
  test('T13 another server cannot take over the calls of a tool by using its name', async () => {
    await using x = await acrossReload({ a_b: harmless, a: serverWithTools(['b_c']) })
    await x.chat()
    await x.aiSdk()
    expect(x.called()).toEqual(['a_b/c', 'a_b/c'])
  })

  test('an error message has the name the model knows, even if the tool has another one now', async () => {
    await using x = await acrossReload({ a_b: harmless, a: serverWithTools(['b_c']) })
    expect(await x.chat({ n: 'many' })).toBe(
      'Error: "a_b_c" was not called, because its arguments are invalid:\n- n: expected number, got "many"',
    )
  })

  test('an error message has the name the model knew if the tool is gone', async () => {
    await using x = await acrossReload({})
    expect(await x.chat()).toBe('Error: There is no tool "a_b_c".')
    await expect(x.aiSdk()).rejects.toMatchObject({
      code: 'tool.unknown',
      message: 'There is no tool "a_b_c".',
    })
    await using off = await acrossReload({ a_b: { ...harmless, enabled: false } })
    expect(await off.chat()).toBe(
      'Error: There is no tool "a_b_c" now. "a_b" is switched off. Switch it on: plugboard enable a_b',
    )
  })

  test('an error message shows the ref if the tool is gone and another tool has its name', async () => {
    await using x = await acrossReload({ a: serverWithTools(['b_c']) })
    expect(await x.chat()).toBe('Error: There is no tool "a_b/c". Did you mean "a_b_c"?')
    expect(x.called()).toEqual([])
  })
})

describe('C25 model calls: the target tool decides whether a call runs in parallel', () => {
  const readOnly = { annotations: { readOnlyHint: true } }
  const server = serverWithTools([
    { name: 'one', ...readOnly },
    { name: 'two', ...readOnly },
    { name: 'alone' },
  ])

  /** The order in which the calls began and ended. */
  async function together(
    host: Host,
    calls: readonly (readonly [string, JsonObject?])[],
    mode: 'all' | 'search',
  ) {
    const { chat } = await toOpenAi(host, { mode })
    const happened: string[] = []
    using _ = host.on((event) => {
      if (event.type === 'call.started') happened.push(`${event.ref} began`)
      if (event.type === 'call.finished') happened.push(`${event.ref} ended`)
    })
    await chat.run({ tool_calls: calls.map(([name, args]) => chatCall(name, args)) })
    return happened
  }

  const inTurn = ['s/one began', 's/one ended', 's/alone began', 's/alone ended']

  test.each([
    [
      'called through call_tool',
      'search',
      [
        ['call_tool', { name: 's__one' }],
        ['call_tool', { name: 's__alone' }],
      ],
    ],
    [
      'called by a ref through call_tool',
      'search',
      [
        ['call_tool', { name: 's/one' }],
        ['call_tool', { name: 's/alone' }],
      ],
    ],
    ['called without having been offered', 'search', [['s__one'], ['s__alone']]],
    ['called by its ref', 'all', [['s/one'], ['s/alone']]],
    [
      'called through a call_tool that was not offered',
      'all',
      [
        ['call_tool', { name: 's__one' }],
        ['call_tool', { name: 's__alone' }],
      ],
    ],
  ] as const)('a tool that is not concurrency-safe runs alone when %s', async (_, mode, calls) => {
    await using x = await toolHost({ s: server }, { parallel: { s: 'readOnlyHint' } })
    expect(await together(x.host, calls, mode)).toEqual(inTurn)
  })

  test.each([
    [
      'called through call_tool',
      [
        ['call_tool', { name: 's__one' }],
        ['call_tool', { name: 's/two' }],
      ],
    ],
    ['called without having been offered', [['s__one'], ['s/two']]],
  ] as const)('two concurrency-safe tools run in parallel when %s', async (_, calls) => {
    await using x = await toolHost({ s: server }, { parallel: { s: 'readOnlyHint' } })
    const happened = await together(x.host, calls, 'search')
    expect(happened.slice(0, 2)).toEqual(['s/one began', 's/two began'])
  })
})
