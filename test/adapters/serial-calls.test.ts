import { describe, expect, test } from 'vitest'
import { toAiSdk } from '../../src/adapters/ai-sdk.ts'
import { toAnthropic } from '../../src/adapters/anthropic.ts'
import { toToolDefs } from '../../src/adapters/boocode.ts'
import { adaptTool } from '../../src/adapters/dispatch.ts'
import { toGoogle } from '../../src/adapters/google.ts'
import { toLangChain } from '../../src/adapters/langchain.ts'
import { MCPTool } from '../../src/adapters/omp.ts'
import { toOpenAi } from '../../src/adapters/openai.ts'
import type { Host, JsonObject } from '../../src/index.ts'
import { createDispatchHost, faultyServer } from '../../src/testing.ts'
import { startDispatch } from '../systems/dispatch-support.ts'
import { inTurn, recordingHost, recordingServers } from './recording-host.ts'
import type { RunCall } from './recording-host.ts'
import { toolHost } from '../support/tool-host.ts'
import { executeTool } from './view.ts'

/** Every way in which an adapter runs one call. */
const adapters: Readonly<Record<string, (host: Host) => Promise<RunCall>>> = {
  async toAiSdk(host) {
    const set = await toAiSdk(host)
    return async (name, abortSignal) => executeTool(set[name], abortSignal && { abortSignal })
  },
  async toLangChain(host) {
    const list = await toLangChain(host)
    return async (name, signal) =>
      list.find((tool) => tool.name === name)?.invoke({}, { ...(signal && { signal }) })
  },
  async toOpenAi(host) {
    const { chat } = await toOpenAi(host)
    const toCall = (name: string) =>
      ({ id: '1', type: 'function', function: { name, arguments: '{}' } }) as const
    return (name, signal) => chat.run({ tool_calls: [toCall(name)] }, { ...(signal && { signal }) })
  },
  async toAnthropic(host) {
    const { run } = await toAnthropic(host)
    return (name, signal) =>
      run(
        { content: [{ type: 'tool_use', id: '1', name, input: {}, caller: { type: 'direct' } }] },
        { ...(signal && { signal }) },
      )
  },
  async toGoogle(host) {
    const { run } = await toGoogle(host)
    return (name, signal) => run([{ name, args: {} }], { ...(signal && { signal }) })
  },
  async 'plugboard/boocode'(host) {
    const list = await toToolDefs(host)
    return async (name, signal) => list.find((tool) => tool.name === name)?.execute({}, { signal })
  },
  async 'plugboard/omp'(host) {
    const list = host.tools().map((tool) => new MCPTool(host, tool))
    return async (name, signal) =>
      list.find((tool) => tool.name === name)?.execute('1', {}, undefined, undefined, signal)
  },
}

describe.each(Object.entries(adapters))('C25 %s', (_, adapt) => {
  test('C25 calls of one server run one at a time, also those of tools that were converted earlier', async () => {
    await using x = await recordingHost()
    const [run, earlier] = [await adapt(x.host), await adapt(x.host)]
    await Promise.all([run('x__one'), earlier('x__two'), run('x__one'), run('x__three')])
    expect(x.log).toEqual(inTurn('x/one', 'x/two', 'x/one', 'x/three'))
  })

  test('C25 calls of different servers do not wait for each other', async () => {
    await using x = await recordingHost({}, { together: 2 })
    const run = await adapt(x.host)
    await Promise.all([run('x__one'), run('y__one')])
    expect(x.log.slice(0, 2).toSorted()).toEqual(['x/one begins', 'y/one begins'])
  })

  test('C25 tools that `parallel` allows run together, the others alone', async () => {
    await using x = await recordingHost({ parallel: { x: 'readOnlyHint' } }, { together: 2 })
    const run = await adapt(x.host)
    await Promise.all([run('x__read'), run('x__look'), run('x__one'), run('x__read')])
    expect(x.log.slice(0, 2).toSorted()).toEqual(['x/look begins', 'x/read begins'])
    expect(x.log.slice(4)).toEqual(inTurn('x/one', 'x/read'))
  })

  test('C18 a call that is cancelled in line never reaches the server', async () => {
    await using x = await recordingHost()
    const run = await adapt(x.host)
    const cancel = new AbortController()
    const calls = [run('x__one'), run('x__two', cancel.signal), run('x__three')]
    cancel.abort()
    await Promise.allSettled(calls)
    expect(x.log).toEqual(inTurn('x/one', 'x/three'))
  })

  test('D19 under Dispatch one call runs at a time, whatever its server and `parallel`', async () => {
    await using x = await recordingHost({ preset: 'dispatch', parallel: { x: 'always', y: 'always' } })
    const run = await adapt(x.host)
    await Promise.all([run('x__one'), run('y__one'), run('x__read'), run('y__read')])
    expect(x.log).toEqual(inTurn('x/one', 'y/one', 'x/read', 'y/read'))
  })
})

