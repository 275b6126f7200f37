import { expect, test } from 'vitest'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'

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
