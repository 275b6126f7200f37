import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { login } from '../../src/auth.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { browse, startAuthorizationServer } from '../support/authorization-server.ts'
import { startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

const work = { name: 'vault__work', arguments: {} }
const can = { capabilities: { elicitation: { url: {} } } }

function optionsOf({ machine }: GatewayMachine) {
  return { cwd: machine.project, platform: { home: machine.home, env: machine.env } }
}

/** A gateway whose server was used, and whose login is gone since. */
async function startLoggedOut(more: { readonly sessions?: boolean } = {}) {
  const authServer = await startAuthorizationServer()
  const started = await startGateway({ vault: { type: 'http', url: authServer.mcp } }, more)
  const { discovery } = started.gateway.host
  const server = discovery.servers.find(({ name }) => name === 'vault') ?? 'vault'
  await login(server, { ...optionsOf(started), open: async (url) => void (await browse(url)) })
  expect(textOf(await started.modern('tools/call', work))).toBe('done')
  const folder = join(started.machine.home, '.local/state/plugboard/logins')
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  await started.gateway.host.restart('vault').catch(() => undefined)
  return started
}

const linkOf = ({ body }: Reply) => {
  const asked = body.result?.['inputRequests'] as
    | { plugboard_login?: { params: { url: string } } }
    | undefined
  return asked?.plugboard_login?.params.url ?? ''
}

test('a modern client gets the page where the person logs in, and its call runs after that', async () => {
  await using started = await startLoggedOut()
  const asked = await started.modern('tools/call', work, can)
  expect(asked.body.result).toEqual({
    resultType: 'input_required',
    inputRequests: {
      plugboard_login: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Plugboard asks: log in to "vault".', url: expect.any(String) },
      },
    },
  })
  // Another request gets the same page: one login is enough.
  expect(linkOf(await started.modern('tools/call', work, can))).toBe(linkOf(asked))
  const accepted = { ...work, inputResponses: { plugboard_login: { action: 'accept' } } }
  const next = started.modern('tools/call', accepted, can)
  await browse(linkOf(asked))
  expect(textOf(await next)).toBe('done')
})

test('a client that declines, or shows no addresses, is told what to do', async () => {
  await using started = await startLoggedOut()
  const told = 'Server "vault" asked for a login.\nRun: plugboard login vault'
  expect(textOf(await started.modern('tools/call', work))).toBe(told)
  expect(textOf(await started.modern('tools/call', work, { capabilities: { elicitation: {} } }))).toBe(told)
  const declined = { ...work, inputResponses: { plugboard_login: { action: 'decline' } } }
  expect(textOf(await started.modern('tools/call', declined, can))).toBe(told)
  // The tools stay in the list.
  const { body } = await started.modern('tools/list')
  expect(body.result).toMatchObject({
    tools: [{ name: 'vault__work' }],
    _meta: { 'plugboard/health': { vault: expect.stringContaining('needs-auth') } },
  })
})

test('T31 a caller with a key does not log in for all others', async () => {
  await using started = await startLoggedOut()
  const keys = await openOwnKeys(optionsOf(started))
  const { secret, kept } = createKeySecret()
  await keys.add({ name: 'ci', ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
  await keys.close()
  const asked = await started.modern('tools/call', work, {
    ...can,
    headers: { authorization: `Bearer ${secret}` },
  })
  expect(textOf(asked)).toBe('Server "vault" asked for a login.\nRun: plugboard login vault')
})

test('a client of SDK v1 with a session is asked in the middle of its call', async () => {
  await using started = await startLoggedOut({ sessions: true })
  const client = new V1Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: { url: {} } } })
  const asked: string[] = []
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message)
    if (params.mode === 'url') await browse(params.url)
    return { action: 'accept' as const }
  })
  const requestInit = { headers: { authorization: `Bearer ${started.token}` } }
  await client.connect(new V1Http(new URL(started.url), { requestInit }))
  expect(await client.callTool(work)).toMatchObject({ content: [{ text: 'done' }] })
  expect(asked).toEqual(['Plugboard asks: log in to "vault".'])
  await client.close()
})
