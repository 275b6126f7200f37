import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import type { Client } from '../../src/client.ts'
import { openServe } from '../../src/surfaces/server/serve.ts'
import { appServer, appTool } from '../page/support/apps.ts'
import { startModelServer } from '../support/model-server.ts'
import { startServed } from '../support/served.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-serve-apps-'))
afterAll(() => rmSync(folder, { recursive: true }))

const cart = 'ui://shop/cart'
const shown = { content: [{ type: 'text', text: 'A cart.' }], structuredContent: { items: 2 } }
const large = { content: [{ type: 'text', text: 'x'.repeat(300_000) }] }
const plan = {
  tools: [
    appTool('show', { resourceUri: cart }),
    appTool('large', { resourceUri: cart }),
    appTool('refresh', { visibility: ['app'] }),
  ],
  documents: { [cart]: { html: '<!doctype html><p>Cart' } },
  results: { show: shown, large },
}

/** The calls of a conversation, when its turn is over. */
async function callsOf(client: Client, conversation: string) {
  await expect
    .poll(
      async () =>
        (await client.send('GET /api/conversations/:conversation', { params: { conversation } })).conversation
          .word,
      { timeout: 30_000 },
    )
    .toContain('done')
  const { calls } = await client.send('GET /api/calls', { query: { conversation } })
  return calls
}

describe('apps of calls that were made before', () => {
  test('a call of a model is shown after a restart as its server sent it; one that is too large to keep says so', async () => {
    await using model = await startModelServer({ wire: 'openai-chat' })
    const settings = {
      model: 'fake/scripted',
      endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
    }
    await using first = await startServed(
      { shop: appServer(join(folder, 'plan.json'), plan) },
      { files: { '~/.config/plugboard/settings.json': settings } },
    )
    model.play([
      { calls: [{ name: 'shop__show', args: { of: 'today' } }] },
      { calls: [{ name: 'shop__large' }] },
      { text: 'Done.' },
    ])
    const { client, machine, served } = first
    const { conversation } = await client.send('POST /api/conversations', { body: {} })
    await client.send('POST /api/conversations/:conversation/turns', {
      params: { conversation: conversation.id },
      body: { text: 'Show it' },
    })
    const calls = await callsOf(client, conversation.id)
    const [huge = '', made = ''] = calls.map(({ id }) => id)
    const open = (by: Client, call: string) => by.send('POST /api/apps', { body: { call } })
    expect((await open(client, made)).app).toMatchObject({ uri: cart, args: { of: 'today' }, result: shown })
    expect((await open(client, huge)).app).toMatchObject({ uri: cart, result: large })
    await served.close()

    const again = await openServe({
      discover: { cwd: machine.project, platform: { home: machine.home, env: machine.env } },
      port: 0,
      print: () => undefined,
    })
    try {
      const later = createClient(again)
      const { app } = await open(later, made)
      expect(app).toMatchObject({ uri: cart, args: { of: 'today' }, result: shown })
      // It calls by the rules of the conversation.
      const called = await later.send('POST /api/apps/:app/call', {
        params: { app: app.id },
        body: { name: 'refresh', args: {} },
      })
      expect(called.result).toEqual({ content: [{ type: 'text', text: 'refresh {}' }] })
      await expect(open(later, huge)).rejects.toThrow('The whole result of this call is not kept.')
      const { app: address } = await later.send('GET /api/calls/:call', { params: { call: made } })
      expect(address).toBe(cart)
      await expect(open(later, 'none')).rejects.toThrow('There is no call none.')
    } finally {
      await again.close()
    }
  })
})

test('a call of an app is shown as one of the app of its tool, in the timeline, after a restart and in the audit trail; it can be stopped', async () => {
  const slow = {
    ...plan,
    tools: [...plan.tools, appTool('wait', { visibility: ['app'] })],
    delays: { wait: 600_000 },
  }
  await using first = await startServed({ shop: appServer(join(folder, 'slow.json'), slow) })
  const { client, machine, served } = first
  const { call } = await client.send('POST /api/calls', { body: { ref: 'shop/show', args: {} } })
  const calls = async (by: Client) => {
    const found = await by.send('GET /api/calls', { query: { by: 'app' } })
    return found.calls.map(({ tool, by: maker, app, state }) => ({ tool, by: maker, app, state }))
  }
  await expect
    .poll(async () => (await client.send('GET /api/calls/:call', { params: { call: call.id } })).call.state)
    .toBe('done')
  const { app } = await client.send('POST /api/apps', { body: { call: call.id } })
  const ask = (name: string) =>
    client.send('POST /api/apps/:app/call', { params: { app: app.id }, body: { name, args: {} } })
  await ask('refresh')
  const refreshed = { tool: 'refresh', by: 'app', app: 'shop/show', state: 'done' }
  expect(await calls(client)).toEqual([refreshed])
  const waiting = ask('wait')
  await expect.poll(async () => (await calls(client))[0]?.state).toBe('running')
  const { calls: running } = await client.send('GET /api/calls', { query: { state: 'running' } })
  await client.send('DELETE /api/calls/:call', { params: { call: running[0]?.id ?? '' } })
  expect((await waiting).result).toMatchObject({ isError: true })
  const ended = [{ ...refreshed, tool: 'wait', state: 'cancelled' }, refreshed]
  expect(await calls(client)).toEqual(ended)
  const { rows } = await client.send('GET /api/audit')
  expect(rows.map(({ by, about }) => `${by}: ${about}`)).toEqual([
    'app of shop/show: shop/wait',
    'app of shop/show: shop/refresh',
    expect.stringMatching(/^page( \S+)?: shop\/show$/),
  ])
  await served.close()

  const again = await openServe({
    discover: { cwd: machine.project, platform: { home: machine.home, env: machine.env } },
    port: 0,
    print: () => undefined,
  })
  try {
    expect(await calls(createClient(again))).toEqual(ended)
  } finally {
    await again.close()
  }
})

test('what is granted to an app in a conversation belongs to the server of its folder, not to one of the same name', async () => {
  const wishing = {
    ...plan,
    documents: {
      [cart]: { html: '<p>Cart', meta: { ui: { csp: { connectDomains: ['https://api.example'] } } } },
    },
  }
  const shop = appServer(join(folder, 'wishing.json'), wishing)
  const another = appServer(join(folder, 'another.json'), wishing)
  const other = { '~/other/.git/HEAD': '', '~/other/.mcp.json': { mcpServers: { shop: another } } }
  await using it = await startServed({ shop }, { files: other })
  const { client, machine } = it
  const cwd = machine.path('~/other')
  const listed = await machine.runWith({ cwd }, 'list', '--json')
  const { shadowed } = JSON.parse(listed.stdout) as { shadowed: { hash: string }[] }
  await machine.runWith({ cwd }, 'trust', 'shop', '--hash', shadowed[0]?.hash ?? '')
  const { conversation } = await client.send('POST /api/conversations', { body: { cwd } })
  const open = async (ref: { readonly conversation?: string }) =>
    (await client.send('POST /api/apps', { body: { ref: 'shop/show', ...ref } })).app
  const there = { conversation: conversation.id }
  const { id, server, uri, asked } = await open(there)
  const body = { server, uri, granted: asked, app: id }
  await client.send('PUT /api/app-grants', { body })
  expect((await open(there)).granted.connect).toEqual(['https://api.example'])
  expect((await open({})).granted.connect).toEqual([])
})
