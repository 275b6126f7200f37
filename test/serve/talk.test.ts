import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { openOwnStore } from '../../src/store.ts'
import { followFeed } from '../support/programs/feed-events.ts'
import type { FeedEvents } from '../support/programs/feed-events.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

const object = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const text = { type: 'string' }
const script: FaultyScript = {
  tools: [
    { name: 'look', inputSchema: object({}), annotations: { readOnlyHint: true } },
    {
      name: 'save',
      description: 'Saves it.',
      inputSchema: object({ to: text }, ['to']),
      annotations: { openWorldHint: true },
    },
    { name: 'ask', inputSchema: object({}), annotations: { readOnlyHint: true } },
  ],
  on: {
    'tools/call:look': { text: 'seen' },
    'tools/call:ask': {
      ask: [
        {
          method: 'elicitation/create',
          params: {
            message: 'Which \u202Ecity?',
            requestedSchema: object({ city: { type: 'string', minLength: 3 } }, ['city']),
          },
        },
      ],
    },
  },
}

const secret = 'zebra-plain-token-42'
let model: ModelServer
let x: ServedMachine
let feed: FeedEvents
const rules = [{ effect: 'ask', tools: ['x__look*'], when: [{ at: '/careful', equals: true }] }]

beforeAll(async () => {
  model = await startModelServer({ wire: 'openai-chat', models: ['scripted', 'other'] })
  x = await startServed(
    { x: { ...faultyServer(script), env: { API_KEY: secret } }, y: faultyServer({ tools: 3 }) },
    {
      files: {
        '~/.config/plugboard/settings.json': {
          model: 'fake/scripted',
          endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
          rules,
        },
        '~/other/.git/HEAD': '',
      },
    },
  )
  feed = await followFeed(x.client)
})
afterAll(async () => {
  feed[Symbol.dispose]()
  await x[Symbol.asyncDispose]()
  await model.stop()
})

const begin = async () => {
  const { conversation } = await x.client.send('POST /api/conversations', { body: {} })
  return conversation.id
}
const say = (conversation: string, words: string) =>
  x.client.send('POST /api/conversations/:conversation/turns', {
    params: { conversation },
    body: { text: words },
  })
const turnEnd = (conversation: string) =>
  feed.until('turn', (each) => each.conversation === conversation && each.event.type === 'turn.finished')
const read = (conversation: string) =>
  x.client.send('GET /api/conversations/:conversation', { params: { conversation } })
const questionOf = (conversation: string) =>
  feed.until(
    'question.changed',
    ({ question }) => question.conversation === conversation && question.state === 'pending',
  )
const callOf = (name: string, args: object = {}) => ({ calls: [{ name, args }] })

