import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnAudit, openOwnKeys } from '../../src/store.ts'
import { echoServer, askingServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'
import { serveMcp } from '../support/remote.ts'

const rules = [{ effect: 'ask', tools: ['echo/*', 'far/*', 'old/*'], reason: 'It is the real one.' }]
const settings = { rules }
const can = { capabilities: { elicitation: {} } }
const call = { name: 'echo__echo', arguments: { a: 1, hidden: 'x\u200by' } }

const stateOf = ({ body }: Reply) => body.result?.['requestState'] as string // of input_required
const answer = (reply: Reply, allow: boolean, action = 'accept') => ({
  requestState: stateOf(reply),
  inputResponses: { plugboard_approval: { action, content: { allow } } },
})
const errorOf = ({ body }: Reply) => [body.error?.['code'], body.error?.['message']]

async function keyFor({ machine }: GatewayMachine, name: string) {
  const { home, env, project } = machine
  const keys = await openOwnKeys({ cwd: project, platform: { home, env } })
  const { secret, kept } = createKeySecret()
  await keys.add({ name, ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
  await keys.close()
  return { ...can, headers: { authorization: `Bearer ${secret}` } }
}

async function decisionsOf({ gateway, machine }: GatewayMachine) {
  await gateway.host.flushAudit()
  const { home, env, project } = machine
  await using audit = await openOwnAudit({ cwd: project, platform: { home, env } })
  const rows = await audit.list()
  return rows.map((row) => (row.kind === 'call' ? [row.outcome, row.decision?.answer] : [])).reverse()
}

test('T24 a modern client is asked with the exact tool and arguments, and the call runs with a yes', async () => {
  await using started = await startGateway({ echo: echoServer() }, { settings })
  const asked = await started.modern('tools/call', call, can)
  expect(asked.body.result).toEqual({
    resultType: 'input_required',
    requestState: expect.stringMatching(/^plugboard-approval:[\w-]+$/),
    inputRequests: {
      plugboard_approval: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: [
            'Plugboard asks: may this call run?',
            'Tool: echo/echo',
            String.raw`Arguments: {"a":1,"hidden":"x\u200by"}`,
            'Why it asks: It is the real one.',
          ].join('\n'),
          requestedSchema: {
            type: 'object',
            properties: { allow: { type: 'boolean', title: 'Run this call once' } },
            required: ['allow'],
          },
        },
      },
    },
  })
  const done = await started.modern('tools/call', { ...call, ...answer(asked, true) }, can)
  expect(textOf(done)).toBe(JSON.stringify(call.arguments))
  // One yes is for one call: the next one is asked about again.
  const next = await started.modern('tools/call', call, can)
  expect(next.body.result).toMatchObject({ resultType: 'input_required' })
  // The row of a call is written when it is answered.
  expect(await decisionsOf(started)).toEqual([['done', 'approved']])
})

test.each([
  ['accept', false],
  ['decline', true],
  ['cancel', true],
])('a no is a no: %s with allow %s', async (action, allow) => {
  await using started = await startGateway({ echo: echoServer() }, { settings })
  const asked = await started.modern('tools/call', call, can)
  const refused = await started.modern('tools/call', { ...call, ...answer(asked, allow, action) }, can)
  expect([refused.body.error, textOf(refused)]).toEqual([
    undefined,
    '"echo__echo" was not called. A person said no.',
  ])
  expect(await decisionsOf(started)).toEqual([['denied', 'refused']])
})

test('a question that is not answered in its time has one row, when the next one is asked', async () => {
  const clock = { now: Date.now() }
  await using started = await startGateway({ echo: echoServer() }, { settings, now: () => clock.now })
  const asked = await started.modern('tools/call', call, can)
  // A state without an answer is the same call, asked about again.
  await started.modern('tools/call', { ...call, requestState: stateOf(asked) }, can)
  expect(await decisionsOf(started)).toEqual([])
  clock.now += 10 * 60_000
  await started.modern('tools/call', call, can)
  expect(await decisionsOf(started)).toEqual([['cancelled', undefined]])
})

test('of gateways that share a secret and a trail, the one that asked leaves the row to the one that was answered', async () => {
  const servers = { echo: echoServer() }
  const shared = { settings, secret: 's'.repeat(32) }
  await using other = await startGateway(servers, shared)
  {
    await using one = await startGateway(servers, { ...shared, beside: other.machine })
    const asked = await one.modern('tools/call', call, can)
    await one.modern('tools/call', call, can)
    const done = await other.modern('tools/call', { ...call, ...answer(asked, true) }, can)
    expect(textOf(done)).toBe(JSON.stringify(call.arguments))
    expect(await decisionsOf(other)).toEqual([['done', 'approved']])
  }
  expect(await decisionsOf(other)).toEqual([
    ['done', 'approved'],
    ['cancelled', undefined],
  ])
})

test('T31 a state counts once, for its caller, its request and its time, and only as it was given', async () => {
  const clock = { now: Date.now() }
  await using started = await startGateway({ echo: echoServer() }, { settings, now: () => clock.now })
  const [dana, sam] = [await keyFor(started, 'dana'), await keyFor(started, 'sam')]
  const ask = () => started.modern('tools/call', call, dana)
  const repeat = (more: JsonObject, as = dana, path = '') =>
    started.modern('tools/call', { ...call, ...more }, { ...as, path })
  const foreign = [-32602, 'This state is not of this call and caller, or was changed. Call again.']

  const asked = await ask()
  const yes = answer(asked, true)
  expect(errorOf(await repeat(yes, sam))).toEqual(foreign)
  expect(errorOf(await repeat(yes, can as typeof dana))).toEqual(foreign)
  expect(errorOf(await repeat({ ...yes, arguments: { a: 2 } }))).toEqual(foreign)
  expect(errorOf(await repeat({ ...yes, name: 'echo__log' }))).toEqual(foreign)
  expect(errorOf(await repeat(yes, dana, '?mode=search'))).toEqual([-32602, 'Unknown tool: echo__echo'])
  const state = stateOf(asked)
  const at = state.length - 5
  const flipped = state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)
  for (const requestState of [flipped, `${state}=`, state.slice(0, 40), 'plugboard-approval:', `${state}A`])
    expect(errorOf(await repeat({ ...yes, requestState }))).toEqual(foreign)
  // None of that has used it up; the call with it does.
  expect(textOf(await repeat(yes))).toBe(JSON.stringify(call.arguments))
  expect(errorOf(await repeat(yes))).toEqual([-32602, 'This answer was used before. Call again.'])

  const late = answer(await ask(), true)
  clock.now += 10 * 60_000
  expect(errorOf(await repeat(late))).toEqual([-32602, 'The question has expired. Call again.'])

  // A state without an answer is a question again.
  const { requestState } = answer(await ask(), true)
  expect((await repeat({ requestState })).body.result).toMatchObject({ resultType: 'input_required' })
})

