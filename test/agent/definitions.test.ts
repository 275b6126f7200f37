import { expect, onTestFinished, test } from 'vitest'
import { openOwnStore } from '../../src/store.ts'
import { eventsOf, openAgent, serverOf } from '../support/agent-host.ts'
import { newHome } from '../support/tool-host.ts'
import { scriptedModel } from '../support/scripted-model.ts'
import type { ScriptedRequest } from '../support/scripted-model.ts'

const echo = () => 'ok'
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, echo]))
const bytesOf = (requests: readonly ScriptedRequest[]) =>
  requests.map(({ prompt, tools }) => JSON.stringify([prompt[0], tools]))

test('the definitions and the system prompt are the same bytes in every step and turn, and in a resumed conversation', async () => {
  const { model, requests } = scriptedModel({ calls: [{ name: 'b__t1' }] }, { text: 'a' }, { text: 'b' })
  const servers = () => ({ b: serverOf(many(3), { instructions: 'Use t1.' }), a: serverOf(many(2)) })
  await using world = await openAgent(servers(), model)
  await world.agent.send('one').finished
  await world.host.restart('b')
  await world.agent.send('two').finished
  await using again = await openAgent(servers(), model, { home: world.home })
  await again.agent.send('three').finished
  expect(new Set(bytesOf(requests)).size).toBe(1)
  expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['a__t0', 'a__t1', 'b__t0', 'b__t1', 'b__t2'])
  expect(eventsOf(world.events, 'tools.offered')).toMatchObject([
    { count: 5, mode: 'all', added: { length: 5 } },
  ])
})

test('B17 late tools are offered at the next step, and the tokens to read again are said', async () => {
  const { model, requests } = scriptedModel({ calls: [{ name: 'x__adds' }] }, { text: 'done' })
  const late = serverOf({ late: echo })
  await using world = await openAgent(
    {
      x: serverOf({
        adds: async () => {
          await world.host.add('y', { server: late })
          return 'added'
        },
      }),
    },
    model,
  )
  await world.agent.send('go').finished
  expect(requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ['x__adds'],
    ['x__adds', 'y__late'],
  ])
  const [first, second] = eventsOf(world.events, 'tools.offered')
  expect(first).not.toHaveProperty('reread')
  expect(second).toMatchObject({ count: 2, added: ['y__late'], removed: [], changed: [] })
  expect(second?.reread).toBeGreaterThan(second?.tokens ?? 0)
})

test('D7 switchServer: effective from the next step, kept, and it says the tokens', async () => {
  const { model, requests } = scriptedModel({ text: 'ok' })
  await using world = await openAgent({ x: serverOf(many(2)), y: serverOf(many(3)) }, model)
  await world.agent.send('one').finished
  const { tokens } = await world.agent.switchServer('y', false)
  expect(tokens).toBeGreaterThan(20)
  await world.agent.send('two').finished
  expect(await world.agent.switchServer('y', true)).toEqual({ tokens: -tokens })
  await world.agent.send('three').finished
  expect(requests.map(({ tools }) => tools?.length)).toEqual([5, 2, 5])
  expect(
    eventsOf(world.events, 'tools.offered').map(({ added, removed }) => [added.length, removed.length]),
  ).toEqual([
    [5, 0],
    [0, 3],
    [3, 0],
  ])
})

test('D6 D7 a switch of another program counts from the next step on, and is not counted as one of this', async () => {
  const home = newHome()
  const { store } = await openOwnStore({ platform: { home, cwd: home, env: { HOME: home } } })
  if (!store) throw new Error('no driver')
  onTestFinished(() => store.close())
  const switchElsewhere = (server: string, on: boolean) =>
    store.memory.toggles.set(world.agent.conversation.id, server, on)
  const hides = serverOf({
    hides: async () => {
      await switchElsewhere('y', false)
      return 'hidden'
    },
  })
  const { model, requests } = scriptedModel({ calls: [{ name: 'x__hides', args: {} }] }, { text: 'ok' })
  await using world = await openAgent({ x: hides, y: serverOf(many(3)), z: serverOf(many(2)) }, model, {
    home,
  })
  await world.agent.send('go').finished
  expect(requests.map(({ tools }) => tools?.length)).toEqual([6, 3])
  expect(eventsOf(world.events, 'tools.offered').at(-1)?.removed).toHaveLength(3)
  const { tokens } = await world.agent.switchServer('z', false)
  await world.agent.switchServer('z', true)
  await switchElsewhere('y', true)
  expect(await world.agent.switchServer('z', false)).toEqual({ tokens })
})

test('Anthropic gets marks for its cache at the end of the instructions and of the messages, others none', async () => {
  for (const provider of ['anthropic', 'openai'] as const) {
    const { model, requests } = scriptedModel({ text: 'ok' })
    await using world = await openAgent({}, { model, name: 'm', provider })
    await world.agent.send('one').finished
    await world.agent.send('two').finished
    const marks = requests[1]?.prompt.map(
      (message) => 'providerOptions' in message && message.providerOptions !== undefined,
    )
    expect(marks).toEqual(
      provider === 'anthropic' ? [true, false, false, true] : [false, false, false, false],
    )
  }
})

