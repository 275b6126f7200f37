import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { browse, startAuthorizationServer } from '../support/authorization-server.ts'
import { echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

const work = { name: 'vault__work', arguments: {} }
const can = { capabilities: { elicitation: { url: {} } } }
const health = { 'plugboard/health': { vault: 'needs-auth (auth)' } }
const told = 'Server "vault" asked for a login, so what it offers is not known yet.'
const views = { work: { servers: ['vault', 'echo'] }, other: { servers: ['echo'] } }

/** A gateway with a server that has never been used and needs a login, beside one that works. */
async function startUnlisted(more: { readonly sessions?: boolean } = {}) {
  const authServer = await startAuthorizationServer()
  authServer.namesPerson = true
  const servers = { vault: { type: 'http', url: authServer.mcp }, echo: echoServer() }
  return startGateway(servers, { views, ...more })
}

function serversIn({ body }: Reply): readonly (string | undefined)[] {
  const tools = body.result?.['tools'] as readonly { readonly name: string }[] | undefined
  return (tools ?? []).map(({ name }) => name.split('__')[0])
}

async function addKey({ machine }: GatewayMachine) {
  const keys = await openOwnKeys({ cwd: machine.project, platform: { home: machine.home, env: machine.env } })
  const { secret, kept } = createKeySecret()
  await keys.add({ name: 'ada', ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
  await keys.close()
  return { headers: { authorization: `Bearer ${secret}` } }
}

test('a server that was never known and needs a login is marked in every list of both eras, and in the instructions', async () => {
  await using started = await startUnlisted()
  for (const method of ['tools/list', 'resources/list', 'prompts/list'])
    for (const era of ['modern', 'legacy'] as const)
      expect((await started[era](method)).body.result?.['_meta']).toEqual(health)
  expect(serversIn(await started.legacy('tools/list'))).not.toContain('vault')
  const instructions =
    'These servers are not in the lists:\n- "vault" needs a login first. A call of any name that begins with "vault__" says how to log in.'
  const greeting = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  }
  expect((await started.legacy('initialize', greeting)).body.result).toMatchObject({ instructions })
  expect((await started.modern('server/discover')).body.result).toMatchObject({ instructions, _meta: health })
})

test('a call of a name of it says what to do, in both eras, to the person who runs the gateway and to others', async () => {
  await using started = await startUnlisted()
  const ada = await addKey(started)
  const step = 'Run: plugboard login vault'
  const answers = [
    textOf(await started.legacy('tools/call', work)),
    textOf(await started.modern('tools/call', work)),
    textOf(await started.legacy('tools/call', work, ada)),
    textOf(await started.modern('tools/call', work, { ...can, ...ada })),
    ((await started.legacy('prompts/get', { name: 'vault__ask' })).body.error as { message: string }).message,
  ]
  const forOthers = `${told}\nFor the person who runs the gateway: ${step}`
  expect(answers).toEqual([`${told}\n${step}`, `${told}\n${step}`, forOthers, forOthers, `${told}\n${step}`])
  // What no server could have stays unknown.
  expect((await started.modern('tools/call', { name: 'vaults__work' })).body.error).toMatchObject({
    code: -32602,
  })
})

test('a modern client gets the page of the login, and its call runs when the server is known', async () => {
  await using started = await startUnlisted()
  const asked = await started.modern('tools/call', work, can)
  const questions = asked.body.result?.['inputRequests'] as
    | { readonly plugboard_login?: { readonly params: { readonly url: string } } }
    | undefined
  const accepted = { ...work, inputResponses: { plugboard_login: { action: 'accept' } } }
  const next = started.modern('tools/call', accepted, can)
  await browse(questions?.plugboard_login?.params.url ?? '')
  expect(textOf(await next)).toBe('done for dana')
  const listed = await started.modern('tools/list')
  expect(serversIn(listed)).toContain('vault')
  expect(listed.body.result?.['_meta']).toBeUndefined()
})

test('a legacy client with a session is asked in the middle of its call', async () => {
  await using started = await startUnlisted({ sessions: true })
  const client = new V1Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: { url: {} } } })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    if (params.mode === 'url') await browse(params.url)
    return { action: 'accept' as const }
  })
  const requestInit = { headers: { authorization: `Bearer ${started.token}` } }
  await client.connect(new V1Http(new URL(started.url), { requestInit }))
  expect(await client.callTool(work)).toMatchObject({ content: [{ text: 'done for dana' }] })
  await client.close()
})

test('a view names such a server only if it may show it', async () => {
  await using started = await startUnlisted()
  expect((await started.modern('tools/list', {}, { path: '/work' })).body.result?.['_meta']).toEqual(health)
  expect((await started.modern('tools/list', {}, { path: '/other' })).body.result?.['_meta']).toBeUndefined()
  expect(textOf(await started.modern('tools/call', work, { path: '/work' }))).toContain(told)
  expect((await started.modern('tools/call', work, { path: '/other' })).body.error).toMatchObject({
    code: -32602,
  })
})