describe('C25 the calls of one answer of a model, run together', () => {
  const runs: Readonly<Record<string, (host: Host, names: readonly string[]) => Promise<unknown>>> = {
    async toOpenAi(host, names) {
      const { chat } = await toOpenAi(host)
      const toCall = (name: string, index: number) =>
        ({ id: `${index}`, type: 'function', function: { name, arguments: '{}' } }) as const
      return chat.run({ tool_calls: names.map(toCall) })
    },
    async toAnthropic(host, names) {
      const { run } = await toAnthropic(host)
      const toUse = (name: string, index: number) =>
        ({ type: 'tool_use', id: `${index}`, name, input: {}, caller: { type: 'direct' } }) as const
      return run({ content: names.map(toUse) })
    },
    async toGoogle(host, names) {
      const { run } = await toGoogle(host)
      return run(names.map((name) => ({ name, args: {} })))
    },
  }

  test.each(Object.entries(runs))('C25 %s: servers do not wait for each other', async (_, run) => {
    await using x = await recordingHost({}, { together: 2 })
    await run(x.host, ['x__one', 'x__two', 'y__one'])
    expect(x.log.slice(0, 2).toSorted()).toEqual(['x/one begins', 'y/one begins'])
    expect(x.log.filter((each) => each.startsWith('x'))).toEqual(inTurn('x/one', 'x/two'))
  })

  test.each(Object.entries(runs))('C25 %s: what `parallel` allows runs beside its like', async (_, run) => {
    await using x = await recordingHost({ parallel: { x: 'readOnlyHint' } }, { together: 2 })
    await run(x.host, ['x__read', 'x__look', 'x__one', 'x__read'])
    expect(x.log.slice(0, 2).toSorted()).toEqual(['x/look begins', 'x/read begins'])
    expect(x.log.slice(4)).toEqual(inTurn('x/one', 'x/read'))
  })
})

test('a call inside the answer to a question of the same server runs with isSerial: false', async () => {
  const question = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } }
  const tools = ['outer', 'inner'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  const server = faultyServer({
    tools,
    on: { 'tools/call:outer': { ask: question }, 'tools/call:inner': { text: 'ok' } },
  })
  const answers: unknown[] = []
  await using opened = await toolHost(
    { s: { ...server } },
    {
      async sample() {
        const set = await toAiSdk(opened.host, { isSerial: false })
        answers.push(await executeTool(set['s__inner']))
        return { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' }
      },
    },
  )
  const set = await toAiSdk(opened.host)
  await executeTool(set['s__outer'])
  expect(answers).toEqual([expect.objectContaining({ text: 'ok' })])
})

describe('host.call', () => {
  test.each(['default', 'dispatch'] as const)('C25 does not wait for other calls (%s)', async (preset) => {
    await using x = await recordingHost({ preset })
    await Promise.all(['one', 'two', 'three'].map((name) => x.host.call(`x__${name}`)))
    expect(x.log.slice(0, 3).every((each) => each.endsWith('begins'))).toBe(true)
  })

  test('isSerial: maxTimeoutMs counts in line, and the call never reaches the server', async () => {
    await using x = await recordingHost()
    const first = x.host.call('x__one', {}, { isSerial: true })
    const second = x.host.call('x__two', {}, { isSerial: true, maxTimeoutMs: 5 })
    await expect(second).rejects.toMatchObject({ code: 'call.timeout', data: { sent: false } })
    await first
    expect(x.log).toEqual(inTurn('x/one'))
  })
})

