import { expect, test } from 'vitest'
import { createMemoryConversations } from '../../src/store.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'

const never = new Promise<never>(() => undefined)

/** An error as the AI SDK throws it for an answer of the endpoint. */
function answered(
  statusCode: number,
  message: string,
  responseHeaders: Readonly<Record<string, string>> = {},
) {
  return Object.assign(new Error(message), { statusCode, responseHeaders })
}

test('a stopped answer keeps what was said, and the conversation goes on', async () => {
  const { model, requests } = scriptedModel(
    { text: 'It begins with a few words', until: never },
    { text: 'It goes on.' },
  )
  await using world = await openAgent({}, model)
  const stop = new AbortController()
  const turn = world.agent.send('tell', { signal: stop.signal })
  for await (const event of turn) if (event.type === 'text') stop.abort()
  expect(await turn.finished).toMatchObject({ outcome: 'cancelled', text: 'It begins with a few words' })
  expect(await world.agent.send('go on').finished).toMatchObject({ outcome: 'done', text: 'It goes on.' })
  expect(requests[1]?.prompt.slice(1)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ text: 'It begins with a few words' }] },
    { role: 'user', content: [{ text: 'go on' }] },
  ])
})

test('a stopped call gets a result, as do the calls after it, and the server is told', async () => {
  const stop = new AbortController()
  let isTold: (value: unknown) => void = () => undefined
  const told = new Promise((resolve) => (isTold = resolve))
  const x = serverOf({
    hangs: (_, { signal }) => {
      signal.addEventListener('abort', isTold)
      stop.abort()
      return never
    },
    later: () => 'later',
  })
  const { model, requests } = scriptedModel(
    { calls: [{ name: 'x__hangs' }, { name: 'x__later' }] },
    { text: 'What next?' },
  )
  await using world = await openAgent({ x }, model)
  expect(await world.agent.send('go', { signal: stop.signal }).finished).toMatchObject({
    outcome: 'cancelled',
  })
  await told
  expect(
    eventsOf(world.events, 'call.finished').map(({ name, outcome, text }) => [name, outcome, text]),
  ).toEqual([
    ['x__hangs', 'cancelled', 'This call was stopped while it ran. It may have had an effect.'],
    ['x__later', 'cancelled', 'The turn ended before this call. It did not run.'],
  ])
  await world.agent.send('and now?').finished
  expect(requests[1]?.prompt[3]).toMatchObject({
    role: 'tool',
    content: [
      { toolCallId: 'c1_1', output: { type: 'error-text' } },
      { toolCallId: 'c1_2', output: { type: 'error-text' } },
    ],
  })
})

test('a second turn, undo and a change are refused while a turn runs', async () => {
  const { model } = scriptedModel({ text: 'x', until: never })
  await using world = await openAgent({}, model)
  const stop = new AbortController()
  const turn = world.agent.send('one', { signal: stop.signal })
  expect(() => world.agent.send('two')).toThrow('A turn is running; send() is possible when it has finished.')
  await expect(world.agent.undo()).rejects.toThrow('A turn is running')
  stop.abort()
  await turn.finished
})

test('close stops the turn that runs; a closed host ends a turn; an empty prompt is refused', async () => {
  const { model } = scriptedModel({ text: 'x', until: never })
  await using world = await openAgent({}, model)
  expect(() => world.agent.send(' \n')).toThrow(
    'The prompt is empty: it is a text, or a list of texts and images.',
  )
  const turn = world.agent.send('one')
  await world.agent.close()
  expect(await turn.finished).toMatchObject({ outcome: 'cancelled' })
  expect(() => world.agent.send('two')).toThrow('The agent is closed.')
  const calls = scriptedModel({ calls: [{ name: 'x__ends' }, { name: 'x__ends' }] })
  const x = serverOf({
    ends: () => {
      void other.host.close()
      return never
    },
  })
  await using other = await openAgent({ x }, calls.model)
  expect(await other.agent.send('go').finished).toMatchObject({ outcome: 'failed', code: 'host.closed' })
  expect(other.agent.messages().at(-1)).toMatchObject({ role: 'tool', content: { length: 2 } })
})

test('a limit of the cost without a known price is said once', async () => {
  const { model } = scriptedModel({ text: 'ok' })
  await using world = await openAgent({}, { model, name: 'm' }, { limits: { cost: 1 } })
  await world.agent.send('go').finished
  await world.agent.send('go').finished
  expect(eventsOf(world.events, 'notice').map(({ message }) => message)).toEqual([
    'The price of m is not known, so the limit of the cost does not apply.',
  ])
})

test('429 with Retry-After is waited for and said, and the request is repeated', async () => {
  const busy = answered(429, 'Too many requests', { 'retry-after': '0' })
  const { model, requests } = scriptedModel(
    { error: busy },
    { error: answered(500, 'Oops', { 'retry-after-ms': '1' }) },
    { text: 'ok' },
  )
  await using world = await openAgent({}, model)
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done', text: 'ok', steps: 1 })
  expect(requests).toHaveLength(3)
  expect(eventsOf(world.events, 'notice').map(({ message }) => message)).toEqual([
    'scripted.chat/one has reached a limit of its provider (429): Too many requests. Waiting 1 s.',
    'scripted.chat/one answered 500: Oops. Waiting 1 s.',
  ])
})

