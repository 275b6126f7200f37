import { describe, expect, test } from 'vitest'
import { startDesk } from '../support/programs/desk.ts'
import type { DeskClientProcess, DeskMachine } from '../support/programs/desk.ts'
import { askingServer, echoServer } from '../support/gateway.ts'
import { startWatch } from '../support/programs/gateway-watch.ts'
import type { News } from '../support/programs/gateway-watch.ts'
import { createOlderBuild } from '../support/older-build.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const minute = 60_000
const greeting = (capabilities: object, name = 'tester') => ({
  protocolVersion: '2025-11-25',
  capabilities,
  clientInfo: { name, version: '1' },
})
const asking = { name: 'old__test_input_required_result_elicitation', arguments: {} }

const isCall = (state: string) => (news: News) => news.type === 'call' && news.call.state === state
const hasClients = (count: number) => (news: News) =>
  news.type === 'clients' && news.clients.filter(({ era }) => era !== undefined).length === count

async function questionsOf({ machine }: DeskMachine) {
  const { questions } = await machine.json<{
    readonly questions: readonly {
      readonly id: string
      readonly state: string
      readonly kind: string
      readonly server: string
      readonly asked: object
    }[]
  }>('questions')
  return questions.filter(({ state }) => state === 'pending')
}

async function waitingQuestion(desk: DeskMachine) {
  await expect.poll(() => questionsOf(desk), { timeout: minute }).toHaveLength(1)
  const [question] = await questionsOf(desk)
  if (!question) throw new Error('no question')
  return question
}

function resultOf(message: Readonly<Record<string, unknown>>) {
  const { content, isError } = message['result'] as {
    readonly content?: readonly { readonly text?: string }[]
    readonly isError?: boolean
  }
  return { text: content?.[0]?.text, isError: isError === true }
}

describe('watching the gateway', () => {
  test(
    'a watch that began before the gateway tells of clients of both eras, their calls and their end',
    async () => {
      await using desk = startDesk({ echo: echoServer() })
      await using watch = startWatch(desk.machine)
      const legacy = desk.connect()
      await legacy.request('initialize', greeting({}, 'editor'))
      await watch.next(hasClients(1))
      const modern = desk.connect({ args: ['--search'] })
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '2' },
      }
      await modern.request('server/discover', { _meta: meta })
      const both = await watch.next(hasClients(2))
      expect(both).toMatchObject({
        gateways: [{ clients: 2, isLeaving: false, preset: 'default' }],
        clients: [
          { name: 'editor', version: '1', era: 'legacy', protocol: '2025-11-25', shownFolder: '~/shop' },
          { name: 'agent', version: '2', era: 'modern', protocol: '2026-07-28', shownFolder: '~/shop' },
        ],
      })
      const [client] = (both as Extract<News, { readonly type: 'clients' }>).clients
      await legacy.request('tools/call', { name: 'echo__echo', arguments: { secret: 'never-told' } })
      const begun = await watch.next(isCall('running'))
      const done = await watch.next(isCall('done'))
      expect(begun).toMatchObject({
        call: { client: client?.id, server: 'echo', name: 'echo', word: 'running' },
      })
      expect(done).toMatchObject({ call: { client: client?.id, tone: 'ok', word: 'ok' } })
      expect(JSON.stringify([begun, done])).not.toContain('never-told')
      legacy.send({ id: 77, method: 'tools/call', params: { name: 'echo__hang', arguments: {} } })
      await watch.next(isCall('running'))
      const busy = await watch.next((news) => news.type === 'clients' && news.clients[0]?.running === 1)
      expect(busy).toMatchObject({
        clients: [{ word: 'calls', sentence: 'echo hang runs.' }, { word: 'idle' }],
      })
      legacy.send({ method: 'notifications/cancelled', params: { requestId: 77 } })
      await watch.next(isCall('cancelled'))
      await modern.leave()
      await watch.next(hasClients(1))
      await desk.machine.run('gateway', 'stop')
      expect(await watch.next((news) => news.type === 'clients' && news.gateways.length === 0)).toMatchObject(
        {
          clients: [],
        },
      )
    },
    2 * minute,
  )

  test(
    'a watch goes on with a gateway that a newer version has replaced, and follows the newer one too',
    async () => {
      await using desk = startDesk({ echo: echoServer() })
      using older = createOlderBuild()
      await using watch = startWatch(desk.machine)
      const old = desk.connect({ entry: older.entry })
      await old.request('initialize', greeting({}, 'editor'))
      await watch.next(hasClients(1))
      const newer = desk.connect()
      await newer.request('initialize', greeting({}, 'agent'))
      const both = (await watch.next(hasClients(2))) as Extract<News, { readonly type: 'clients' }>
      const leaving = Object.fromEntries(both.gateways.map(({ version, isLeaving }) => [version, isLeaving]))
      expect(leaving).toEqual({ '0.0.9': true, '0.1.0': false })
      const editor = both.clients.find(({ name }) => name === 'editor')
      await old.request('tools/call', { name: 'echo__echo', arguments: {} })
      expect(await watch.next(isCall('done'))).toMatchObject({ call: { client: editor?.id } })
      await old.leave()
      expect(await watch.next(hasClients(1))).toMatchObject({ clients: [{ name: 'agent' }] })
    },
    5 * minute,
  )

  test(
    'in a terminal it prints a line for a client, a refused call with its reason, and a failed one',
    async () => {
      await using desk = startDesk({ echo: echoServer() })
      desk.machine.write('~/.config/plugboard/settings.json', {
        desk: { idleSeconds: 0 },
        accept: 'off',
        rules: [{ effect: 'deny', tools: ['echo/log'], reason: 'Logs are off.' }],
      })
      const terminal = openTerminal(desk.machine, ['gateway', 'status', '--watch'])
      await terminal.see('No client is connected')
      const client = desk.connect()
      await client.request('initialize', greeting({}, 'editor'))
      await terminal.see('+ editor 1 (2025-11-25) in ~/shop')
      await client.request('tools/call', { name: 'echo__log', arguments: {} })
      await terminal.see('editor  echo log  refused')
      await terminal.see('Logs are off.')
      await client.request('tools/call', { name: 'echo__crash', arguments: {} })
      await terminal.see('editor  echo crash  failed')
      await client.leave()
      await terminal.see('- editor 1 (2025-11-25) has left')
      terminal.type(keys.ctrlC)
      expect(await terminal.ended).toBe(130)
    },
    2 * minute,
  )
})