describe('D19 the Dispatch extension', () => {
  const execute = async (name: string, conversationId: string, cwd: string, list: readonly DispatchTool[]) =>
    list.find((tool) => tool.name === name)?.execute({}, { ...context, conversationId, cwd })
  type DispatchTool = Awaited<
    ReturnType<Awaited<ReturnType<typeof startDispatch>>['turn']>
  >['assembly']['tools'][number]
  const context = { toolCallId: '1', onOutput: () => undefined, signal: new AbortController().signal }

  async function dispatched() {
    const { log, entries } = await recordingServers()
    const x = await startDispatch()
    const toEntry = ({ url }: JsonObject) => ({ transport: 'http', url })
    const cwd = x.project({ x: toEntry(entries.x), y: toEntry(entries.y) })
    const { assembly, call } = await x.turn(cwd)
    return { log, cwd, call, tools: assembly.tools, [Symbol.asyncDispose]: () => x[Symbol.asyncDispose]() }
  }

  test('D19 one call of a conversation runs at a time, whatever its server', async () => {
    await using x = await dispatched()
    await Promise.all(['x__one', 'y__one', 'x__read'].map((name) => execute(name, 'c1', x.cwd, x.tools)))
    expect(x.log).toEqual(inTurn('x/one', 'y/one', 'x/read'))
  })

  test('D19 conversations wait for each other only at the same server', async () => {
    await using x = await dispatched()
    await Promise.all([
      execute('x__one', 'c1', x.cwd, x.tools),
      execute('x__two', 'c2', x.cwd, x.tools),
      execute('y__one', 'c3', x.cwd, x.tools),
    ])
    expect(x.log.slice(0, 2).toSorted()).toEqual(['x/one begins', 'y/one begins'])
    expect(x.log.filter((each) => each.startsWith('x'))).toEqual(inTurn('x/one', 'x/two'))
  })

  test('D19 turn.call of createDispatchHost', async () => {
    await using x = await dispatched()
    await Promise.all(['x__one', 'x__two', 'x__three'].map((name) => x.call(name)))
    expect(x.log).toEqual(inTurn('x/one', 'x/two', 'x/three'))
  })

  test('D19 createDispatchHost runs tools that are not concurrencySafe one at a time, the others at once', async () => {
    const log: string[] = []
    const toTool = (name: string, more: { readonly concurrencySafe?: boolean }) => ({
      name,
      description: '',
      parameters: { type: 'object' as const },
      async execute() {
        log.push(`${name} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        log.push(`${name} ends`)
        return { content: name }
      },
      ...more,
    })
    const unsafe = { concurrencySafe: false }
    const host = createDispatchHost({ tools: [toTool('a', unsafe), toTool('b', unsafe), toTool('c', {})] })
    const { call } = await host.turn({ conversationId: 'c1' })
    expect(await Promise.all([call('a'), call('b'), call('c')])).toEqual(
      ['a', 'b', 'c'].map((content) => ({ content })),
    )
    expect(log.filter((each) => !each.startsWith('c'))).toEqual(inTurn('a', 'b'))
    expect(log.indexOf('c begins')).toBeLessThan(log.indexOf('a ends'))
  })

  test('D19 adaptTool: the calls of one client run one at a time', async () => {
    const log: string[] = []
    const client = {
      async callTool(name: string) {
        log.push(`${name} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        log.push(`${name} ends`)
        return { content: [] }
      },
    }
    const adapted = ['a', 'b'].map((name) => adaptTool('s', { name, inputSchema: {} }, client))
    const results = await Promise.all(adapted.map((tool) => tool.execute({}, context)))
    expect({ log, results }).toEqual({ log: inTurn('a', 'b'), results: [{ content: '' }, { content: '' }] })
  })
})
