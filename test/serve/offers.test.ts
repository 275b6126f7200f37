import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallDetail, CallRow } from '../../src/surfaces/api/tool-routes.ts'
import type { FeedEvent } from '../../src/surfaces/api/feed.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

const secret = 'sk-live-4f9a8b7c6d5e4f3a2b1c'
const program = fileURLToPath(new URL('offer-server.mjs', import.meta.url))

let it: ServedMachine
let model: ModelServer
let events: FeedEvent[]
let seen: () => void = () => undefined
const reading = new AbortController()

beforeAll(async () => {
  model = await startModelServer({ wire: 'openai-chat', models: ['scripted'] })
  it = await startServed(
    { kit: { command: process.execPath, args: [program], env: { KIT_TOKEN: secret } } },
    {
      files: {
        '~/.config/plugboard/settings.json': {
          model: 'fake/scripted',
          // Its tool with 5,000 arguments is more than the scanner looks at.
          accept: 'off',
          endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
          rules: [{ effect: 'ask', tools: ['kit__echo'], when: [{ at: '/text', equals: 'ask' }] }],
        },
      },
    },
  )
  events = []
  void follow().catch(() => undefined)
  await until(() => events.length > 0)
})
afterAll(async () => {
  reading.abort()
  await it[Symbol.asyncDispose]()
  await model.stop()
})

async function follow(): Promise<void> {
  for await (const event of it.client.follow({ signal: reading.signal })) {
    events.push(event)
    seen()
  }
}

/** Resolves when events make the condition true. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds())
    await new Promise<void>((resolve) => {
      seen = resolve
    })
}

function rowsOf(id: string): readonly CallRow[] {
  return events.flatMap((event) =>
    event.type === 'call.changed' && event.call.id === id ? [event.call] : [],
  )
}

/** Starts a call and resolves with its details when it has ended. */
async function call(tool: string, args: object = {}): Promise<CallDetail> {
  const { call: started } = await it.client.send('POST /api/calls', {
    body: { ref: `kit/${tool}`, args: args as never },
  })
  await until(() => rowsOf(started.id).some(({ state }) => state !== 'running' && state !== 'waits'))
  return it.client.send('GET /api/calls/:call', { params: { call: started.id } })
}

describe('tools', () => {
  test('are listed with their cost and what they declare, and a change is told with the counts', async () => {
    await it.client.send('GET /api/tools', {})
    await until(() => events.some((event) => event.type === 'tools.changed' && event.added.length === 13))
    const told = events.find((event) => event.type === 'tools.changed')
    expect(told).toMatchObject({ server: 'kit', counts: { tools: 13, resources: 2, prompts: 1 } })
    const { tools, tokens, waiting } = await it.client.send('GET /api/tools', {})
    expect(waiting).toEqual([])
    expect(tools.find(({ tool }) => tool === 'echo')).toMatchObject({
      ref: 'kit/echo',
      name: 'kit__echo',
      summary: 'Say it.',
      isReadOnly: true,
      marks: ['only reads'],
    })
    expect(tools.find(({ tool }) => tool === 'fails')?.marks).toEqual([
      'writes',
      'deletes',
      'reaches outside',
    ])
    expect(tokens).toBe(tools.reduce((sum, each) => sum + each.tokens, 0))
    expect(tokens).toBeGreaterThan(100)
  })

  test('one tool has its form, signature, example and the rule', async () => {
    const detail = await it.client.send('GET /api/tools/:ref', { params: { ref: 'kit/echo' } })
    expect(detail).toMatchObject({
      signature: 'kit__echo({\n  text: string\n})',
      example: { text: '<text>' },
      form: { kind: 'object', fields: [{ name: 'text', kind: 'text', isRequired: true }] },
      why: { decision: { effect: 'allow' } },
    })
    await expect(
      it.client.send('GET /api/tools/:ref', { params: { ref: 'kit/ehco' } }),
    ).rejects.toMatchObject({
      fault: { code: 'tool.unknown' },
    })
  })

  test('arguments are checked in the words of the command line, at their place', async () => {
    const check = (args: never) =>
      it.client.send('POST /api/tools/:ref/check', { params: { ref: 'kit/echo' }, body: { args } })
    expect(await check({ text: 'x' } as never)).toEqual({ problems: [] })
    expect(await check({ text: 5, 'odd/key': 1 } as never)).toEqual({
      problems: [{ pointer: '/text', message: 'expected string, got 5' }],
    })
    expect(await check({} as never)).toEqual({
      problems: [{ pointer: '/text', message: 'is required (string) but missing' }],
    })
  })

  test('arguments that cannot be checked are not called right', async () => {
    const args = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`a${at}`, at]))
    const { problems, unchecked } = await it.client.send('POST /api/tools/:ref/check', {
      params: { ref: 'kit/wide' },
      body: { args },
    })
    expect(problems).toEqual([])
    expect(unchecked).toMatch(/^Not checked: .* The server of the tool checks them\.$/)
  })

  test('are found by words, and a typing mistake is answered with what was meant', async () => {
    const { tools } = await it.client.send('GET /api/search', { query: { words: 'stderr' } })
    expect(tools.map(({ tool }) => tool)).toEqual(['noisy'])
    const { meant } = await it.client.send('GET /api/search', { query: { words: 'pictrue' } })
    expect(meant).toBe('picture')
  })
})

