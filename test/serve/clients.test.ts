import { expect, test } from 'vitest'
import type { Client, FeedEvent } from '../../src/client.ts'
import { untilGone } from '../support/programs/alive.ts'
import { startClient } from '../support/programs/desk.ts'
import type { DeskClientProcess } from '../support/programs/desk.ts'
import { askingServer, echoServer } from '../support/gateway.ts'
import { startHttpGateway } from '../support/programs/http-gateway.ts'
import { startServed } from '../support/served.ts'
import type { ServedMachine } from '../support/served.ts'

const minute = 60_000
const settings = { '~/.config/plugboard/settings.json': { desk: { idleSeconds: 0 }, accept: 'off' } }
const opened: DeskClientProcess[] = []

/** `serve`, and the desk of its clients, which is waited for: it writes into the folder that is removed. */
async function startWithDesk(servers: Readonly<Record<string, unknown>>): Promise<ServedMachine> {
  const started = await startServed(servers, { files: settings })
  return {
    ...started,
    async [Symbol.asyncDispose]() {
      const { gateways } = await started.client.send('GET /api/clients')
      for (const client of opened.splice(0)) await client.leave()
      await untilGone(...gateways.map(({ id }) => Number(id)))
      await started[Symbol.asyncDispose]()
    },
  }
}

async function connect(...[machine, options]: Parameters<typeof startClient>): Promise<DeskClientProcess> {
  const client = startClient(machine, options)
  opened.push(client)
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'editor', version: '1' },
  })
  return client
}

