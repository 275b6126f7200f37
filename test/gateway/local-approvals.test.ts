import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { askingServer, echoServer } from '../support/gateway.ts'
import { startWatch } from '../support/programs/gateway-watch.ts'
import type { News } from '../support/programs/gateway-watch.ts'
import { startHttpGateway } from '../support/programs/http-gateway.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const minute = 60_000
const call = { name: 'echo__echo', arguments: { n: 1 } }
const can = { capabilities: { elicitation: {} } }
const hasGateway = (news: News) => news.type === 'clients' && news.gateways.length > 0

function createAsking(): Machine {
  return createMachine({
    [ownFile]: { mcpServers: { echo: echoServer(), old: askingServer('legacy') } },
    '~/.config/plugboard/settings.json': {
      accept: 'off',
      rules: [{ effect: 'ask', tools: ['echo/echo'], reason: 'It is the real one.' }],
    },
  })
}

async function keyOf(machine: Machine, name: string): Promise<string> {
  return (await machine.json<{ readonly secret: string }>('keys', 'add', name)).secret
}

interface Asked {
  readonly id: string
  readonly state: string
  readonly asked: JsonObject
}

async function pending(machine: Machine): Promise<readonly Asked[]> {
  const { questions } = await machine.json<{ readonly questions: readonly Asked[] }>('questions')
  return questions.filter(({ state }) => state === 'pending')
}

async function waiting(machine: Machine): Promise<Asked> {
  await expect.poll(() => pending(machine), { timeout: minute }).toHaveLength(1)
  const [question] = await pending(machine)
  if (!question) throw new Error('no question')
  return question
}

async function noneWaits(machine: Machine): Promise<void> {
  await expect.poll(() => pending(machine), { timeout: minute }).toEqual([])
}

/** `plugboard answer` in a terminal; returns what it showed. */
async function answer(machine: Machine, word: 'yes' | 'no'): Promise<string> {
  const { id } = await waiting(machine)
  const terminal = openTerminal(machine, ['answer', id.slice(0, 8)])
  await terminal.see('◆')
  if (word === 'yes') terminal.type(keys.down)
  terminal.type(keys.enter)
  await terminal.see('Answered')
  expect(await terminal.ended).toBe(0)
  return terminal.shown()
}

function textIn({ result }: JsonObject): string {
  const { content } = result as { readonly content?: readonly { readonly text?: string }[] }
  return content?.[0]?.text ?? ''
}
const ran = '{"n":1}'
const refused = '"echo__echo" was not called. A person said no.'

describe('a client over HTTP that cannot be asked', () => {
  test('is refused at once while no program watches the gateway', async () => {
    using machine = createAsking()
    await using gateway = await startHttpGateway(machine)
    expect(textIn(await gateway.call('bot', 'tools/call', call))).toContain('there is no way to ask for it')
    expect(await pending(machine)).toEqual([])
  })

  test(
    'waits for the person while one of two watches is left: yes runs it once, no refuses it, leaving withdraws it',
    async () => {
      using machine = createAsking()
      await using gateway = await startHttpGateway(machine)
      const [other, watch] = [startWatch(machine), startWatch(machine)]
      await using _watch = watch
      await Promise.all([other.next(hasGateway), watch.next(hasGateway)])
      await other[Symbol.asyncDispose]()
      const token = await keyOf(machine, 'dana')

      const allowed = gateway.call('bot', 'tools/call', call, { token })
      const waits = await watch.next((news) => news.type === 'call' && news.call.question !== undefined)
      const { id, asked } = await waiting(machine)
      expect(waits).toMatchObject({ call: { state: 'waits', question: id } })
      expect(asked).toMatchObject({ client: 'bot 1 (dana)', args: { n: 1 }, grants: 'once' })
      // An approval that is kept would hold for all callers.
      expect(await answer(machine, 'yes')).not.toContain('always')
      expect(textIn(await allowed)).toBe(ran)

      const denied = gateway.call('bot', 'tools/call', call, { token })
      await answer(machine, 'no')
      expect(textIn(await denied)).toBe(refused)

      const leaves = new AbortController()
      const left = gateway.call('bot', 'tools/call', call, { token, signal: leaves.signal })
      await waiting(machine)
      leaves.abort()
      await expect(left).rejects.toThrow('aborted')
      await noneWaits(machine)
    },
    2 * minute,
  )

  test(
    'gets an answer when the gateway ends, and at most five calls of one caller wait',
    async () => {
      using machine = createAsking()
      await using gateway = await startHttpGateway(machine)
      await using watch = startWatch(machine)
      await watch.next(hasGateway)
      const calls = Array.from({ length: 5 }, () => gateway.call('bot', 'tools/call', call))
      await expect.poll(() => pending(machine), { timeout: minute }).toHaveLength(5)
      expect(textIn(await gateway.call('bot', 'tools/call', call))).toContain('asking for it failed')
      await gateway.kill('SIGTERM')
      for (const each of calls) expect(textIn(await each)).toContain('asking for it failed')
      await noneWaits(machine)
    },
    2 * minute,
  )
})

