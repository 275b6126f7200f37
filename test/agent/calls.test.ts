import { expect, test } from 'vitest'
import type { McpServer } from '@modelcontextprotocol/server'
import type { AgentEvent } from '../../src/agent.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'

const call = (name: string, text = '') => ({ name, args: { text } })

/** The results of the calls in a turn, by the names of their tools. */
function outcomes(events: readonly AgentEvent[]) {
  return eventsOf(events, 'call.finished').map(({ name, outcome, text }) => [name, outcome, text])
}

test('agent: a turn calls a tool, gives its result to the model and ends with its text', async () => {
  const { model, requests } = scriptedModel(
    { text: 'I look.', calls: [{ name: 'x__echo', args: { text: 'hello' } }] },
    { text: 'It said hello.' },
  )
  await using world = await openAgent({ x: serverOf({ echo: ({ text }) => `echo ${String(text)}` }) }, model)
  const finished = await world.agent.send('Echo hello').finished
  expect(finished).toMatchObject({ outcome: 'done', text: 'It said hello.', steps: 2 })
  expect(finished.usage).toEqual({ inputTokens: 20, outputTokens: 10, cachedTokens: 0, isEstimated: false })
  expect(requests[1]?.prompt.slice(1)).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'Echo hello' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolName: 'x__echo' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', output: { type: 'text', value: 'echo hello' } }] },
  ])
  const types = world.events.map(({ type }) => type)
  expect(types.filter((type, at) => type !== 'text' || types[at - 1] !== 'text')).toEqual([
    'turn.started',
    'tools.offered',
    'step.started',
    'text',
    'call.started',
    'call.finished',
    'step.finished',
    'step.started',
    'text',
    'step.finished',
    'turn.finished',
  ])
  expect(eventsOf(world.events, 'call.finished')).toMatchObject([
    { name: 'x__echo', ref: 'x/echo', outcome: 'done', text: 'echo hello', result: 'r1' },
  ])
  expect(world.agent.messages().map(({ role, seq }) => [seq, role])).toEqual([
    [1, 'user'],
    [2, 'assistant'],
    [3, 'tool'],
    [4, 'assistant'],
  ])
  expect(world.agent.conversation).toMatchObject({ title: 'Echo hello', length: 4, cwd: world.home })
})

test('C25 calls of one step: tools that may run in parallel overlap, others run alone and in order', async () => {
  const log: string[] = []
  let onBoth = (): void => undefined
  const bothBegan = new Promise<void>((resolve) => (onBoth = resolve))
  const tool = (name: string) => async (args: object) => {
    log.push(`${name} begins`)
    if (log.includes('c begins') && log.includes('d begins')) onBoth()
    if (name === 'c' || name === 'd') await bothBegan
    await new Promise((resolve) => setTimeout(resolve, 5))
    log.push(`${name} ends`)
    return JSON.stringify(args)
  }
  const { model } = scriptedModel(
    { calls: ['r__a', 'w__b', 'r__c', 'r__d', 'w__e', 'w__f'].map((name) => call(name)) },
    { text: 'done' },
  )
  const servers = {
    r: serverOf({ a: tool('a'), c: tool('c'), d: tool('d') }),
    w: serverOf({ b: tool('b'), e: tool('e'), f: tool('f') }, { isReadOnly: false }),
  }
  await using world = await openAgent(servers, model, { host: { parallel: { r: 'readOnlyHint' } } })
  await world.agent.send('go').finished
  expect(log.slice(0, 4)).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  expect(log.slice(4, 6)).toEqual(['c begins', 'd begins'])
  expect(log.slice(8)).toEqual(['e begins', 'e ends', 'f begins', 'f ends'])
  const results = world.agent.messages().find(({ role }) => role === 'tool')?.content
  expect(results).toMatchObject(
    ['r__a', 'w__b', 'r__c', 'r__d', 'w__e', 'w__f'].map((toolName) => ({ toolName })),
  )
})

test('a failed tool, an unknown tool, arguments that are no JSON and invalid arguments are results for the model', async () => {
  const { model, requests } = scriptedModel(
    {
      calls: [
        call('x__fails'),
        call('x__nothing'),
        { name: 'x__echo', raw: '{"text": "half' },
        { name: 'x__echo', args: { text: 7 } },
        call('x__echo', 'good'),
      ],
    },
    { text: 'done' },
  )
  const x = serverOf({
    fails: () => ({ text: 'no such file', isError: true }),
    echo: ({ text }) => String(text),
  })
  await using world = await openAgent({ x }, model)
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done' })
  expect(outcomes(world.events)).toEqual([
    ['x__fails', 'failed', 'no such file'],
    ['x__nothing', 'failed', expect.stringContaining('There is no tool "x__nothing"')],
    ['x__echo', 'failed', 'The arguments are not JSON. The tool was not called.'],
    ['x__echo', 'failed', expect.stringContaining('text: expected string, got 7')],
    ['x__echo', 'done', 'good'],
  ])
  // A provider gets a result for each call, with the arguments as an object.
  const [calls, results] = (requests[1]?.prompt ?? []).slice(2).map(({ content }) => content)
  expect(calls).toMatchObject([{}, {}, { input: {} }, { input: { text: 7 } }, {}])
  expect(results).toMatchObject(Array.from({ length: 5 }, (_, at) => ({ toolCallId: `c1_${at + 1}` })))
})