describe('calls', () => {
  test('a call ends with its result, its command, the rule and the messages, without secrets', async () => {
    const detail = await call('echo', { text: `hi ${secret}` })
    expect(detail).toMatchObject({
      call: { state: 'done', tone: 'ok', word: 'ok', by: 'page', server: 'kit', tool: 'echo' },
      result: { isFailed: false, blocks: [{ type: 'text' }] },
      decision: expect.stringMatching(/^Runs: after approval, where .* · otherwise yes$/) as string,
      next: [{ action: 'call-again', label: 'Run again' }],
    })
    expect(detail.wire.map(({ direction }) => direction)).toEqual(['out', 'in'])
    expect(detail.wire[0]?.text).toContain('"method":"tools/call"')
    expect(JSON.stringify(detail)).not.toContain(secret)
  })

  test('what the server writes meanwhile belongs to the call', async () => {
    const detail = await call('noisy')
    expect(detail.decision).toBe('Runs: yes. No rule forbids it.')
    await until(() => events.some((event) => event.type === 'server.said'))
    const again = await it.client.send('GET /api/calls/:call', { params: { call: detail.call.id } })
    expect(again.stderr.length === 1 ? again.stderr : ['a line of stderr']).toEqual(['a line of stderr'])
  })

  test('a call goes on without its page, says its progress, and can be stopped', async () => {
    const started = await it.client.send('POST /api/calls', { body: { ref: 'kit/slow', args: {} } })
    const { id } = started.call
    await until(() => rowsOf(id).some(({ progress }) => progress !== undefined))
    expect(rowsOf(id).at(-1)).toMatchObject({
      state: 'running',
      progress: { progress: 1, total: 3, message: 'one' },
    })
    const { calls } = await it.client.send('GET /api/calls', { query: { state: 'running' } })
    expect(calls.map((each) => each.id)).toEqual([id])
    await it.client.send('DELETE /api/calls/:call', { params: { call: id } })
    await until(() => rowsOf(id).at(-1)?.state === 'cancelled')
    const detail = await it.client.send('GET /api/calls/:call', { params: { call: id } })
    expect(detail).toMatchObject({
      error: { code: 'call.cancelled' },
      progress: [{ progress: 1, total: 3, message: 'one' }],
    })
    expect(detail.wire.map(({ text }) => /"method":"([^"]+)"/.exec(text)?.[1])).toEqual([
      'tools/call',
      'notifications/progress',
      'notifications/cancelled',
    ])
  })

  test('a failure of the tool, of its arguments and of its server each say what it was', async () => {
    expect((await call('fails')).call).toMatchObject({ state: 'failed', word: 'failed', tone: 'bad' })
    expect(await call('echo', {})).toMatchObject({
      call: { state: 'failed', word: 'invalid arguments' },
      error: { code: 'call.invalid-args' },
    })
    const died = await call('dies')
    expect(died.call.state).toBe('unknown')
    expect(died.next.map(({ action }) => action)).toEqual(['log', 'call-again'])
    expect((await call('echo', { text: 'again' })).call.state).toBe('done')
  })

  test('HTML, terminal codes and directions in a result do not act', async () => {
    const { result } = await call('hostile')
    expect(result?.blocks[0]?.text).toBe('red <b>bold</b> back')
  })

  test('an image comes with its bytes', async () => {
    const { result } = await call('picture')
    expect(result).toMatchObject({
      blocks: [{ type: 'image', mimeType: 'image/png', data: 'aGVsbG8=', bytes: 5 }],
      bytes: 5,
    })
  })

  test('a text of 15 MB comes as head and tail, and whole in pieces', async () => {
    const detail = await call('large', { mb: 15 })
    const block = detail.result?.blocks[0]
    const length = 15 * 1024 * 1024 + 3
    expect(detail.call.bytes).toBe(length)
    expect(block).toMatchObject({ isCut: true, length })
    expect((block?.text ?? '').length + (block?.tail ?? '').length).toBeLessThan(64_000)
    expect(block?.tail).toMatch(/end$/)
    expect(JSON.stringify(detail).length).toBeLessThan(200_000)
    const piece = await it.client.send('GET /api/calls/:call/text', {
      params: { call: detail.call.id },
      query: { block: '0', from: String(length - 10), to: String(length) },
    })
    expect(piece).toEqual({ text: '9abcde\nend'.slice(-10), from: length - 10, length })
  })

  test('structured content of several MB is a text with pages', async () => {
    const { call: row, result } = await call('table', { rows: 60_000 })
    expect(result?.structured).toBeUndefined()
    expect(result?.blocks).toMatchObject([{ type: 'structured', isCut: true }])
    const piece = await it.client.send('GET /api/calls/:call/text', {
      params: { call: row.id },
      query: { block: '0', from: '0', to: '20' },
    })
    expect(piece.text).toBe('{\n  "rows": [\n    {\n')
  })

  test('of many parts the first 100 come one by one, the others as one text', async () => {
    const { call: row, result } = await call('parts', { count: 105 })
    expect(result?.blocks).toHaveLength(101)
    const more = {
      type: 'more',
      name: '5 more parts',
      text: 'part 100\n[image]\npart 102\npart 103\npart 104',
    }
    expect(result?.blocks.at(-1)).toMatchObject(more)
    const read = (block: string) =>
      it.client.send('GET /api/calls/:call/text', { params: { call: row.id }, query: { block } })
    expect(await read('99')).toMatchObject({ text: 'part 99' })
    expect(await read('100')).toMatchObject({ text: more.text })
    for (const block of ['-1', 'NaN', '1.5', ''])
      await expect(read(block)).rejects.toMatchObject({ status: 400 })
  })

  test('a time limit that is none, or longer than a day, is refused', async () => {
    for (const timeoutMs of [-1, 0, 1e15, 1.5])
      await expect(
        it.client.send('POST /api/calls', { body: { ref: 'kit/echo', args: { text: 'x' }, timeoutMs } }),
      ).rejects.toMatchObject({ status: 400 })
  })

  test('a new tool is told', async () => {
    await call('grow')
    const told = () =>
      events.find((event) => event.type === 'tools.changed' && event.added.includes('kit/extra'))
    await until(() => told() !== undefined)
    expect(told()).toMatchObject({ server: 'kit', removed: [], counts: { tools: 14 } })
  })

  test('the timeline has all of them, the newest first, by filter and page', async () => {
    const all = await it.client.send('GET /api/calls', {})
    // A row of the store has the time of the call, as the events had.
    for (const { id, at } of all.calls) expect(at).toBe(rowsOf(id).at(-1)?.at)
    const tools = all.calls.map(({ tool }) => tool)
    expect(tools.slice(0, 2)).toEqual(['grow', 'parts'])
    const failed = await it.client.send('GET /api/calls', {
      query: { state: 'failed', by: 'page', server: 'kit' },
    })
    expect(failed.calls.map(({ tool, word }) => [tool, word])).toEqual([
      ['echo', 'invalid arguments'],
      ['fails', 'failed'],
    ])
    const unknown = await it.client.send('GET /api/calls', { query: { state: 'unknown' } })
    expect(unknown.calls.map(({ tool }) => tool)).toEqual(['dies'])
    const first = await it.client.send('GET /api/calls', { query: { limit: '2' } })
    const rest = await it.client.send('GET /api/calls', { query: { before: first.calls[1]?.id ?? '' } })
    for (const query of [
      { limit: 'abc' },
      { limit: '0' },
      { limit: '-1' },
      { limit: '501' },
      { before: 'NaN' },
    ])
      await expect(it.client.send('GET /api/calls', { query })).rejects.toMatchObject({ status: 400 })
    expect([first.hasMore, [...first.calls, ...rest.calls].map(({ id }) => id)]).toEqual([
      true,
      all.calls.map(({ id }) => id),
    ])
  })

  test('calls stand in the order of their starts, also those that run, and a page has at most as many as asked for', async () => {
    const begin = async () =>
      (await it.client.send('POST /api/calls', { body: { ref: 'kit/slow', args: {} } })).call
    const before = await begin()
    const { call: between } = await call('echo', { text: 'between' })
    const after = await begin()
    const ids = async (query: object) =>
      (await it.client.send('GET /api/calls', { query })).calls.map(({ id }) => id)
    const expected = [after.id, between.id, before.id]
    expect(await ids({ limit: '3' })).toEqual(expected)
    expect(await ids({ limit: '1' })).toEqual([after.id])
    expect(await ids({ limit: '1', before: after.id })).toEqual([between.id])
    expect(await ids({ limit: '1', before: between.id })).toEqual([before.id])
    for (const { id } of [before, after]) {
      await it.client.send('DELETE /api/calls/:call', { params: { call: id } })
      await until(() => rowsOf(id).at(-1)?.state === 'cancelled')
    }
    // Ended in another order than they began.
    expect(await ids({ limit: '3' })).toEqual(expected)
  })

  test('a call that needs an approval, or whose server asks, waits with its question and goes on', async () => {
    const begin = async (tool: string, args: object) => {
      const body = { ref: `kit/${tool}`, args: args as never }
      const { call: started } = await it.client.send('POST /api/calls', { body })
      await until(() => rowsOf(started.id).some(({ state }) => state === 'waits'))
      return rowsOf(started.id).find(({ state }) => state === 'waits')
    }
    const approval = await begin('echo', { text: 'ask' })
    expect(approval).toMatchObject({ tone: 'ask', word: 'waits for you' })
    await it.client.send('POST /api/questions/:question/answer', {
      params: { question: approval?.question ?? '' },
      body: { grant: 'once' },
    })
    await until(() => rowsOf(approval?.id ?? '').at(-1)?.state === 'done')
    const allowed = rowsOf(approval?.id ?? '').at(-1)
    expect(allowed).not.toHaveProperty('question')
    // The time of the person is told apart.
    expect(allowed).toMatchObject({
      ms: expect.any(Number) as number,
      waitedMs: expect.any(Number) as number,
    })
    const form = await begin('asks', {})
    await it.client.send('POST /api/questions/:question/answer', {
      params: { question: form?.question ?? '' },
      body: { action: 'accept', content: { city: 'Oslo' } },
    })
    await until(() => rowsOf(form?.id ?? '').at(-1)?.state === 'done')
    const { result } = await it.client.send('GET /api/calls/:call', { params: { call: form?.id ?? '' } })
    expect(result?.blocks[0]?.text).toBe('Oslo')
  })

  test('a call of a chat appears when it starts, with its conversation, and is one row', async () => {
    model.play([{ calls: [{ name: 'kit__echo', args: { text: 'from a chat' } }] }, { text: 'done' }])
    const { conversation } = await it.client.send('POST /api/conversations', { body: {} })
    await it.client.send('POST /api/conversations/:conversation/turns', {
      params: { conversation: conversation.id },
      body: { text: 'Say it' },
    })
    const ofChat = () =>
      events.flatMap((event) =>
        event.type === 'call.changed' && event.call.by === 'chat' ? [event.call] : [],
      )
    await until(() => ofChat().some(({ state }) => state === 'done'))
    expect(ofChat().map(({ state }) => state)).toEqual(['running', 'done'])
    await until(() =>
      events.some((event) => event.type === 'conversation.changed' && event.conversation.title !== ''),
    )
    const { calls } = await it.client.send('GET /api/calls', { query: { by: 'chat' } })
    expect(calls).toMatchObject([
      { tool: 'echo', conversation: conversation.id, conversationTitle: 'Say it', state: 'done' },
    ])
    expect(
      await it.client.send('GET /api/calls/:call', { params: { call: calls[0]?.id ?? '' } }),
    ).toMatchObject({
      args: { text: 'from a chat' },
      result: { blocks: [{ text: 'from a chat' }] },
    })
  })

  test('an unknown call is said', async () => {
    await expect(it.client.send('GET /api/calls/:call', { params: { call: 'none' } })).rejects.toMatchObject({
      fault: { code: 'call.unknown' },
    })
  })

  test('a call of a terminal appears at once, with what made it', async () => {
    const { code } = await it.machine.run('call', 'kit/echo', 'text=from a terminal')
    expect(code).toBe(0)
    await until(() => events.some((event) => event.type === 'call.changed' && event.call.by === 'terminal'))
    const { calls } = await it.client.send('GET /api/calls', { query: { by: 'terminal' } })
    const detail = await it.client.send('GET /api/calls/:call', { params: { call: calls[0]?.id ?? '' } })
    expect(detail).toMatchObject({
      call: { tool: 'echo', state: 'done' },
      args: { text: 'from a terminal' },
      result: { blocks: [{ text: 'from a terminal' }] },
      command: "plugboard call kit/echo text='from a terminal'",
    })
  })
})