describe('conversations', () => {
  test('a turn is told by numbered events, and the conversation is kept', async () => {
    model.play([callOf('x__look'), { text: 'It is there.' }])
    const id = await begin()
    await say(id, 'Look around')
    const end = await turnEnd(id)
    expect(end.event).toMatchObject({ type: 'turn.finished', outcome: 'done', text: 'It is there.' })
    const turns = feed.of('turn').filter((each) => each.conversation === id)
    expect(turns.map(({ index }) => index)).toEqual(turns.map((_, at) => at))
    expect(turns.map(({ event }) => event.type)).toEqual(
      expect.arrayContaining(['turn.started', 'call.started', 'call.finished', 'text', 'turn.finished']),
    )
    await feed.until('conversation.changed', (each) => each.conversation.word === 'done · 1 call')
    const { conversation, messages, running, usage, servers } = await read(id)
    expect(conversation).toMatchObject({
      title: 'Look around',
      model: 'fake/scripted',
      word: 'done · 1 call',
      isRunning: false,
      shownCwd: '~/shop',
      length: 4,
    })
    expect(messages.map(({ role, seq }) => `${seq} ${role}`)).toEqual([
      '1 user',
      '2 assistant',
      '3 tool',
      '4 assistant',
    ])
    expect(running).toEqual([])
    expect(usage.inputTokens).toBeGreaterThan(0)
    expect(servers.servers.map(({ server, isOn, tools }) => [server, isOn, tools])).toEqual([
      ['x', true, 3],
      ['y', true, 3],
    ])
    const listed = await x.client.send('GET /api/conversations')
    expect(listed).toMatchObject({ isKept: true, conversations: [{ id, title: 'Look around' }] })
  })

  test('a page knows at once that there is a conversation more, or less', async () => {
    const { counts } = await x.client.send('GET /api/snapshot')
    const isNow = (count: number, after = 0) =>
      feed.until('counts.changed', (each) => each.seq > after && each.counts.conversations === count)
    const id = await begin()
    const { seq } = await isNow(counts.conversations + 1)
    await x.client.send('DELETE /api/conversations/:conversation', { params: { conversation: id } })
    const last = await isNow(counts.conversations, seq)
    expect(last.counts.conversations).toBe(counts.conversations)
  })

  test('messages come by pages; title, export, undo and delete', async () => {
    model.play([{ text: 'One.' }, { text: 'Two.' }])
    const id = await begin()
    for (const words of ['First', 'Second']) {
      await say(id, words)
      await feed.until(
        'turn',
        (each) =>
          each.conversation === id &&
          each.event.type === 'turn.finished' &&
          each.event.text === (words === 'First' ? 'One.' : 'Two.'),
      )
    }
    const params = { conversation: id }
    const page = (query: object) => x.client.send('GET /api/conversations/:conversation', { params, query })
    expect(await page({ limit: '1' })).toMatchObject({ messages: [{ seq: 4 }], hasEarlier: true })
    expect(await page({ before: '3', limit: '5' })).toMatchObject({
      messages: [{ seq: 1 }, { seq: 2 }],
      hasEarlier: false,
    })
    await expect(page({ limit: 'many' })).rejects.toMatchObject({ status: 400 })
    const changed = await x.client.send('PATCH /api/conversations/:conversation', {
      params,
      body: { title: ' Numbers ' },
    })
    expect(changed.conversation.title).toBe('Numbers')
    const forged = await x.client.send('PATCH /api/conversations/:conversation', {
      params,
      body: { title: 'Numbers\u202E\u{E0041}' },
    })
    // T18: hidden characters of a title are made visible, in the list, the heading and the tab.
    expect(forged.conversation.title).toBe('Numbers\\u{202e}\\u{e0041}')
    const markdown = await x.client.send('GET /api/conversations/:conversation/export', { params })
    expect(markdown).toMatchObject({ name: `conversation-${id.slice(0, 8)}.md` })
    expect(markdown.text).toContain('# Numbers')
    const json = await x.client.send('GET /api/conversations/:conversation/export', {
      params,
      query: { format: 'json' },
    })
    expect(JSON.parse(json.text)).toMatchObject({
      version: 1,
      id,
      messages: [{ seq: 1 }, {}, {}, { seq: 4 }],
    })
    expect(await x.client.send('POST /api/conversations/:conversation/undo', { params })).toEqual({
      removed: 2,
      prompt: 'Second',
    })
    expect((await read(id)).messages).toHaveLength(2)
    expect(await x.client.send('DELETE /api/conversations/:conversation', { params })).toEqual({
      isDeleted: true,
    })
    await feed.until('conversation.removed', (each) => each.id === id)
    await expect(read(id)).rejects.toMatchObject({ status: 404, fault: { code: 'store.unknown' } })
  })

  test('a page that opens in the middle of a turn gets its prompt and its events; stop keeps what is there', async () => {
    model.play([{ text: 'Half an ans', silent: true }])
    const id = await begin()
    await say(id, 'Tell me all')
    await feed.until('turn', (each) => each.conversation === id && each.event.type === 'text')
    const { messages, running, conversation } = await read(id)
    expect(messages).toMatchObject([{ role: 'user', content: 'Tell me all', seq: 1 }])
    expect(running).toEqual(
      feed
        .of('turn')
        .filter((each) => each.conversation === id)
        .map(({ event }) => event),
    )
    expect(conversation).toMatchObject({ isRunning: true, word: 'answers' })
    await expect(say(id, 'More')).rejects.toMatchObject({ status: 400 })
    const params = { conversation: id }
    await x.client.send('DELETE /api/conversations/:conversation/turns', { params })
    expect((await turnEnd(id)).event).toMatchObject({ outcome: 'cancelled' })
    const stopped = await read(id)
    expect(stopped.conversation).toMatchObject({ isRunning: false, word: 'stopped' })
    expect(stopped.running.at(-1)).toMatchObject({ type: 'turn.finished', outcome: 'cancelled' })
  })

  test('a turn that is stopped while a server asks: the question is withdrawn, and the server answers again', async () => {
    model.play([callOf('x__ask')])
    const id = await begin()
    await say(id, 'Ask me')
    const { question } = await questionOf(id)
    await x.client.send('DELETE /api/conversations/:conversation/turns', { params: { conversation: id } })
    await feed.until(
      'question.changed',
      (each) => each.question.id === question.id && each.question.state !== 'pending',
    )
    expect((await x.client.send('GET /api/questions')).pending).toEqual([])
    model.play([callOf('x__look'), { text: 'Again.' }])
    const other = await begin()
    await say(other, 'Look')
    expect((await turnEnd(other)).event).toMatchObject({ outcome: 'done', text: 'Again.' })
  })

  test('of two messages sent at once one is refused, and the other is answered', async () => {
    model.play([{ text: 'One.' }])
    const id = await begin()
    const sent = await Promise.allSettled([say(id, 'First'), say(id, 'Second')])
    expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await turnEnd(id)).event).toMatchObject({ outcome: 'done', text: 'One.' })
  })

  test('approvals of many conversations all wait: none is refused in the name of the person', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, begin))
    for (const [at, id] of ids.entries()) {
      model.play([callOf('x__save', { to: `disk ${at}` })])
      await say(id, 'Save it')
      await questionOf(id)
    }
    expect((await x.client.send('GET /api/questions')).pending).toHaveLength(7)
    for (const conversation of ids)
      await x.client.send('DELETE /api/conversations/:conversation/turns', { params: { conversation } })
  })

  test('a failure of the model is told with its cause, and stays after a reload', async () => {
    model.play([{ status: 401 }])
    const id = await begin()
    await say(id, 'Hello')
    expect((await turnEnd(id)).event).toMatchObject({
      outcome: 'failed',
      status: 401,
      code: 'model.unauthorized',
    })
    const { running, conversation } = await read(id)
    expect(running.at(-1)).toMatchObject({ type: 'turn.finished', outcome: 'failed' })
    expect(conversation).toMatchObject({ tone: 'bad', word: expect.stringMatching(/^failed: /) as string })
  })

  test('a switch counts from the next step on, with its tokens, and another terminal sees it', async () => {
    const id = await begin()
    const params = { conversation: id, server: 'y' }
    const before = await x.client.send('GET /api/conversations/:conversation/servers', { params })
    const off = await x.client.send('PUT /api/conversations/:conversation/servers/:server', {
      params,
      body: { enabled: false },
    })
    const tokens = before.servers.find(({ server }) => server === 'y')?.tokens ?? 0
    expect(tokens).toBeGreaterThan(0)
    expect(before.tokens - off.tokens).toBe(tokens)
    expect(off).toMatchObject({
      mode: 'all',
      servers: [
        { server: 'x', isOn: true },
        { server: 'y', isOn: false, tokens },
      ],
    })
    await feed.until('servers.switched', (each) => each.conversation === id)
    model.play([{ text: 'Yes.' }])
    await say(id, 'Are you there?')
    await turnEnd(id)
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['x__ask', 'x__look', 'x__save'])
    const { home, project } = x.machine
    const own = await openOwnStore({ platform: { home, cwd: project, env: { HOME: home } } })
    expect([...(own.store?.memory.toggles.of(id) ?? [])]).toEqual([['y', false]])
    await own.store?.close()
    await expect(
      x.client.send('PUT /api/conversations/:conversation/servers/:server', {
        params: { ...params, server: 'zz' },
        body: { enabled: true },
      }),
    ).rejects.toMatchObject({ status: 404, fault: { code: 'server.unknown' } })
  })

  test('the folder of a conversation decides which servers it has; a folder that is gone is said', async () => {
    const cwd = x.machine.path('~/other')
    x.machine.write('~/other/.mcp.json', { mcpServers: { theirs: faultyServer({ tools: 1 }) } })
    const { conversation } = await x.client.send('POST /api/conversations', { body: { cwd } })
    expect(conversation.shownCwd).toBe('~/other')
    const { servers } = await x.client.send('GET /api/conversations/:conversation/servers', {
      params: { conversation: conversation.id },
    })
    expect(servers.map(({ server }) => server)).toEqual(expect.arrayContaining(['x', 'y']))
    await expect(
      x.client.send('POST /api/conversations', { body: { cwd: `${cwd}/nowhere` } }),
    ).rejects.toMatchObject({ status: 400 })
  })
})

