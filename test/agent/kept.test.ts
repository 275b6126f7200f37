import { expect, test } from 'vitest'
import { HostError, nodePlatform } from '../../src/index.ts'
import { createMemoryConversations } from '../../src/store.ts'
import type { CallHistory, Conversations, StoredCall } from '../../src/store.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'

const x = () => serverOf({ echo: ({ text }) => String(text) })
const call = { calls: [{ name: 'x__echo', args: { text: 'hi' } }] }
const rolesOf = (messages: readonly { readonly role: string }[]) => messages.map(({ role }) => role)

/** Conversations whose writing can be held up or made to fail. */
function interrupted(conversations = createMemoryConversations()) {
  const state = { problem: undefined as HostError | undefined, appended: 0 }
  const store: Conversations = {
    ...conversations,
    async append(...args) {
      if (state.problem) throw state.problem
      state.appended++
      return conversations.append(...args)
    },
  }
  return { store, state, conversations }
}

const away = new HostError(
  'store.unavailable',
  { place: 'postgres' },
  'The store postgres cannot be used: connection refused.',
)

test('messages are kept step by step; a conversation goes on by its id with its folder, agent and model', async () => {
  const conversations = createMemoryConversations()
  const seen: number[] = []
  const first = scriptedModel(call, { text: 'one' })
  await using world = await openAgent(
    { x: x() },
    { model: first.model, name: 'm/1' },
    {
      store: { conversations },
      on: (event) => {
        if (event.type === 'step.finished') seen.push(world.agent.messages().length)
      },
      files: {
        '.claude/agents/echoer.md':
          '---\nname: echoer\ndescription: d\ntools: mcp__x__echo\n---\nYou echo.\n',
      },
      agent: 'echoer',
    },
  )
  const { id } = world.agent.conversation
  await world.agent.send('Say hi\nplease').finished
  expect(seen).toEqual([3, 4])
  await world.agent.close()
  expect(await conversations.get(id)).toMatchObject({
    title: 'Say hi',
    cwd: world.home,
    agent: 'echoer',
    model: 'm/1',
    length: 4,
  })
  const second = scriptedModel({ text: 'two' })
  await using again = await openAgent(
    { x: x() },
    { model: second.model, name: 'm/2' },
    {
      store: { conversations },
      conversation: id,
      home: world.home,
      cwd: '/elsewhere',
    },
  )
  expect(again.agent.conversation).toMatchObject({
    id,
    cwd: world.home,
    agent: 'echoer',
    model: 'm/2',
    length: 4,
  })
  await again.agent.send('again').finished
  expect(second.requests[0]?.prompt.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
  expect(String(second.requests[0]?.prompt[0]?.content)).toContain('You echo.')
  await again.agent.use({ agent: null })
  expect(await conversations.get(id)).not.toHaveProperty('agent')
})

test('a conversation in which nothing was said is not kept, and an unknown id is said', async () => {
  const conversations = createMemoryConversations()
  const { model } = scriptedModel({ text: 'ok' })
  await using world = await openAgent({}, model, { store: { conversations } })
  await world.agent.close()
  expect(await conversations.list()).toEqual([])
  await expect(
    openAgent({}, model, { store: { conversations }, conversation: 'none' }),
  ).rejects.toMatchObject({
    code: 'store.unknown',
    message: 'There is no conversation none.',
  })
  await expect(openAgent({}, model, { store: { conversations }, agent: 'nobody' })).rejects.toMatchObject({
    code: 'agent.unknown',
  })
  expect(await conversations.list()).toEqual([])
})

test('two terminals in one conversation: a prompt follows what the other one has added, with IDs of its own', async () => {
  const conversations = createMemoryConversations()
  const one = scriptedModel(call, { text: 'first' }, call, { text: 'first' })
  const two = scriptedModel(call, { text: 'second' }, call, { text: 'second' })
  await using here = await openAgent({ x: x() }, one.model, { store: { conversations } })
  await here.agent.send('a').finished
  const { id } = here.agent.conversation
  await using there = await openAgent({ x: x() }, two.model, { store: { conversations }, conversation: id })
  await there.agent.send('b').finished
  expect(await here.agent.send('c').finished).toMatchObject({ outcome: 'done', text: 'first' })
  expect(eventsOf(here.events, 'notice').map(({ message }) => message)).toEqual([
    'The conversation was read again, as another program left it.',
  ])
  expect(await there.agent.send('d').finished).toMatchObject({ outcome: 'done', text: 'second' })
  const kept = await conversations.messages(id)
  expect(kept.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual([
    'a',
    'b',
    'c',
    'd',
  ])
  const finished = [...eventsOf(here.events, 'call.finished'), ...eventsOf(there.events, 'call.finished')]
  expect(finished.map(({ result }) => result)).toEqual(['r1', 'r3', 'r2', 'r4'])
})

test('a conversation that another program deletes goes on in memory, and says so', async () => {
  const conversations = createMemoryConversations()
  const { model, requests } = scriptedModel({ text: 'one' }, { text: 'two' })
  await using world = await openAgent({}, model, { store: { conversations } })
  await world.agent.send('a').finished
  await conversations.remove(world.agent.conversation.id)
  expect(await world.agent.send('b').finished).toMatchObject({ outcome: 'done', text: 'two' })
  expect(eventsOf(world.events, 'notice').map(({ message }) => message)).toEqual([
    'Another program has deleted this conversation. It goes on here, and is not kept.',
  ])
  expect(rolesOf(requests[1]?.prompt ?? [])).toEqual(['system', 'user', 'assistant', 'user'])
})

test('two terminals: what another one adds during the last step of a turn is found before the turn ends', async () => {
  const conversations = createMemoryConversations()
  const slow: Conversations = {
    ...conversations,
    append: (...args) =>
      new Promise((resolve) => setTimeout(resolve, 20)).then(() => conversations.append(...args)),
  }
  const { model } = scriptedModel(() => {
    void conversations.append(world.agent.conversation.id, 1, [{ role: 'user', content: 'theirs' }])
    return { text: 'mine' }
  })
  await using world = await openAgent({}, model, { store: { conversations: slow } })
  expect(await world.agent.send('a').finished).toMatchObject({
    outcome: 'failed',
    code: 'store.conflict',
    text: 'mine',
  })
})

test('a store that goes away in a turn: the turn goes on and says so once, and everything is written when it is back', async () => {
  const { store, state, conversations } = interrupted()
  const { model } = scriptedModel(call, { text: 'done' })
  await using world = await openAgent(
    { x: serverOf({ echo: () => ((state.problem = away), 'ok') }) },
    model,
    {
      store: { conversations: store },
    },
  )
  const { id } = world.agent.conversation
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done', text: 'done' })
  expect(eventsOf(world.events, 'notice')).toMatchObject([
    {
      message: 'The store postgres cannot be used: connection refused. This turn is not kept yet.',
      hint: 'The messages are kept in memory, and written when the store can be used again.',
    },
  ])
  expect(rolesOf(await conversations.messages(id))).toEqual(['user', 'assistant'])
  state.problem = undefined
  await world.agent.close()
  expect(rolesOf(await conversations.messages(id))).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

test('a store that does not answer: the turn waits a little, says so and goes on; close() waits for it', async () => {
  const { store, conversations } = interrupted()
  let answer: (value: unknown) => void = () => undefined
  const answered = new Promise((resolve) => (answer = resolve))
  const slow: Conversations = { ...store, append: (...args) => answered.then(() => store.append(...args)) }
  // The little wait is over at once.
  const clock = { ...nodePlatform().clock, sleep: async () => undefined }
  const { model } = scriptedModel({ text: 'done' })
  await using world = await openAgent({}, model, { store: { conversations: slow }, clock })
  expect(await world.agent.send('go').finished).toMatchObject({ outcome: 'done' })
  expect(eventsOf(world.events, 'notice')).toMatchObject([
    { message: 'The store does not answer. This turn is not kept yet.' },
  ])
  const closed = world.agent.close()
  answer(undefined)
  await closed
  expect(rolesOf(await conversations.messages(world.agent.conversation.id))).toEqual(['user', 'assistant'])
})

test('a program that ended in the middle of a call: its call has a result when the conversation goes on', async () => {
  const conversations = createMemoryConversations()
  const { id } = await conversations.create({ cwd: '/tmp' })
  await conversations.append(id, 0, [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c9', toolName: 'x__echo', input: {} }] },
  ])
  const { model, requests } = scriptedModel({ text: 'ok' })
  await using world = await openAgent({}, model, { store: { conversations }, conversation: id })
  await world.agent.send('and?').finished
  expect(requests[0]?.prompt[3]).toMatchObject({
    role: 'tool',
    content: [
      {
        toolCallId: 'c9',
        output: { value: 'The program ended before this result was kept. The call may have run.' },
      },
    ],
  })
})

test('undo removes the last prompt and everything after it, in the store too', async () => {
  const conversations = createMemoryConversations()
  const { model, requests } = scriptedModel({ text: 'one' }, call, { text: 'two' }, { text: 'three' })
  await using world = await openAgent({ x: x() }, model, { store: { conversations } })
  await world.agent.send('a').finished
  await world.agent.send('b').finished
  expect(await world.agent.undo()).toBe(4)
  expect(rolesOf(await conversations.messages(world.agent.conversation.id))).toEqual(['user', 'assistant'])
  await world.agent.send('c').finished
  expect(JSON.stringify(requests.at(-1)?.prompt)).not.toContain('"b"')
  await world.agent.undo()
  expect([await world.agent.undo(), await world.agent.undo()]).toEqual([2, 0])
  expect(world.agent.conversation.length).toBe(0)
})

test('calls are recorded behind the turn, with their outcome', async () => {
  const recorded: Omit<StoredCall, 'at'>[] = []
  const calls = {
    record: (each: Omit<StoredCall, 'at'>) => void recorded.push(each),
    list: async () => [],
    flush: async () => undefined,
  }
  const policy = [{ tools: ['x__secret'], effect: 'deny' as const, reason: 'No.' }]
  const { model } = scriptedModel(
    { calls: [...call.calls, { name: 'x__secret' }, { name: 'x__none' }] },
    { text: 'ok' },
  )
  await using world = await openAgent({ x: serverOf({ echo: () => 'hi', secret: () => '' }) }, model, {
    host: { policy },
    store: { conversations: createMemoryConversations(), calls },
  })
  await world.agent.send('go').finished
  const conversation = world.agent.conversation.id
  expect(recorded).toMatchObject([
    { conversation, ref: 'x/echo', args: { text: 'hi' }, outcome: 'done', result: 'hi', bytes: 2 },
    { conversation, ref: 'x/secret', outcome: 'denied' },
  ])
})

test('a model that is no object of the AI SDK is refused with a sentence', async () => {
  const refused = (model: unknown) => openAgent({}, model as never)
  await expect(refused('openai/gpt-5')).rejects.toThrow('a text would be sent to a gateway of a third party.')
  await expect(refused({ specificationVersion: 'v4' })).rejects.toThrow(
    'has version v4 of the interface, and v2 and v3 are known.',
  )
  await expect(refused({})).rejects.toThrow(
    'The option model must be a model object of the AI SDK; it is none.',
  )
})

test('what an agent gives out and records has no secret of the model, not even in the id of a call', async () => {
  const recorded: StoredCall[] = []
  const calls = {
    record: (each: StoredCall) => void recorded.push(each),
    list: async () => recorded,
    flush: async () => undefined,
  } as unknown as CallHistory // the part that an agent uses
  const leak = { calls: [{ id: 'corpkey-1', name: 'x__echo', args: { text: 'corpkey-1' } }] }
  const scripted = scriptedModel(leak, { text: 'It is corpkey-1.' })
  const redact = (text: string) => text.replaceAll('corpkey-1', '•••')
  await using world = await openAgent(
    { x: x() },
    { model: scripted.model, name: 'm/1', redact },
    { store: { conversations: createMemoryConversations(), calls } },
  )
  await world.agent.send('Is it corpkey-1?').finished
  const given = JSON.stringify(world.agent.messages())
  expect(given).toContain('Is it •••?')
  expect(given).toContain('It is •••.')
  expect(given + JSON.stringify(recorded)).not.toContain('corpkey')
  expect(recorded).toHaveLength(1)
  // The model itself is sent what was said.
  await world.agent.send('Again').finished
  expect(JSON.stringify(scripted.requests.at(-1))).toContain('Is it corpkey-1?')
})