test(
  'two watches of one gateway get all news, and one goes on when the other leaves',
  async () => {
    await using desk = startDesk({ echo: echoServer() })
    const first = startWatch(desk.machine)
    await using second = startWatch(desk.machine)
    const client = desk.connect()
    await client.request('initialize', greeting({}, 'editor'))
    const call = () => client.request('tools/call', { name: 'echo__echo', arguments: {} })
    await Promise.all([first.next(hasClients(1)), second.next(hasClients(1))])
    await call()
    const [one, other] = await Promise.all([first.next(isCall('done')), second.next(isCall('done'))])
    expect(one).toEqual(other)
    await first[Symbol.asyncDispose]()
    await call()
    await second.next(isCall('done'))
  },
  2 * minute,
)

describe('what no client can answer', () => {
  /** `plugboard answer` in a terminal. */
  async function fillIn({ machine }: DeskMachine, id: string, name: string): Promise<void> {
    const terminal = openTerminal(machine, ['answer', id.slice(0, 8)])
    await terminal.see('For editor 1, a client of the gateway.')
    await terminal.see('What is your name?')
    await terminal.see('Answer it')
    terminal.type(keys.enter)
    await terminal.see('name')
    terminal.type(`${name}${keys.enter}`)
    await terminal.see('Send this')
    terminal.type(keys.enter)
    expect(await terminal.ended).toBe(0)
  }

  async function greeted(desk: DeskMachine, capabilities: object): Promise<DeskClientProcess> {
    const client = desk.connect()
    await client.request('initialize', greeting(capabilities, 'editor'))
    return client
  }

  test(
    'a form of a server waits for the person, and plugboard answer ends it',
    async () => {
      await using desk = startDesk({ old: askingServer('legacy') })
      await using watch = startWatch(desk.machine)
      const client = await greeted(desk, {})
      const called = client.request('tools/call', asking)
      const waits = await watch.next((news) => news.type === 'call' && news.call.question !== undefined)
      const question = await waitingQuestion(desk)
      expect(question).toMatchObject({ kind: 'elicitation', server: 'old', asked: { client: 'editor 1' } })
      expect(waits).toMatchObject({ call: { state: 'waits', tone: 'ask', question: question.id } })
      await fillIn(desk, question.id, 'Dana')
      expect(resultOf(await called)).toEqual({ text: 'Hello, Dana!', isError: false })
      await watch.next(isCall('done'))
    },
    2 * minute,
  )

  test(
    'a call that a rule asks about waits for the person: yes runs it, no refuses it, leaving withdraws it',
    async () => {
      await using desk = startDesk({ echo: echoServer() })
      desk.machine.write('~/.config/plugboard/settings.json', {
        desk: { idleSeconds: 0 },
        accept: 'off',
        rules: [{ effect: 'ask', tools: ['echo/echo'], reason: 'It is the real one.' }],
      })
      const client = await greeted(desk, {})
      const call = () => client.request('tools/call', { name: 'echo__echo', arguments: { n: 1 } })
      const answerWith = async (...typed: readonly string[]) => {
        const { id, asked } = await waitingQuestion(desk)
        const terminal = openTerminal(desk.machine, ['answer', id.slice(0, 8)])
        await terminal.see('It is the real one.')
        await terminal.see('◆')
        for (const each of typed) terminal.type(each)
        await terminal.see('Answered')
        return asked
      }
      const refused = call()
      expect(await answerWith(keys.enter)).toMatchObject({ ref: 'echo/echo', client: 'editor 1' })
      expect(resultOf(await refused)).toMatchObject({
        isError: true,
        text: expect.stringContaining('A person said no'),
      })
      const allowed = call()
      await answerWith(keys.down, keys.enter)
      expect(resultOf(await allowed)).toEqual({ isError: false, text: '{"n":1}' })
      void call().catch(() => undefined)
      await waitingQuestion(desk)
      await client.leave()
      await expect.poll(() => questionsOf(desk), { timeout: minute }).toEqual([])
    },
    2 * minute,
  )

  test(
    'an approval is asked at the client and here: the first answer counts, and the other place is told',
    async () => {
      await using desk = startDesk({ echo: echoServer() })
      desk.machine.write('~/.config/plugboard/settings.json', {
        desk: { idleSeconds: 0 },
        accept: 'off',
        rules: [{ effect: 'ask', tools: ['echo/echo'], reason: 'It is the real one.' }],
      })
      const client = await greeted(desk, { elicitation: {} })
      const call = () => client.request('tools/call', { name: 'echo__echo', arguments: { n: 1 } })
      const atClient = call()
      const asked = await client.notified('elicitation/create')
      await waitingQuestion(desk)
      client.send({ id: asked['id'], result: { action: 'accept', content: { allow: true } } })
      expect(resultOf(await atClient)).toEqual({ isError: false, text: '{"n":1}' })
      await expect.poll(() => questionsOf(desk), { timeout: minute }).toEqual([])
      const here = call()
      await client.notified('elicitation/create')
      const { id } = await waitingQuestion(desk)
      const terminal = openTerminal(desk.machine, ['answer', id.slice(0, 8)])
      await terminal.see('yes, always')
      for (const key of [keys.down, keys.enter]) terminal.type(key)
      await client.notified('notifications/cancelled')
      expect(resultOf(await here)).toEqual({ isError: false, text: '{"n":1}' })
    },
    2 * minute,
  )

  test(
    'a client that can be asked is asked too: the first answer counts, and the other place is told',
    async () => {
      await using desk = startDesk({ old: askingServer('legacy') })
      const client = await greeted(desk, { elicitation: {} })
      const first = client.request('tools/call', asking)
      const asked = await client.notified('elicitation/create')
      const { id } = await waitingQuestion(desk)
      client.send({ id: asked['id'], result: { action: 'accept', content: { name: 'Sam' } } })
      expect(resultOf(await first)).toMatchObject({ text: 'Hello, Sam!' })
      await expect.poll(() => questionsOf(desk), { timeout: minute }).toEqual([])
      const second = client.request('tools/call', asking)
      await client.notified('elicitation/create')
      const other = await waitingQuestion(desk)
      expect(other.id).not.toBe(id)
      await fillIn(desk, other.id, 'Kim')
      await client.notified('notifications/cancelled')
      expect(resultOf(await second)).toMatchObject({ text: 'Hello, Kim!' })
    },
    2 * minute,
  )
})
