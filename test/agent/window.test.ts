import { expect, test } from 'vitest'
import { createMemoryConversations } from '../../src/store.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'

/** About this many tokens. */
const words = (tokens: number) => 'word '.repeat(tokens)
const read = { calls: [{ name: 'x__read' }], usage: null }

test('a full window: the oldest results are left out first, which is said, and stay out; they can still be passed on', async () => {
  let count = 0
  const x = serverOf({ read: () => `${++count} ${words(1000)}` })
  const { model, requests } = scriptedModel(...Array.from({ length: 8 }, () => read), {
    text: 'done',
    usage: null,
  })
  await using world = await openAgent({ x }, { model, name: 'small', window: 8000 })
  expect(await world.agent.send('read all').finished).toMatchObject({ outcome: 'done', steps: 9 })
  const [dropped] = eventsOf(world.events, 'results.dropped')
  expect(dropped?.calls[0]).toBe('c1_1')
  expect(dropped?.tokens).toBeGreaterThan(900)
  const last = JSON.stringify(requests.at(-1)?.prompt)
  expect(last).toContain('[This result was left out to make room. It still is \\"@result:r1\\"')
  // The prompt, every call and the newest result are there; the messages themselves are whole.
  expect(last).toContain('read all')
  expect(last).toContain('8 word')
  expect(requests.at(-1)?.prompt.filter(({ role }) => role === 'tool')).toHaveLength(8)
  expect(JSON.stringify(world.agent.messages())).not.toContain('left out')
  // What is left out stays out: the requests between two droppings begin with the same bytes.
  const later = requests.slice(-2).map(({ prompt }) => JSON.stringify(prompt).slice(0, -1))
  const droppings = eventsOf(world.events, 'results.dropped').length
  expect(droppings).toBeLessThan(5)
  expect(later[1]?.startsWith(later[0] ?? '-') || droppings > 1).toBe(true)
})

test('a result that would fill a small window arrives as head and tail, and can be passed on whole', async () => {
  const large = `BEGIN ${words(6000)} END`
  const x = serverOf({ read: () => large, size: ({ text }) => `${String(text).length}` })
  const { model, requests } = scriptedModel(
    read,
    { calls: [{ name: 'x__size', args: { text: '@result:r1' } }], usage: null },
    { text: 'done', usage: null },
  )
  await using world = await openAgent({ x }, { model, name: 'small', window: 8000 })
  expect(await world.agent.send('read').finished).toMatchObject({ outcome: 'done' })
  const shown = JSON.stringify(requests[1]?.prompt.at(-1))
  expect(shown.length).toBeLessThan(8000)
  expect(shown).toMatch(/BEGIN word .* characters are left out here: .* word {2}END.*@result:r1/)
  expect(JSON.stringify(requests[2]?.prompt.at(-1))).toContain(`"${large.length}"`)
  expect(eventsOf(world.events, 'results.dropped')).toEqual([])
})

test('a full window without results: the oldest turns are left out, never the system prompt or the last prompt', async () => {
  const { model, requests } = scriptedModel({ text: words(600), usage: null })
  await using world = await openAgent({}, { model, name: 'small', window: 4000 })
  for (let at = 1; at <= 6; at++) await world.agent.send(`prompt ${at} ${words(300)}`).finished
  expect(eventsOf(world.events, 'messages.dropped').length).toBeGreaterThan(0)
  const last = requests.at(-1)?.prompt
  expect(last?.[0]?.role).toBe('system')
  expect(last?.[1]?.role).toBe('user')
  expect(JSON.stringify(last?.at(-1))).toContain('prompt 6')
  expect(JSON.stringify(last)).not.toContain('prompt 1 ')
})

test('a prompt that does not fit at all is a sentence', async () => {
  const { model, requests } = scriptedModel({ text: 'ok' })
  await using world = await openAgent({}, { model, name: 'small', window: 2000 })
  expect(await world.agent.send(words(3000)).finished).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(
      /^The prompt has about \d+ tokens; the window of small has room for \d+ beside the tools and the instructions\.$/,
    ) as string,
    hint: 'Shorten the prompt, or choose a model with a larger window.',
  })
  expect(requests).toHaveLength(0)
})

test('10,000 messages: the conversation opens, and a request has what fits of its end', async () => {
  const conversations = createMemoryConversations()
  const { id } = await conversations.create({ cwd: '/tmp' })
  const messages = Array.from({ length: 5000 }, (_, at) => [
    { role: 'user', content: `question ${at} ${words(20)}` },
    { role: 'assistant', content: [{ type: 'text', text: `answer ${at} ${words(50)}` }] },
  ]).flat()
  await conversations.append(id, 0, messages)
  const { model, requests } = scriptedModel({ text: 'ok', usage: null })
  await using world = await openAgent(
    {},
    { model, name: 'm', window: 32_000 },
    { store: { conversations }, conversation: id },
  )
  expect(world.agent.conversation.length).toBe(10_000)
  expect(await world.agent.send('and now?').finished).toMatchObject({ outcome: 'done' })
  const prompt = requests[0]?.prompt ?? []
  expect(prompt[1]?.role).toBe('user')
  expect(prompt.length).toBeGreaterThan(300)
  expect(prompt.length).toBeLessThan(1000)
  expect(JSON.stringify(prompt)).toContain('answer 4999')
  expect(eventsOf(world.events, 'messages.dropped')).toHaveLength(1)
})

test('usage: as the provider reports it, estimated where it does not, with the cost where the price is known', async () => {
  const { model } = scriptedModel(
    { text: 'a', usage: { input: 1000, output: 100, cached: 600 } },
    { text: 'bcd', usage: null },
  )
  const price = { input: 2, output: 10, cachedInput: 0.5 }
  await using world = await openAgent({}, { model, name: 'm', price })
  const { usage } = await world.agent.send('go').finished
  expect(usage).toEqual({
    inputTokens: 1000,
    outputTokens: 100,
    cachedTokens: 600,
    isEstimated: false,
    cost: (400 * 2 + 600 * 0.5 + 100 * 10) / 1e6,
  })
  const second = (await world.agent.send('go').finished).usage
  expect(second).toMatchObject({ isEstimated: true, cachedTokens: 0 })
  expect(second.inputTokens).toBeGreaterThan(50)
  expect(world.agent.usage()).toMatchObject({ inputTokens: 1000 + second.inputTokens, isEstimated: true })
  await using unknown = await openAgent({}, model)
  expect((await unknown.agent.send('go').finished).usage).not.toHaveProperty('cost')
})