test.each([
  ['401', answered(401, 'Bad key'), 'scripted.chat/one refuses the key (401): Bad key.', 401],
  [
    '429 with a long wait',
    answered(429, 'Quota', { 'retry-after': '3600' }),
    'scripted.chat/one has reached a limit of its provider (429): Quota.',
    429,
  ],
  ['400', answered(400, 'Bad tool'), 'scripted.chat/one answered 400: Bad tool.', 400],
])('%s ends the turn as failed, with a sentence, and is not repeated', async (_, error, reason, status) => {
  const { model, requests } = scriptedModel({ error })
  await using world = await openAgent({}, model)
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'failed', reason, status, text: '' })
  expect(requests).toHaveLength(1)
  // The conversation goes on: the prompt stays.
  expect(world.agent.messages()).toHaveLength(1)
})

test('an answer that breaks off keeps what was said, and is not repeated', async () => {
  const { model, requests } = scriptedModel(
    { text: 'It beg', breaks: new Error('socket closed') },
    { text: 'ok' },
  )
  await using world = await openAgent({}, model)
  expect(await world.agent.send('go').finished).toMatchObject({
    outcome: 'failed',
    reason: 'The answer of scripted.chat/one broke off: socket closed.',
    text: 'It beg',
  })
  expect(requests).toHaveLength(1)
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done' })
})

test.each([
  ['endless', { text: 'abc', endless: true }, { output: 3000 }, 'output'],
  ['silent', { text: 'abc', until: never }, { idleMs: 20 }, 'idleMs'],
  ['too slow', { text: 'abc', endless: true }, { streamMs: 30 }, 'streamMs'],
  ['beyond the time of the turn', { text: 'abc', endless: true }, { timeMs: 30 }, 'timeMs'],
] as const)('an answer that is %s is stopped at its limit', async (_, answer, limits, limit) => {
  const { model } = scriptedModel(answer, { text: 'ok' })
  await using world = await openAgent({}, model, { limits })
  const finished = await world.agent.send('go').finished
  expect(finished).toMatchObject({
    outcome: 'limit',
    limit,
    hint: expect.stringContaining(`limits.${limit} (now`),
  })
  expect(finished.text).toMatch(/^abc/)
})

test.each([
  [{ steps: 3 }, 'steps', 'The turn had 3 steps, its limit.'],
  [{ tokens: 40 }, 'tokens', 'The turn used 40 tokens, its limit.'],
  [{ cost: 0.00004 }, 'cost', 'The turn cost 0.00004 USD, its limit.'],
] as const)('a turn ends at its limit: %o', async (limits, limit, reason) => {
  const { model } = scriptedModel({ calls: [{ name: 'x__count' }] })
  let count = 0
  await using world = await openAgent(
    { x: serverOf({ count: () => String(count++) }) },
    { model, name: 'm', price: { input: 1, output: 1 } },
    { limits },
  )
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'limit', limit, reason, steps: 3 })
  expect(world.agent.messages().at(-1)?.role).toBe('tool')
})

test('an answer at the model’s own limit, and a filtered one, say so', async () => {
  const { model } = scriptedModel(
    { text: 'too lo', finish: 'length' },
    { text: '', finish: 'content-filter' },
  )
  await using world = await openAgent({}, model)
  expect(await world.agent.send('go').finished).toMatchObject({
    outcome: 'limit',
    limit: 'output',
    text: 'too lo',
  })
  expect(await world.agent.send('go').finished).toMatchObject({
    outcome: 'failed',
    reason: 'The provider of scripted.chat/one filtered the answer.',
  })
})

test('the limit of time holds while the model is waited for', async () => {
  const busy = answered(503, 'busy', { 'retry-after': '50' })
  const { model } = scriptedModel({ error: busy }, { text: 'late' })
  await using world = await openAgent({}, model, { limits: { timeMs: 60 } })
  expect(await world.agent.send('go').finished).toMatchObject({
    outcome: 'limit',
    limit: 'timeMs',
    // Nothing arrived, so nothing was used.
    usage: { inputTokens: 0, outputTokens: 0, isEstimated: false },
  })
})

test('a connection that is cut in the middle of an answer is said as such', async () => {
  const cut = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
  const { model } = scriptedModel({ text: 'It begins', breaks: cut })
  await using world = await openAgent({}, model)
  expect(await world.agent.send('go').finished).toMatchObject({
    outcome: 'failed',
    text: 'It begins',
    reason: 'The answer of scripted.chat/one broke off: the connection was cut.',
    hint: 'What arrived is kept. Send a prompt to go on from here.',
  })
})

test('a piece beyond the limit of an answer is neither shown nor kept', async () => {
  const { model } = scriptedModel({ text: 'x'.repeat(2000) })
  await using world = await openAgent({}, model, { limits: { output: 1000 } })
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'limit', limit: 'output', text: '' })
  expect(JSON.stringify(world.agent.messages())).not.toContain('xxx')
  expect(eventsOf(world.events, 'text')).toEqual([])
})

test('arguments of 3000 levels end neither the turn nor what is kept', async () => {
  const raw = `{"text":${'['.repeat(3000)}${']'.repeat(3000)}}`
  const conversations = createMemoryConversations()
  const { model } = scriptedModel({ calls: [{ name: 'x__echo', raw }] }, { text: 'fine' })
  await using world = await openAgent({ x: serverOf({ echo: () => 'hi' }) }, model, {
    store: { conversations },
  })
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done', text: 'fine' })
  expect(eventsOf(world.events, 'call.finished')[0]).toMatchObject({ outcome: 'failed' })
  await world.agent.close()
  expect(await conversations.messages(world.agent.conversation.id)).toHaveLength(4)
})

test('ten thousand calls in one answer are not all kept', async () => {
  const calls = Array.from({ length: 10_000 }, () => ({ name: 'x__none' }))
  const { model } = scriptedModel({ calls }, { text: 'fine' })
  await using world = await openAgent({}, model)
  await world.agent.send('go').finished
  expect(eventsOf(world.events, 'call.finished')).toHaveLength(256)
})
