import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { describe, expect, test } from 'vitest'
import { toOpenAiAgents } from '../../src/adapters/openai-agents.ts'
import { HostError } from '../../src/index.ts'
import { conclusion, expectOffered, mission, model, prompt } from '../adapters/mission.ts'
import { startModel } from '../adapters/model-server.ts'
import type { Reply, Turn } from '../adapters/model-server.ts'
import { imageOf, png, resultOf, viewOf, waitingView } from '../adapters/view.ts'
import { describeSerial } from './serial.ts'

const runnerOf = (url: string, useResponses: boolean) =>
  new Runner({
    modelProvider: new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: 'none', useResponses }),
    tracingDisabled: true,
  })

describe('toOpenAiAgents: a model uses the tools of two real servers', () => {
  test.each([
    ['responses', true],
    ['chat completions', false],
  ])('%s', async (_, useResponses) => {
    await using x = await mission()
    await using served = await startModel(model)
    const agent = new Agent({ name: 'Helper', model: 'scripted', tools: await toOpenAiAgents(x.host) })
    const { finalOutput } = await runnerOf(served.url, useResponses).run(agent, prompt)
    expect(JSON.parse(finalOutput ?? '')).toEqual(conclusion)
    expectOffered(served.turns)
  })
})

type Tools = Parameters<typeof viewOf>[0]

/** Runs an agent whose model calls `x__a` once with these arguments; returns the turns of the model. */
async function turnsOf(tools: Tools, args: Reply | undefined = undefined): Promise<readonly Turn[]> {
  const call = args ?? { calls: [{ name: 'x__a', args: { text: 't' } }] }
  await using served = await startModel((_, index) => (index === 0 ? call : { says: 'Done.' }))
  const { view } = viewOf(tools)
  const agent = new Agent({ name: 'Helper', model: 'scripted', tools: await toOpenAiAgents(view) })
  await runnerOf(served.url, true).run(agent, prompt)
  return served.turns
}

describe('toOpenAiAgents: results', () => {
  test('images are parts of a result', async () => {
    const turns = await turnsOf({ a: async () => resultOf('A pixel', { blocks: [imageOf(png)] }) })
    expect(turns[1]?.results).toEqual([{ text: 'A pixel', images: [`data:image/png;base64,${png}`] }])
  })

  test.each([
    ['the tool failed', async () => resultOf('no such file', { failed: true }), 'Error: no such file'],
    [
      'the call was denied',
      async () => {
        throw new HostError('call.denied', { ref: 'x/a', reason: 'no' }, 'It was denied.')
      },
      'Error: It was denied.',
    ],
  ])('a failure is a text for the model: %s', async (_, run, text) => {
    const [, second] = await turnsOf({ a: run })
    expect(second?.results).toEqual([{ text }])
  })

  test('an error that a model can do nothing about ends the run', async () => {
    const error = new HostError('host.closed', {}, 'The host is closed.')
    await expect(turnsOf({ a: () => Promise.reject(error) })).rejects.toThrow('The host is closed.')
  })

  test('arguments that are not JSON are refused with a text for the model', async () => {
    const { view, called } = viewOf({ a: async () => resultOf('ok') })
    const [tool] = await toOpenAiAgents(view)
    expect(await tool!.invoke(undefined as never, '{"text":')).toBe('Error: The arguments are not JSON.')
    expect(called).toEqual([])
  })
})

test('toOpenAiAgents: timeoutMs limits the wait for servers that are not known yet', async () => {
  const { view, waits } = waitingView()
  await toOpenAiAgents(view, { timeoutMs: 50 })
  await toOpenAiAgents(view)
  expect(waits).toEqual([{ timeoutMs: 50 }, {}])
})

describeSerial('toOpenAiAgents', async (host) => {
  const list = await toOpenAiAgents(host)
  return async (name, signal) => {
    const tool = list.find((each) => each.name === name)
    return tool?.invoke(undefined as never, '{}', { ...(signal && { signal }) }) // the adapter does not use the context
  }
})