test('thoughts of the model go back to it as they came, with what the provider added', async () => {
  const { model, requests } = scriptedModel({ reasoning: 'Let me see.', text: 'ok' })
  await using world = await openAgent({}, model)
  await world.agent.send('one').finished
  await world.agent.send('two').finished
  expect(
    eventsOf(world.events, 'reasoning')
      .map(({ text }) => text)
      .join(''),
  ).toBe('Let me see.Let me see.')
  expect(requests[1]?.prompt[2]?.content).toMatchObject([
    { type: 'reasoning', text: 'Let me see.', providerOptions: { scripted: { signature: 's1' } } },
    { type: 'text', text: 'ok' },
  ])
})

test('more than 100 tools, or more than a fifth of the window, are offered by search, and that is said', async () => {
  const { model, requests } = scriptedModel(
    { calls: [{ name: 'call_tool', args: { name: 'x__t7', arguments: { text: 'hi' } } }] },
    { text: 'done' },
  )
  const x = serverOf({ ...many(101), t7: ({ text }) => `seven ${String(text)}` })
  await using world = await openAgent({ x }, model)
  await world.agent.send('go').finished
  expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['call_tool', 'describe_tool', 'search_tools'])
  expect(eventsOf(world.events, 'tools.offered')).toMatchObject([
    { mode: 'search', count: 3, reason: 'There are 101 tools, more than 100: the model searches for them.' },
  ])
  // The call is shown as what it is.
  expect(eventsOf(world.events, 'call.finished')).toMatchObject([
    { name: 'x__t7', ref: 'x/t7', outcome: 'done', text: 'seven hi' },
  ])
  expect(eventsOf(world.events, 'call.started')).toMatchObject([{ args: { text: 'hi' } }])
  const small = { model: scriptedModel({ text: 'ok' }).model, name: 'small', window: 1000 }
  await using narrow = await openAgent({ x: serverOf(many(10)) }, small)
  await narrow.agent.send('go').finished
  expect(narrow.agent.tools()).toMatchObject({ mode: 'search', count: 3 })
  expect(eventsOf(narrow.events, 'tools.offered')[0]?.reason).toMatch(
    /^The tools weigh about \d+ tokens, more than 200:/,
  )
})

test('a tool whose schema the provider does not take is left out, and that is said', async () => {
  const { model } = scriptedModel({ text: 'ok' })
  const x = serverOf({ good: echo })
  x.server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'good', inputSchema: { type: 'object' as const } },
      { name: 'bad', inputSchema: { type: 'object' as const, properties: { t: { $ref: '#/$defs/none' } } } },
    ],
  }))
  await using world = await openAgent({ x }, { model, name: 'm', provider: 'gemini' })
  await world.agent.send('go').finished
  expect(eventsOf(world.events, 'tools.offered')).toMatchObject([
    { count: 1, reason: expect.stringMatching(/^x__bad is left out: /) as string },
  ])
})

test('the system prompt has the working directory, the agent’s prompt, the given text and the servers’ own words, cut', async () => {
  const { model, requests } = scriptedModel({ text: 'ok' })
  const x = serverOf({ a: echo }, { instructions: `Call a first. ${'x'.repeat(5000)}` })
  await using world = await openAgent({ x }, model, { system: 'Answer in French.' })
  await world.agent.send('go').finished
  const system = String(requests[0]?.prompt[0]?.content)
  expect(system).toContain(`The working directory is ${world.home}.`)
  expect(system).toContain('\n\nAnswer in French.\n\n')
  expect(system).toContain('What the server "x" says about its tools, in its own words:\nCall a first. xxx')
  expect(system.length).toBeLessThan(5200)
  expect(system.endsWith('x […]')).toBe(true)
})

test('B14 an agent sees just its tools and its prompt; use() changes it from the next turn on', async () => {
  const { model, requests } = scriptedModel({ text: 'ok' })
  const servers = { x: serverOf({ read: echo, write: echo }) }
  await using world = await openAgent(servers, model, {
    files: {
      '.claude/agents/reader.md':
        '---\nname: reader\ndescription: d\ntools: mcp__x__read\n---\nYou only read.\n',
    },
  })
  await world.agent.use({ agent: 'reader' })
  await world.agent.send('one').finished
  await world.agent.use({ agent: null })
  await world.agent.send('two').finished
  expect(requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ['x__read'],
    ['x__read', 'x__write'],
  ])
  expect(requests.map(({ prompt }) => String(prompt[0]?.content).includes('You only read.'))).toEqual([
    true,
    false,
  ])
  await expect(world.agent.use({ agent: 'nobody' })).rejects.toThrow('There is no agent "nobody".')
  expect(world.agent.conversation).not.toHaveProperty('agent')
})