describe('a client of 2026-07-28 that is asked with a round', () => {
  const said = (reply: JsonObject, allow: boolean): JsonObject => ({
    ...call,
    requestState: (reply['result'] as JsonObject)['requestState'] as string,
    inputResponses: { plugboard_approval: { action: 'accept', content: { allow } } },
  })
  const asks = { result: { resultType: 'input_required' } }

  test(
    'is asked at once, and the person here beside it: a no of either counts, a yes counts for the call once',
    async () => {
      using machine = createAsking()
      await using gateway = await startHttpGateway(machine)
      await using watch = startWatch(machine)
      await watch.next(hasGateway)
      const token = await keyOf(machine, 'dana')
      const as = { ...can, token }
      const send = (params: JsonObject = call, how: object = as) =>
        gateway.call('agent', 'tools/call', params, how)

      // The client answers first: nothing waits here any more.
      const first = await send()
      expect(first).toMatchObject(asks)
      expect((await waiting(machine)).asked['reason']).toContain('Its client is asked too')
      expect(textIn(await send(said(first, true)))).toBe(ran)
      await noneWaits(machine)

      // A no here refuses what the client allows.
      const second = await send()
      await answer(machine, 'no')
      expect(textIn(await send(said(second, true)))).toBe(refused)

      // A yes here does not overrule a no of the client.
      const third = await send()
      await answer(machine, 'yes')
      expect(textIn(await send(said(third, false)))).toBe(refused)

      // With a yes here the same call of the same caller runs, once.
      const fourth = await send()
      expect(fourth).toMatchObject(asks)
      await answer(machine, 'yes')
      await noneWaits(machine)
      expect(await send(call, can)).toMatchObject(asks)
      expect(await send({ ...call, arguments: { n: 2 } })).toMatchObject(asks)
      await expect.poll(async () => textIn(await send()), { timeout: minute }).toBe(ran)
      expect(await send()).toMatchObject(asks)
      // The question was answered: what the client says to it comes too late.
      expect((await send(said(fourth, true)))['error']).toMatchObject({
        message: 'This answer was used before. Call again.',
      })

      await gateway.kill('SIGTERM')
      const { rows } = await machine.json<{
        readonly rows: readonly {
          readonly outcome: string
          readonly decision?: { readonly answer?: string }
        }[]
      }>('audit')
      // The others are questions without an answer.
      const answered = rows.filter(({ outcome }) => outcome !== 'cancelled')
      expect(answered.map(({ outcome, decision }) => `${outcome} ${decision?.answer}`).toSorted()).toEqual([
        'denied refused',
        'denied refused',
        'done approved',
        'done approved',
      ])
    },
    2 * minute,
  )
})

describe('what a server asks', () => {
  const asking = { name: 'old__test_input_required_result_elicitation', arguments: {} }

  test(
    'waits for the person who runs the gateway if the client is theirs, and for no other caller',
    async () => {
      using machine = createAsking()
      await using gateway = await startHttpGateway(machine)
      await using watch = startWatch(machine)
      await watch.next(hasGateway)
      const token = await keyOf(machine, 'dana')
      const other = await gateway.call('bot', 'tools/call', asking, { token })
      expect(JSON.stringify(other)).not.toContain('Hello')
      expect(await pending(machine)).toEqual([])
      const own = gateway.call('bot', 'tools/call', asking)
      const { id } = await waiting(machine)
      const terminal = openTerminal(machine, ['answer', id.slice(0, 8)])
      await terminal.see('What is your name?')
      await terminal.see('Answer it')
      terminal.type(keys.enter)
      await terminal.see('name')
      terminal.type(`Dana${keys.enter}`)
      await terminal.see('Send this')
      terminal.type(keys.enter)
      expect(await terminal.ended).toBe(0)
      expect(textIn(await own)).toBe('Hello, Dana!')
    },
    2 * minute,
  )
})
