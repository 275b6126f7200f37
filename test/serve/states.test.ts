import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../../src/index.ts'
import { faultyServer } from '../../src/testing.ts'
import { followFeed } from '../support/programs/feed-events.ts'
import type { FeedEvents } from '../support/programs/feed-events.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

const sampling: Json = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }], maxTokens: 9 },
}

let it: ServedMachine
let feed: FeedEvents

beforeAll(async () => {
  it = await startServed(
    {
      mute: faultyServer({
        tools: 1,
        on: { 'tools/list': { error: { code: -32603, message: 'No list today.' } } },
      }),
      frail: faultyServer({ tools: 1 }),
      asks: faultyServer({
        tools: [
          { name: 'think', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
          { name: 'save', inputSchema: { type: 'object' } },
        ],
        on: { 'tools/call:think': { ask: [sampling] } },
      }),
    },
    {
      agent: 'CLAUDECODE',
      files: {
        '~/.config/plugboard/settings.json': { rules: [{ effect: 'ask', tools: ['asks__save'] }] },
      },
    },
  )
  feed = await followFeed(it.client)
})
afterAll(async () => {
  feed[Symbol.dispose]()
  await it[Symbol.asyncDispose]()
})

const call = async (ref: string) =>
  (await it.client.send('POST /api/calls', { body: { ref, args: {} } })).call

test('a server that is connected and cannot list its tools says so, with the reason and the next step', async () => {
  const { server } = await feed.until(
    'server.changed',
    (each) => each.server.name === 'mute' && each.server.state.word === 'no tools',
  )
  expect(server).toMatchObject({
    isKnown: false,
    state: {
      state: 'ready',
      tone: 'warn',
      sentence: expect.stringContaining('No list today.') as string,
      hint: 'See what it sends: plugboard test mute',
    },
  })
  expect(server).not.toHaveProperty('tools')
  const { waiting } = await it.client.send('GET /api/tools')
  // Others may still be connecting.
  expect(waiting).toContainEqual({ server: 'mute', reason: server.state.sentence })
})

test('a server that is killed while a page is open comes back, and its row says what happened', async () => {
  const ready = await feed.until(
    'server.changed',
    ({ server }) => server.name === 'frail' && server.state.state === 'ready' && server.pid !== undefined,
  )
  const { pid = 0 } = ready.server
  process.kill(pid, 'SIGKILL')
  const { server } = await feed.until(
    'server.changed',
    (each) => each.server.name === 'frail' && each.server.state.state === 'ready' && each.server.pid !== pid,
  )
  expect(server.state.sentence).toMatch(/SIGKILL.* It had run for .*, and was ready again .* later\.$/)
})

test('T21 a call whose server may not use the model says why in its details', async () => {
  const { id } = await call('asks/think')
  await feed.until('call.changed', (each) => each.call.id === id && each.call.ms !== undefined)
  const { notes } = await it.client.send('GET /api/calls/:call', { params: { call: id } })
  expect(notes).toEqual([expect.stringMatching(/^"asks" may not use the model now: No model/)])
})

test('T48 a serve that an agent started takes no yes, and a no', async () => {
  const { id } = await call('asks/save')
  const { question } = await feed.until('question.changed', (each) => each.question.state === 'pending')
  const answer = (grant: 'once' | 'always' | 'no') =>
    it.client.send('POST /api/questions/:question/answer', {
      params: { question: question.id },
      body: { grant },
    })
  for (const grant of ['once', 'always'] as const)
    await expect(answer(grant)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('plugboard answer') as string,
    })
  await answer('no')
  const { call: row } = await feed.until(
    'call.changed',
    (each) => each.call.id === id && each.call.ms !== undefined,
  )
  expect(row.state).toBe('refused')
})

test('a fault names its file as the page does, and ends like a sentence', async () => {
  const body = { name: 'frail', scope: 'user' as const, command: 'node', isDryRun: true }
  await expect(it.client.send('POST /api/servers', { body })).rejects.toMatchObject({
    message: 'Server "frail" already exists in ~/.config/plugboard/mcp.json.',
    fault: { data: { file: it.machine.path('~/.config/plugboard/mcp.json') } },
  })
})
