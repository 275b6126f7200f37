import { describe, expect, test } from 'vitest'
import { wires } from '../support/model-server.ts'
import { reader, runAgent } from '../support/agent-run.ts'
import { serverWithTools } from '../support/tool-host.ts'

const two = {
  docs: serverWithTools([reader('search')]),
  math: serverWithTools([reader('add')]),
}

describe('agent: the loop over every wire format', () => {
  test.each(wires)(
    'L12 D3 %s: the model sees the tools of two servers, calls both, gets the results and answers',
    async (wire) => {
      const run = await runAgent({
        wire,
        servers: two,
        script: [
          {
            text: 'I look.',
            calls: [
              { name: 'docs__search', args: { q: 'ünïcode 👩‍💻' } },
              { name: 'math__add', args: { a: 1, b: 2 } },
            ],
            usage: { input: 100, output: 10, cached: 0 },
          },
          { text: 'Both answered.', usage: { input: 150, output: 5, cached: 100 } },
          { text: 'Again.', usage: { input: 160, output: 5, cached: 150 } },
        ],
      })
      const finished = await run.ask('Use both.')
      expect(finished).toMatchObject({
        outcome: 'done',
        text: 'Both answered.',
        steps: 2,
        usage: { inputTokens: 250, outputTokens: 15, cachedTokens: 100, isEstimated: false },
      })
      const [first, second] = run.model.requests
      expect(first?.tools.map(({ name }) => name)).toEqual(['docs__search', 'math__add'])
      expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
      expect(second?.messages[1]?.text).toBe('I look.')
      const results = second?.messages[2]?.results ?? []
      expect(results.map(({ text }) => text)).toEqual([
        expect.stringContaining('ünïcode 👩‍💻'),
        expect.stringContaining('"b":2'),
      ])
      expect(run.eventsOf('call.finished').map(({ name, outcome }) => [name, outcome])).toEqual([
        ['docs__search', 'done'],
        ['math__add', 'done'],
      ])
      // A second turn goes on with the whole conversation; the definitions are the same bytes.
      expect(await run.ask('And again?')).toMatchObject({ outcome: 'done', text: 'Again.' })
      const third = run.model.requests[2]
      expect(third?.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'user',
      ])
      expect(new Set(run.model.requests.map(({ toolsText }) => toolsText)).size).toBe(1)
      expect(run.agent.messages().map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'user',
        'assistant',
      ])
    },
  )

  test.each(wires)(
    '%s: arguments that are no JSON and a tool that does not exist go back to the model',
    async (wire) => {
      const run = await runAgent({
        wire,
        servers: two,
        script: [
          { calls: [{ name: 'math__add', rawArgs: '{"a": 1, ' }] },
          { calls: [{ name: 'nothing_like_it', args: {} }] },
          { text: 'I give up.' },
        ],
      })
      expect(await run.ask('Add.')).toMatchObject({ outcome: 'done', text: 'I give up.', steps: 3 })
      const [, second, third] = run.model.requests
      expect(second?.messages.at(-1)?.results).toHaveLength(1)
      expect(third?.messages.at(-1)?.results?.[0]?.text).toContain('nothing_like_it')
      expect(run.eventsOf('call.finished').map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
    },
  )

  test.each(wires)(
    '%s: a wrong key, a fault, half a stream and a stream without an end each fail with a sentence',
    async (wire) => {
      const now = { 'retry-after': '0', 'retry-after-ms': '0' }
      const run = await runAgent({ wire, servers: two, script: [] })
      const failing = async (...script: Parameters<typeof run.model.play>[0] & readonly object[]) => {
        run.model.play(script)
        return run.ask('Say something.')
      }
      expect(await failing({ status: 401 })).toMatchObject({
        outcome: 'failed',
        reason: expect.stringMatching(/401|key/i),
      })
      const fault = { status: 500, headers: now }
      expect(await failing(fault, fault, fault, fault)).toMatchObject({ outcome: 'failed' })
      const cut = { text: 'half an ans', cut: true } as const
      expect(await failing(cut, cut, cut, cut)).toMatchObject({ outcome: 'failed' })
      const unfinished = { text: 'half an answer', unfinished: true } as const
      expect(await failing(unfinished)).toMatchObject({ outcome: 'failed', text: 'half an answer' })
      // A page of a proxy with status 200 is no empty answer.
      const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Log in</html>' }
      expect(await failing(page)).toMatchObject({ outcome: 'failed' })
      expect(await failing({ text: 'No.', finish: 'filter' })).toMatchObject({ outcome: 'failed' })
      expect(await failing({ text: 'Long.', finish: 'length' })).toMatchObject({
        outcome: 'limit',
        limit: 'output',
      })
      // The conversation goes on after every one of them.
      expect(await failing({ text: 'Fine now.' })).toMatchObject({ outcome: 'done', text: 'Fine now.' })
    },
  )

  test.each(wires)('%s: a limit with Retry-After is waited for and said', async (wire) => {
    const run = await runAgent({
      wire,
      script: [{ status: 429, headers: { 'retry-after': '0' } }, { text: 'After the wait.' }],
    })
    expect(await run.ask('Hi.')).toMatchObject({ outcome: 'done', text: 'After the wait.' })
    expect(
      run
        .eventsOf('notice')
        .map(({ message }) => message)
        .join(),
    ).toMatch(/wait/i)
  })
})