test('another process goes on with the same secret, and not with another one', async () => {
  const secret = 's'.repeat(32)
  const servers = { echo: echoServer() }
  await using one = await startGateway(servers, { settings, secret })
  await using other = await startGateway(servers, { settings, secret })
  await using stranger = await startGateway(servers, { settings, secret: 'x'.repeat(32) })
  const asked = await one.modern('tools/call', call, can)
  const next = { ...call, ...answer(asked, true) }
  expect((await stranger.modern('tools/call', next, can)).body.error).toMatchObject({ code: -32602 })
  // The settings are of another home directory there, so the person is asked about that entry.
  const there = await other.modern('tools/call', next, can)
  expect(there.body.result).toMatchObject({ resultType: 'input_required' })
  const again = await one.modern('tools/call', { ...call, ...answer(there, true) }, can)
  expect(again.body.result).toMatchObject({ resultType: 'input_required' })
})

test('a changed definition is asked about again: the yes was for another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-approvals-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'tools.json')
  const offer = (description: string) =>
    writeFileSync(file, JSON.stringify([{ name: 'work', description, inputSchema: { type: 'object' } }]))
  offer('Works.')
  const program = fileURLToPath(new URL('../support/changing-server.mjs', import.meta.url))
  const far = { command: process.execPath, args: [program, file] }
  await using started = await startGateway({ far }, { settings: { ...settings, accept: 'off' } })
  const work = { name: 'far__work', arguments: {} }
  const first = await started.modern('tools/call', work, can)
  offer('Works, and more.')
  await started.gateway.host.stop('far')
  const late = await started.modern('tools/call', { ...work, ...answer(first, true) }, can)
  expect(textOf(late)).toBe(
    '"far__work" was not called. It has changed since a person approved it: review it again.',
  )
  const asked = await started.modern('tools/call', work, can)
  offer('Works, and deletes.')
  await started.gateway.host.restart('far')
  await started.gateway.host.ready({ from: 'servers' })
  const again = await started.modern('tools/call', { ...work, ...answer(asked, true) }, can)
  expect(again.body.result).toMatchObject({ resultType: 'input_required' })
  expect(textOf(await started.modern('tools/call', { ...work, ...answer(again, true) }, can))).toBe('called')
})