test('a refused call is a result for the model, and the turn ends as refused if the model gives up', async () => {
  const x = serverOf({ write: () => 'written', read: () => 'read' })
  const policy = [{ tools: ['x__write'], effect: 'deny' as const, reason: 'Not here.' }]
  const { model } = scriptedModel({ calls: [call('x__write')] }, { text: 'I could not write.' })
  await using world = await openAgent({ x }, model, { host: { policy } })
  expect(await world.agent.send('write').finished).toMatchObject({
    outcome: 'refused',
    text: 'I could not write.',
    reason: 'The calls that the model needed were refused.',
  })
  expect(outcomes(world.events)).toEqual([['x__write', 'refused', expect.stringContaining('Not here.')]])
  expect(eventsOf(world.events, 'call.finished')[0]?.error?.code).toBe('call.denied')
  const other = scriptedModel(
    { calls: [call('x__write')] },
    { calls: [call('x__read')] },
    { text: 'I read it.' },
  )
  await world.agent.use({ model: other.model })
  expect(await world.agent.send('again').finished).toMatchObject({ outcome: 'done' })
})

test('the same call with the same result: the model is told after 3, and the turn ends after 10', async () => {
  const { model, requests } = scriptedModel({ calls: [call('x__echo', 'same')] })
  let calls = 0
  const echo = ({ text }: Readonly<Record<string, unknown>>) => {
    calls++
    return String(text)
  }
  await using world = await openAgent({ x: serverOf({ echo }) }, model)
  expect(await world.agent.send('go').finished).toMatchObject({
    outcome: 'limit',
    limit: 'sameCalls',
    reason: 'The model made the same call 10 times with the same result.',
    hint: 'Send a prompt to go on from here, or raise limits.maxSameCalls (now 10).',
  })
  expect([calls, requests.length]).toEqual([10, 11])
  expect(outcomes(world.events)[2]).toEqual(['x__echo', 'done', 'same'])
  // The note is for the model; a person sees the result.
  expect(outcomes(world.events)[3]).toEqual(['x__echo', 'done', 'same'])
  expect(JSON.stringify(requests[4]?.prompt)).toContain(
    'This is call 4 with the same arguments and the same result.',
  )
  // A result that changes begins a new count: waiting for something is no loop.
  const waits = scriptedModel(...Array.from({ length: 12 }, () => ({ calls: [call('x__count')] })), {
    text: 'ready',
  })
  await using other = await openAgent({ x: serverOf({ count: () => String(calls++) }) }, waits.model)
  expect(await other.agent.send('wait').finished).toMatchObject({ outcome: 'done', steps: 13 })
})

test('a hundred equal calls in one answer end the turn, and every call has a result', async () => {
  const { model } = scriptedModel({ calls: Array.from({ length: 100 }, () => call('x__echo', 'same')) })
  await using world = await openAgent({ x: serverOf({ echo: () => 'same' }) }, model)
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'limit', limit: 'sameCalls' })
  expect(world.agent.messages().at(-1)).toMatchObject({ role: 'tool', content: { length: 100 } })
})

test('progress of a call is an event, and T16 each result keeps its server and its tool, as untrusted', async () => {
  const server: McpServer = serverOf({})
  server.registerTool('slow', {}, async (context) => {
    const token = context.mcpReq._meta?.progressToken ?? ''
    await context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress: 1, total: 2, message: 'half' },
    })
    return { content: [{ type: 'text', text: 'ready' }] }
  })
  const { model } = scriptedModel({ calls: [{ name: 'x__slow' }] }, { text: 'done' })
  await using world = await openAgent({ x: server }, model)
  await world.agent.send('go').finished
  expect(eventsOf(world.events, 'call.progressed')).toMatchObject([
    { id: 'c1_1', progress: 1, total: 2, message: 'half' },
  ])
  const results = world.agent.messages().find(({ role }) => role === 'tool')?.content
  expect(results).toMatchObject([
    {
      providerOptions: {
        plugboard: { id: 'r1', server: 'x', tool: 'slow', untrusted: true, ms: expect.any(Number) },
      },
    },
  ])
})