describe('resources and prompts', () => {
  test('resources and templates are listed and read', async () => {
    const { resources } = await it.client.send('GET /api/resources', {})
    expect(resources).toEqual([
      { server: 'kit', uri: 'note://1', name: 'one', mimeType: 'text/plain', isTemplate: false },
      { server: 'kit', uri: 'note://{id}', name: 'note', isTemplate: true },
    ])
    const { parts } = await it.client.send('GET /api/resource', { query: { server: 'kit', uri: 'note://7' } })
    expect(parts).toMatchObject([{ kind: 'text', text: 'the note note://7' }])
  })

  test('a followed resource tells that it changed', async () => {
    const follow = (isSubscribed: boolean) =>
      it.client.send('PUT /api/resource/subscribed', {
        body: { server: 'kit', uri: 'note://1', isSubscribed },
      })
    expect(await follow(true)).toEqual({ isSubscribed: true })
    await until(() => events.some((event) => event.type === 'resource.changed' && event.uri === 'note://1'))
    expect(await follow(false)).toEqual({ isSubscribed: false })
  })

  test('prompts are listed, completed and filled in', async () => {
    const { prompts } = await it.client.send('GET /api/prompts', {})
    expect(prompts).toEqual([
      {
        ref: 'kit/review',
        server: 'kit',
        name: 'review',
        description: 'Reviews code.',
        arguments: [{ name: 'language', required: true }],
      },
    ])
    const completion = await it.client.send('POST /api/complete', {
      body: { server: 'kit', prompt: 'review', argument: 'language', value: 'py' },
    })
    expect(completion.values).toEqual(['python'])
    const filled = await it.client.send('POST /api/prompts/:ref', {
      params: { ref: 'kit/review' },
      body: { args: { language: 'python' } },
    })
    expect(filled.messages).toMatchObject([{ role: 'user', blocks: [{ text: 'Review python.' }] }])
  })
})

test('skills: a server that could not be asked is named where nothing is listed', async () => {
  await using started = await startServed({ gone: { url: 'http://127.0.0.1:9/mcp' } })
  const ask = () => started.client.send('GET /api/skills')
  await expect
    .poll(ask, { timeout: 30_000 })
    .toEqual({ skills: [], problems: [expect.stringMatching(/^"gone" could not be asked for skills\. ./)] })
})
