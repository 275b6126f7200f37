import { describe, expect, test } from 'vitest'
import { agentOn, reader, runAgent } from '../support/agent-run.ts'
import { Stores } from '../support/stores.ts'
import { serverWithTools } from '../support/tool-host.ts'

const good = serverWithTools([reader('add')])

describe('agent: models that misbehave', () => {
  test('the same call a hundred times: the model is told, then the turn ends with its limit', async () => {
    const run = await runAgent({
      servers: { good },
      script: () => ({ calls: [{ name: 'good__add', args: { a: 1 } }] }),
      options: { limits: { steps: 100 } },
    })
    expect(await run.ask('Add.')).toMatchObject({ outcome: 'limit', reason: expect.stringMatching(/same/i) })
    expect(run.model.requests.length).toBeLessThan(20)
    const told =
      run.model.requests.at(-1)?.messages.flatMap(({ results = [] }) => results.map(({ text }) => text)) ?? []
    expect(told.some((text) => /same/i.test(text))).toBe(true)
  })

  test('the same call a hundred times in one step ends as well', async () => {
    const run = await runAgent({
      servers: { good },
      script: [
        { calls: Array.from({ length: 100 }, () => ({ name: 'good__add', args: { a: 1 } })) },
        { text: 'Done.' },
      ],
    })
    const finished = await run.ask('Add.')
    expect(['done', 'limit']).toContain(finished.outcome)
    expect(run.eventsOf('call.finished').filter(({ outcome }) => outcome === 'done').length).toBeLessThan(20)
  })

  test('a model that never stops calling ends at the limit of steps, and the conversation goes on', async () => {
    let count = 0
    const run = await runAgent({
      servers: { good },
      script: () => ({ calls: [{ name: 'good__add', args: { a: ++count } }] }),
      options: { limits: { steps: 5 } },
    })
    expect(await run.ask('Add.')).toMatchObject({
      outcome: 'limit',
      steps: 5,
      reason: expect.stringMatching(/5/),
    })
    run.model.play([{ text: 'Stopped.' }])
    expect(await run.ask('Stop.')).toMatchObject({ outcome: 'done', text: 'Stopped.' })
  })

  test.each([
    [-1_000_000_000, 5],
    [1e300, 5],
    [5, -1e12],
  ])('FI-96 usage that cannot be true is estimated: %d in, %d out', async (input, output) => {
    const run = await runAgent({ script: () => ({ text: 'Yes.', usage: { input, output, cached: -7 } }) })
    const { usage, outcome } = await run.ask('Is it?')
    expect(outcome).toBe('done')
    expect(usage).toMatchObject({ isEstimated: true, cachedTokens: 0 })
    expect(usage.inputTokens).toBeGreaterThan(0)
    expect(usage.inputTokens).toBeLessThan(10_000)
    expect(usage.outputTokens).toBeGreaterThan(0)
  })

  test('FI-96 a call by a name or with an ID that no provider takes is kept under others, and the model is told', async () => {
    const run = await runAgent({
      servers: { good },
      script: [
        {
          calls: [
            { name: 'good/add', args: { a: 1 } },
            { name: 'good\u001b[31m.bad name', args: {}, id: 'x\u001b'.repeat(500) },
            { name: 'x'.repeat(100_000), args: {}, id: 'y'.repeat(5000) },
          ],
        },
        { text: 'Done.' },
      ],
    })
    expect(await run.ask('Add.')).toMatchObject({ outcome: 'done' })
    const request = run.model.requests[1]
    expect(request?.bodyText.length).toBeLessThan(10_000)
    const calls = request?.messages.flatMap((message) => message.calls ?? []) ?? []
    expect(calls.map(({ name }) => name)).toEqual(['good_add', 'good__31m_bad_name', 'x'.repeat(64)])
    expect(calls.slice(1).map(({ id }) => id)).toEqual(['call', 'call_2'])
    const results = request?.messages.flatMap((message) => message.results ?? []) ?? []
    expect(run.eventsOf('call.finished').map(({ outcome }) => outcome)).toEqual(['done', 'failed', 'failed'])
    for (const { text } of results.slice(1)) expect(text).toMatch(/only letters/)
    expect(JSON.stringify(run.events).length).toBeLessThan(10_000)
  })

  test('an endless stream ends at the limit of time, and the connection is closed', async () => {
    const run = await runAgent({
      script: [{ endless: true }, { endless: 'arguments', calls: [{ name: 'good__add', rawArgs: '{' }] }],
      servers: { good },
      options: { limits: { timeMs: 300 } },
    })
    expect(await run.ask('Talk.')).toMatchObject({
      outcome: 'limit',
      reason: expect.stringMatching(/time|s\b/i),
    })
    await run.model.requests[0]?.closed
    expect(await run.ask('Call.')).toMatchObject({ outcome: 'limit' })
    await run.model.requests[1]?.closed
  })

  test('a model that falls silent in its answer ends the turn', async () => {
    const run = await runAgent({
      script: () => ({ text: 'I', silent: true }),
      options: { limits: { idleMs: 100 } },
    })
    expect(await run.ask('Talk.')).toMatchObject({ outcome: 'limit', limit: 'idleMs' })
    await run.model.requests[0]?.closed
  })

  test('two agents on one conversation: the later prompt follows what is there, and nothing is lost', async () => {
    const stores = new Stores('libsql')
    try {
      const store = await stores.open()
      const first = await runAgent({ script: () => ({ text: 'Yes.' }), options: { store } })
      await first.ask('One.')
      const { id } = first.agent.conversation
      const second = await agentOn(first.servers, first.model, { store, conversation: id })
      await first.ask('Two.')
      expect(await second.ask('Three.')).toMatchObject({ outcome: 'done' })
      const kept = await store.conversations.messages(id)
      expect(kept.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual([
        'One.',
        'Two.',
        'Three.',
      ])
    } finally {
      await stores.close()
    }
  })

  test('10,000 messages: opens, drops old results first, says so, and answers', async () => {
    const stores = new Stores('libsql')
    try {
      const store = await stores.open()
      const run = await runAgent({ script: () => ({ text: 'Yes.' }), options: { store }, servers: { good } })
      const { id, length } = run.agent.conversation
      const turns = Array.from({ length: 2500 }, (_, n) => [
        { role: 'user', content: `Question ${n}` },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: `c${n}`, toolName: 'good__add', input: { n } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: `c${n}`,
              toolName: 'good__add',
              output: { type: 'text', value: `result ${n} `.repeat(50) },
            },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: `Answer ${n}` }] },
      ]).flat()
      await store.conversations.append(id, length, turns)
      const again = await agentOn(run.servers, run.model, { store, conversation: id })
      expect(again.agent.messages()).toHaveLength(10_000)
      expect(await again.ask('And now?')).toMatchObject({ outcome: 'done', text: 'Yes.' })
      expect(again.eventsOf('results.dropped').length).toBeGreaterThan(0)
      expect(await store.conversations.messages(id)).toHaveLength(10_002)
    } finally {
      await stores.close()
    }
  })
})