test('a server that asks too gets its own state byte for byte, and the person is not asked twice', async () => {
  const upstream = 'state \u{1f600} =\n"'
  const seen: unknown[] = []
  const far = await serveMcp(
    {
      'tools/call': ({ message, answer: say }) => {
        const { requestState, inputResponses } = message.params ?? {}
        seen.push([requestState, inputResponses])
        if (requestState === undefined)
          return say({
            resultType: 'input_required',
            inputRequests: { name: { method: 'elicitation/create', params: { message: 'Name?' } } },
            requestState: upstream,
          })
        return say({ resultType: 'complete', content: [{ type: 'text', text: 'done' }] })
      },
    },
    { era: 'modern', tools: [{ name: 'work', inputSchema: { type: 'object' } }] },
  )
  await using started = await startGateway({ far: { type: 'http', url: far.url } }, { settings })
  const work = { name: 'far__work', arguments: {} }
  const asked = await started.modern('tools/call', work, can)
  const second = await started.modern('tools/call', { ...work, ...answer(asked, true) }, can)
  expect(second.body.result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create' } },
    requestState: expect.stringMatching(/^plugboard-approval:/),
  })
  const named = { name: { action: 'accept', content: { name: 'Dana' } } }
  const third = { ...work, requestState: stateOf(second), inputResponses: named }
  expect(textOf(await started.modern('tools/call', third, can))).toBe('done')
  expect(seen).toEqual([
    [undefined, undefined],
    [upstream, named],
  ])
  // Sent again, or by a client that was never asked, it does not run.
  expect((await started.modern('tools/call', third, can)).body.error).toMatchObject({ code: -32602 })
  const own = await started.modern(
    'tools/call',
    { ...work, requestState: upstream, inputResponses: named },
    can,
  )
  expect(own.body.result).toMatchObject({ inputRequests: { plugboard_approval: expect.anything() } })
  // The answers that a client sent before our question reach the server after it.
  expect(textOf(await started.modern('tools/call', { ...work, ...answer(own, true) }, can))).toBe('done')
  expect(seen.slice(2)).toEqual([[upstream, named]])
})

test('a legacy server that asks in the middle of an approved call waits for its client as ever', async () => {
  await using started = await startGateway({ old: askingServer('legacy') }, { settings })
  const work = { name: 'old__test_input_required_result_elicitation', arguments: {} }
  const asked = await started.modern('tools/call', work, can)
  const second = await started.modern('tools/call', { ...work, ...answer(asked, true) }, can)
  const [key = ''] = Object.keys(second.body.result?.['inputRequests'] as object)
  const named = { [key]: { action: 'accept', content: { name: 'Dana' } } }
  const third = { ...work, requestState: stateOf(second), inputResponses: named }
  expect(textOf(await started.modern('tools/call', third, can))).toBe('Hello, Dana!')
})

test.each([
  ['no capability', {}, {}],
  ['only addresses', { elicitation: { url: {} } }, {}],
  ['switched off', { elicitation: {} }, { gateway: { approvals: 'none' } }],
])('a client that is not asked is refused with the reason of the rule: %s', async (_, capabilities, more) => {
  await using started = await startGateway({ echo: echoServer() }, { settings: { ...settings, ...more } })
  const refused = await started.modern('tools/call', call, { capabilities })
  expect(refused.body.result).toMatchObject({ isError: true })
  expect(textOf(refused)).toMatch(
    /needs a person's approval, and there is no way to ask for it\. .*It is the real one\./,
  )
})

test('arguments that are too long to be shown are not approved unseen', async () => {
  await using started = await startGateway({ echo: echoServer() }, { settings })
  const long = { name: 'echo__echo', arguments: { a: 'x'.repeat(20_000) } }
  const refused = await started.modern('tools/call', long, can)
  expect(textOf(refused)).toMatch(/asking for it failed/)
})

test('approvals hold for a tool that is called by search, too', async () => {
  await using started = await startGateway({ echo: echoServer() }, { settings })
  const search = { ...can, path: '?mode=search' }
  const work = { name: 'call_tool', arguments: { name: 'echo__echo', arguments: { a: 1 } } }
  const asked = await started.modern('tools/call', work, search)
  expect(JSON.stringify(asked.body.result?.['inputRequests'])).toContain('Tool: echo/echo')
  expect(textOf(await started.modern('tools/call', { ...work, ...answer(asked, true) }, search))).toBe(
    '{"a":1}',
  )
})

describe('official clients', () => {
  const info = { name: 'official', version: '1.0.0' }
  const capabilities = { elicitation: {} }

  test.each([true, false])(
    'a client of SDK v1 with a session is asked in the middle of its call: %s',
    async (allow) => {
      await using started = await startGateway({ echo: echoServer() }, { settings, sessions: true })
      const asked: string[] = []
      const client = new V1Client(info, { capabilities })
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message)
        return { action: 'accept' as const, content: { allow } }
      })
      const requestInit = { headers: { authorization: `Bearer ${started.token}` } }
      await client.connect(new V1Http(new URL(started.url), { requestInit }))
      const result = await client.callTool({ name: 'echo__echo', arguments: { a: 1 } })
      await client.close()
      expect(asked).toEqual([
        'Plugboard asks: may this call run?\nTool: echo/echo\nArguments: {"a":1}\nWhy it asks: It is the real one.',
      ])
      const text = allow ? '{"a":1}' : '"echo__echo" was not called. A person said no.'
      expect(result).toMatchObject({ content: [{ text }] })
    },
  )

  test('a client of SDK v2 answers the round by itself', async () => {
    await using started = await startGateway({ echo: echoServer() }, { settings })
    const client = new ModernClient(info, { capabilities, versionNegotiation: { mode: 'auto' } })
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept' as const,
      content: { allow: true },
    }))
    const requestInit = { headers: { authorization: `Bearer ${started.token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(started.url), { requestInit }))
    const result = await client.callTool({ name: 'echo__echo', arguments: { a: 1 } })
    await client.close()
    expect(result).toMatchObject({ content: [{ text: '{"a":1}' }] })
  })
})