/** The events of a `serve`, with a way to wait for one; what came before counts. */
function readEvents(client: Client) {
  const events: FeedEvent[] = []
  const over = new AbortController()
  let wake = () => undefined as void
  const reading = (async () => {
    for await (const event of client.follow({ signal: over.signal })) {
      events.push(event)
      wake()
    }
  })().catch(() => undefined)
  return {
    async next<Type extends FeedEvent['type']>(
      type: Type,
      fits: (event: Extract<FeedEvent, { readonly type: Type }>) => boolean = () => true,
    ) {
      for (;;) {
        const ofType = events.filter((event) => event.type === type)
        const found = (ofType as Extract<FeedEvent, { readonly type: Type }>[]).find(fits) // filtered by the type
        if (found) return found
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      await reading
    },
  }
}

test(
  'clients of a gateway that starts later appear with their calls, and are gone when it ends',
  async () => {
    await using started = await startWithDesk({ echo: echoServer() })
    const { client: api, machine } = started
    const before = await api.send('GET /api/clients')
    expect(before).toMatchObject({ gateways: [], clients: [], calls: [] })
    expect(before.connect.command).toBe('plugboard adopt')
    expect(JSON.parse(before.connect.entry)).toEqual({
      mcpServers: { plugboard: { command: 'plugboard', args: ['gateway'] } },
    })
    await using events = readEvents(api)
    await events.next('snapshot')
    const client = await connect(machine, {})
    const came = await events.next('clients.changed', ({ clients }) => clients[0]?.era === 'legacy')
    expect(came.clients).toMatchObject([
      { name: 'editor', version: '1', shownFolder: '~/shop', word: 'idle' },
    ])
    await client.request('tools/call', { name: 'echo__echo', arguments: { text: 'hidden' } })
    await events.next('client.called', ({ call }) => call.state === 'running')
    await events.next('client.called', ({ call }) => call.state === 'done')
    const { gateways, clients, calls } = await api.send('GET /api/clients')
    expect(calls).toMatchObject([
      { client: clients[0]?.id, kind: 'tool', server: 'echo', name: 'echo', state: 'done', word: 'ok' },
    ])
    expect((await api.send('GET /api/snapshot')).clients).toMatchObject([{ name: 'editor' }])
    const gateway = gateways[0]?.id ?? ''
    expect(await api.send('POST /api/gateways/:gateway/stop', { params: { gateway } })).toEqual({
      isStopped: true,
    })
    const ended = await events.next(
      'clients.changed',
      ({ seq, gateways: left }) => seq > came.seq && left.length === 0,
    )
    expect(ended.clients).toEqual([])
    await untilGone(Number(gateway))
    await expect(api.send('POST /api/gateways/:gateway/stop', { params: { gateway } })).rejects.toMatchObject(
      {
        fault: { message: `No gateway ${gateway} runs.` },
      },
    )
  },
  2 * minute,
)

test(
  'a program that asks without a page is told of the clients that are there',
  async () => {
    await using started = await startWithDesk({ echo: echoServer() })
    const { client: api, machine } = started
    await connect(machine, {})
    const { gateways, clients } = await api.send('GET /api/clients')
    expect(clients).toMatchObject([
      { gateway: gateways[0]?.id, name: 'editor', version: '1', shownFolder: '~/shop', word: 'idle' },
    ])
  },
  2 * minute,
)

test(
  'a page that is opened again is told of the clients that are there',
  async () => {
    await using started = await startWithDesk({ echo: echoServer() })
    const { client: api, machine } = started
    await connect(machine, {})
    for (let round = 0; round < 2; round++) {
      await using events = readEvents(api)
      const told = await events.next('clients.changed', ({ clients }) => clients.length > 0)
      expect(told.clients).toMatchObject([{ name: 'editor' }])
    }
  },
  2 * minute,
)

test(
  'a question of a server for a client that cannot be asked waits here and is answered here',
  async () => {
    await using started = await startWithDesk({ old: askingServer('legacy') })
    const { client: api, machine } = started
    await using events = readEvents(api)
    await events.next('snapshot')
    const client = await connect(machine, {})
    const called = client.request('tools/call', {
      name: 'old__test_input_required_result_elicitation',
      arguments: {},
    })
    const waits = await events.next('client.called', ({ call }) => call.question !== undefined)
    const id = waits.call.question ?? ''
    const { question } = await events.next('question.changed', (event) => event.question.id === id)
    expect(question).toMatchObject({ id, server: 'old', client: 'editor 1', state: 'pending' })
    const { clients } = await api.send('GET /api/clients')
    expect(clients).toMatchObject([{ tone: 'ask', word: 'waits for you' }])
    const body = { action: 'accept', content: { name: 'Dana' } } as const
    const answered = await api.send('POST /api/questions/:question/answer', {
      params: { question: id },
      body,
    })
    expect(answered).toMatchObject({ isAnswered: true, problems: [] })
    expect(JSON.stringify(await called)).toContain('Hello, Dana!')
  },
  2 * minute,
)

test(
  'callers of a gateway over HTTP appear with their calls; it is not stopped from here, and is gone when it ends',
  async () => {
    await using started = await startServed({ echo: echoServer() }, { files: settings })
    const { client: api, machine } = started
    await using events = readEvents(api)
    await events.next('snapshot')
    const http = await startHttpGateway(machine)
    const came = await events.next('clients.changed', ({ gateways }) => gateways.length === 1)
    expect(came.gateways).toMatchObject([{ pid: http.pid, url: http.url, clients: 0 }])
    expect(came.gateways[0]).not.toHaveProperty('command')
    const { stdout: key } = await machine.run('keys', 'add', 'ada')
    const token = key.trim()
    await http.call('agent', 'tools/list')
    await http.call('bot', 'tools/call', { name: 'echo__echo', arguments: { text: 'hidden' } }, { token })
    const done = await events.next('client.called', ({ call }) => call.state === 'done')
    expect(done.call).toMatchObject({ kind: 'tool', server: 'echo', name: 'echo' })
    expect(JSON.stringify(done)).not.toContain('hidden')
    const both = await events.next('clients.changed', ({ clients }) => clients.length === 2)
    const told = { gateway: String(http.pid), protocol: '2026-07-28', shownFolder: '~/shop' }
    expect(both.clients).toMatchObject([
      { ...told, name: 'agent', caller: 'owner' },
      { ...told, name: 'bot', caller: 'ada' },
    ])
    expect(both.clients.find(({ id }) => id === done.call.client)?.name).toBe('bot')
    const { gateways } = await machine.json<{
      readonly gateways: readonly {
        readonly url: string
        readonly clients: readonly { readonly caller: string }[]
      }[]
    }>('gateway', 'status')
    expect(gateways).toMatchObject([{ url: http.url, clients: [{ caller: 'owner' }, { caller: 'ada' }] }])
    const params = { gateway: String(http.pid) }
    await expect(api.send('POST /api/gateways/:gateway/stop', { params })).rejects.toMatchObject({
      fault: { message: `The gateway ${http.pid} serves HTTP, and is not stopped from here.` },
    })
    expect(await machine.json('gateway', 'stop')).toMatchObject({ stopped: [] })
    await http.kill('SIGKILL')
    const ended = await events.next(
      'clients.changed',
      ({ seq, gateways: left }) => seq > both.seq && left.length === 0,
    )
    expect(ended.clients).toEqual([])
    // The next one removes what a killed one left.
    await using next = await startHttpGateway(machine)
    const again = await events.next(
      'clients.changed',
      ({ seq, gateways: left }) => seq > ended.seq && left.length > 0,
    )
    expect(again.gateways).toMatchObject([{ pid: next.pid }])
  },
  2 * minute,
)

test(
  'a call over HTTP that a rule asks about waits while a page is open, and is allowed there once',
  async () => {
    const rules = [{ effect: 'ask', tools: ['echo/echo'], reason: 'It is the real one.' }]
    const files = { '~/.config/plugboard/settings.json': { accept: 'off', rules } }
    await using started = await startServed({ echo: echoServer() }, { files })
    const { client: api, machine } = started
    await using http = await startHttpGateway(machine)
    const { stdout: key } = await machine.run('keys', 'add', 'ada')
    await using events = readEvents(api)
    await events.next('clients.changed', ({ gateways }) => gateways.length === 1)
    const called = http.call(
      'bot',
      'tools/call',
      { name: 'echo__echo', arguments: { n: 1 } },
      { token: key.trim() },
    )
    const { call } = await events.next('client.called', ({ call: each }) => each.question !== undefined)
    const question = call.question ?? ''
    const { pending } = await api.send('GET /api/questions')
    expect(pending).toMatchObject([
      { id: question, client: 'bot 1 (ada)', isWaiting: true, asked: { kind: 'approval', args: { n: 1 } } },
    ])
    expect(pending[0]?.asked).not.toHaveProperty('always')
    const answer = (grant: 'always' | 'once') =>
      api.send('POST /api/questions/:question/answer', { params: { question }, body: { grant } })
    await expect(answer('always')).rejects.toMatchObject({
      fault: { message: 'This call is of another caller: it can be allowed once.' },
    })
    expect(await answer('once')).toMatchObject({ isAnswered: true })
    expect(await called).toMatchObject({ result: { content: [{ text: '{"n":1}' }] } })
  },
  2 * minute,
)