describe('questions', () => {
  test('T10 an approval shows every argument, what the tool declares, and hidden characters; a yes runs it', async () => {
    const to = `disk\u202E\u200B ${'z'.repeat(21_000)}`
    model.play([callOf('x__save', { to }), { text: 'Saved.' }])
    const id = await begin()
    await say(id, 'Save it')
    const { question } = await questionOf(id)
    expect(question).toMatchObject({
      server: 'x',
      title: 'x wants to run save',
      isWaiting: true,
      command: `plugboard answer ${question.id.slice(0, 8)}`,
      asked: {
        kind: 'approval',
        ref: 'x/save',
        name: 'x__save',
        args: { to: `disk\\u{202e}\\u{200b} ${'z'.repeat(21_000)}` },
        marks: ['writes', 'reaches outside'],
        isWhole: true,
        canEdit: false,
      },
    })
    await feed.until(
      'conversation.changed',
      (each) => each.conversation.id === id && each.conversation.word === 'waits for you',
    )
    expect((await x.client.send('GET /api/questions')).pending.map((each) => each.id)).toContain(question.id)
    expect((await x.client.send('GET /api/snapshot')).questions.map((each) => each.id)).toContain(question.id)
    const answer = await x.client.send('POST /api/questions/:question/answer', {
      params: { question: question.id },
      body: { grant: 'once' },
    })
    expect(answer).toMatchObject({
      isAnswered: true,
      problems: [],
      question: { state: 'answered', decision: 'allowed once', answeredIn: 'page' },
    })
    expect((await turnEnd(id)).event).toMatchObject({ outcome: 'done' })
    await expect(
      x.client.send('POST /api/questions/:question/answer', {
        params: { question: question.id },
        body: { grant: 'once' },
      }),
    ).rejects.toMatchObject({ status: 409, fault: { code: 'question.settled' } })
    const { settled } = await x.client.send('GET /api/questions')
    expect(settled.find((each) => each.id === question.id)).toMatchObject({ decision: 'allowed once' })
  })

  test('T10 arguments changed in the page are checked, run and recorded', async () => {
    model.play([callOf('x__save', { to: 'disk' }), { text: 'Saved.' }])
    const id = await begin()
    await say(id, 'Save it')
    const { question } = await questionOf(id)
    expect(question.asked).toMatchObject({ canEdit: true })
    const params = { question: question.id }
    const wrong = await x.client.send('POST /api/questions/:question/answer', {
      params,
      body: { grant: 'once', args: { to: 7 } },
    })
    expect(wrong).toMatchObject({
      isAnswered: false,
      problems: [{ pointer: expect.stringContaining('to') as string }],
      question: { state: 'pending' },
    })
    await x.client.send('POST /api/questions/:question/answer', {
      params,
      body: { grant: 'once', args: { to: 'tape' } },
    })
    await turnEnd(id)
    const finished = feed
      .of('turn')
      .flatMap(({ conversation, event }) =>
        conversation === id && event.type === 'call.finished' ? [event] : [],
      )
    expect(finished).toMatchObject([{ outcome: 'done', args: { to: 'tape' } }])
    expect(finished[0]?.text).toContain('tape')
  })

  test('T10 T35 a secret in the arguments is masked and marked, cannot be edited, and runs as it is', async () => {
    model.play([callOf('x__save', { to: secret }), { text: 'Saved.' }])
    const id = await begin()
    await say(id, 'Save it')
    const { question } = await questionOf(id)
    expect(JSON.stringify(question)).not.toContain(secret)
    expect(question.asked).toMatchObject({
      marks: ['writes', 'reaches outside', 'holds a secret'],
      isWhole: true,
      canEdit: false,
    })
    // The server refuses what the page does not offer: the mask would be sent in place of the secret.
    const answered = { params: { question: question.id } }
    const edited = { ...answered, body: { grant: 'once' as const, args: { to: 'elsewhere' } } }
    await expect(x.client.send('POST /api/questions/:question/answer', edited)).rejects.toMatchObject({
      status: 403,
    })
    await x.client.send('POST /api/questions/:question/answer', { ...answered, body: { grant: 'once' } })
    expect((await turnEnd(id)).event).toMatchObject({ outcome: 'done' })
    const finished = feed
      .of('turn')
      .flatMap(({ conversation, event }) =>
        conversation === id && event.type === 'call.finished' ? [event] : [],
      )
    expect(finished).toMatchObject([{ outcome: 'done' }])
    expect(JSON.stringify(feed.all)).not.toContain(secret)
  })

  test('a rule that asks is named with its place; a refusal reaches the model', async () => {
    model.play([callOf('x__look', { careful: true }), { text: 'Then not.' }])
    const id = await begin()
    await say(id, 'Look carefully')
    const { question } = await questionOf(id)
    expect(question.asked).toMatchObject({
      rule: { text: 'x__look* → ask', place: { shown: expect.stringContaining('settings.json') as string } },
      always: expect.stringContaining('until the tool or its entry changes') as string,
    })
    await x.client.send('POST /api/questions/:question/answer', {
      params: { question: question.id },
      body: { grant: 'no' },
    })
    await turnEnd(id)
    expect(model.requests.at(-1)?.bodyText).toContain('A person said no.')
  })

  test('T20 a form of a server waits in the conversation, is checked in the words of the terminal, and answered', async () => {
    model.play([callOf('x__ask'), { text: 'Noted.' }])
    const id = await begin()
    await say(id, 'Ask me')
    const { question } = await questionOf(id)
    expect(question).toMatchObject({
      title: 'x asks one thing',
      from: expect.stringContaining('mcp.json') as string,
      asked: {
        kind: 'elicitation',
        message: 'Which \\u{202e}city?',
        form: { kind: 'object', fields: [{ name: 'city', kind: 'text' }] },
      },
      findings: [{ rule: 'UNI-002', severity: 'high', where: '/message' }],
    })
    const params = { question: question.id }
    const send = (body: { readonly action: 'accept'; readonly content: object }) =>
      x.client.send('POST /api/questions/:question/answer', { params, body: body as never })
    expect(await send({ action: 'accept', content: { city: 'Ro' } })).toMatchObject({
      isAnswered: false,
      problems: [{ pointer: '/city', message: 'At least 3 characters.' }],
    })
    expect(await send({ action: 'accept', content: { city: 'Rome' } })).toMatchObject({
      isAnswered: true,
      question: { decision: 'answered' },
    })
    expect((await turnEnd(id)).event).toMatchObject({ outcome: 'done' })
    expect(model.requests.at(-1)?.bodyText).toContain('Rome')
  })

  test('T48 a question of another program appears at once and is answered here; one that is not shown whole is not', async () => {
    const { home, project } = x.machine
    const { store } = await openOwnStore({ platform: { home, cwd: project, env: { HOME: home } } })
    const asked = { ref: 't/write', name: 't__write', args: { a: 1 }, reason: 'It may write.' }
    const { id = '' } = (await store?.questions.ask({ kind: 'approval', server: 't', asked })) ?? {}
    await feed.until('question.changed', ({ question }) => question.id === id)
    const params = { question: id }
    await expect(
      x.client.send('POST /api/questions/:question/answer', {
        params,
        body: { grant: 'once', args: { a: 2 } },
      }),
    ).rejects.toMatchObject({ status: 400 })
    await x.client.send('POST /api/questions/:question/answer', { params, body: { grant: 'once' } })
    expect(await store?.questions.settled(id)).toMatchObject({ state: 'answered', answer: 'once' })
    const hidden = await store?.questions.ask({
      kind: 'approval',
      server: 't',
      asked: { ...asked, masked: true },
    })
    await expect(
      x.client.send('POST /api/questions/:question/answer', {
        params: { question: hidden?.id ?? '' },
        body: { grant: 'once' },
      }),
    ).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Answer in the terminal that asked.') as string,
    })
    expect(
      await x.client.send('POST /api/questions/:question/answer', {
        params: { question: hidden?.id ?? '' },
        body: { grant: 'no' },
      }),
    ).toMatchObject({ isAnswered: true })
    const conversation = await store?.conversations.create({ cwd: project, title: 'From a terminal' })
    await feed.until('conversation.changed', (each) => each.conversation.title === 'From a terminal')
    await store?.memory.toggles.set(conversation?.id ?? '', 'x', false)
    await feed.until('servers.switched', (each) => each.conversation === conversation?.id)
    await store?.conversations.remove(conversation?.id ?? '')
    await feed.until('conversation.removed', (each) => each.id === conversation?.id)
    await store?.close()
    await expect(
      x.client.send('GET /api/questions/:question', { params: { question: 'nothing' } }),
    ).rejects.toMatchObject({ status: 404 })
  })
})
