import { Agent } from '@mastra/core/agent'
import { describe, expect, test } from 'vitest'
import { toMastra } from '../../src/adapters/mastra.ts'
import { HostError } from '../../src/index.ts'
import { conclusion, mission, model, prompt } from '../adapters/mission.ts'
import { startModel } from '../adapters/model-server.ts'
import type { Turn } from '../adapters/model-server.ts'
import { resultOf, viewOf, waitingView } from '../adapters/view.ts'
import { describeSerial } from './serial.ts'

const modelAt = (url: string) => ({ id: 'scripted/scripted' as const, url: `${url}/v1`, apiKey: 'none' })
const named = { id: 'helper', name: 'Helper', instructions: 'Help.' }

test('toMastra: a model uses the tools of two real servers', async () => {
  await using x = await mission()
  await using served = await startModel(model)
  const agent = new Agent({ ...named, model: modelAt(served.url), tools: await toMastra(x.host) })
  const { text } = await agent.generate(prompt, { maxSteps: 5 })
  expect(JSON.parse(text)).toEqual(conclusion)
  expect(served.turns).toHaveLength(3)
})

describe('toMastra: calls', () => {
  /** Runs an agent whose model calls `x__a` once; returns the turns of the model. */
  async function turnsOf(view: ReturnType<typeof viewOf>['view']): Promise<readonly Turn[]> {
    await using served = await startModel((_, index) =>
      index === 0 ? { calls: [{ name: 'x__a', args: { text: 'aaaa!' } }] } : { says: 'Done.' },
    )
    const agent = new Agent({ ...named, model: modelAt(served.url), tools: await toMastra(view) })
    await agent.generate(prompt, { maxSteps: 5 })
    return served.turns
  }

  test('Mastra runs no pattern of the schema, and arguments reach the host unchanged', async () => {
    const pattern = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } }
    const { view, called } = viewOf({ a: async () => resultOf('ok') }, () => ({ inputSchema: pattern }))
    const [first, second] = await turnsOf(view)
    expect(first?.tools).toMatchObject([{ name: 'x__a', schema: { type: 'object' } }])
    expect(second?.results).toEqual([{ text: 'ok' }])
    expect(called).toMatchObject([{ name: 'x__a', args: { text: 'aaaa!' } }])
  })

  test.each([
    ['the tool failed', async () => resultOf('no such file', { failed: true }), 'no such file'],
    [
      'the call was denied',
      async () => {
        throw new HostError('call.denied', { ref: 'x/a', reason: 'no' }, 'It was denied.')
      },
      'It was denied.',
    ],
  ])('a failure reaches the model: %s', async (_, run, text) => {
    const [, second] = await turnsOf(viewOf({ a: run }).view)
    expect(second?.results[0]?.text).toContain(text)
  })
})

test('toMastra: timeoutMs limits the wait for servers that are not known yet', async () => {
  const { view, waits } = waitingView()
  await toMastra(view, { timeoutMs: 50 })
  await toMastra(view)
  expect(waits).toEqual([{ timeoutMs: 50 }, {}])
})

describeSerial('toMastra', async (host) => {
  const set = await toMastra(host)
  return async (name, abortSignal) =>
    set[name]?.execute?.({}, { ...(abortSignal && { abortSignal }) } as never) // only these members are used
})
