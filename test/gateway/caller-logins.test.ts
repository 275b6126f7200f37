import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { listAccounts, login } from '../../src/auth.ts'
import { createKeySecret } from '../../src/model/gateway/gateway-key.ts'
import { openOwnKeys } from '../../src/store.ts'
import { forgetCaller } from '../../src/tokens.ts'
import { browse, logInAtPage, startAuthorizationServer } from '../support/authorization-server.ts'
import type { AuthorizationServer } from '../support/authorization-server.ts'
import { echoServer, startGateway, textOf } from '../support/gateway.ts'
import type { GatewayMachine, Reply } from '../support/gateway.ts'

const work = { name: 'vault__work', arguments: {} }
const can = { capabilities: { elicitation: { url: {} } } }
const settings = { gateway: { servers: { vault: { credentials: 'caller' } } } }

function optionsOf({ machine }: GatewayMachine) {
  return { cwd: machine.project, platform: { home: machine.home, env: machine.env } }
}

/** A gateway whose server each caller uses with an account of its own. The person who runs it has logged in too. */
async function startShared(more: { readonly sessions?: boolean; readonly now?: () => number } = {}) {
  const authServer = await startAuthorizationServer({ person: 'operator' })
  authServer.namesPerson = true
  const started = await startGateway({ vault: { type: 'http', url: authServer.mcp } }, { settings, ...more })
  const server = started.gateway.host.discovery.servers.find(({ name }) => name === 'vault') ?? 'vault'
  await login(server, { ...optionsOf(started), open: async (url) => void (await browse(url)) })
  const addCaller = async (name: string) => {
    const keys = await openOwnKeys(optionsOf(started))
    const { secret, kept } = createKeySecret()
    await keys.add({ name, ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
    await keys.close()
    return { id: `key:${kept.id}`, secret, headers: { authorization: `Bearer ${secret}` } }
  }
  return { started, authServer, addCaller }
}

function linkOf({ body }: Reply): string {
  const asked = body.result?.['inputRequests'] as
    | { readonly plugboard_login?: { readonly params: { readonly url: string } } }
    | undefined
  return asked?.plugboard_login?.params.url ?? ''
}

/** The caller calls, logs in as this person, and calls again. */
async function callAs(
  { started, authServer }: { readonly started: GatewayMachine; readonly authServer: AuthorizationServer },
  caller: { readonly headers: Readonly<Record<string, string>> },
  person: string,
) {
  const link = linkOf(await started.modern('tools/call', work, { ...can, ...caller }))
  const accepted = { ...work, inputResponses: { plugboard_login: { action: 'accept' } } }
  const next = started.modern('tools/call', accepted, { ...can, ...caller })
  authServer.person = person
  const pages = await logInAtPage(link)
  return { link, pages, answer: textOf(await next) }
}

describe('servers that callers use with accounts of their own', () => {
  test('T31 T38 each caller logs in at a page of the gateway, and tools, prompts and resources are all its own', async () => {
    const shared = await startShared()
    await using started = shared.started
    const { authServer } = shared
    const [ada, bob] = [await shared.addCaller('ada'), await shared.addCaller('bob')]
    const asAda = await callAs(shared, ada, 'ada@corp')
    expect(asAda.link.startsWith(`${started.url}/login/`)).toBe(true)
    expect(asAda.pages.asked).toContain('The caller “ada” of the gateway')
    expect(asAda.pages.last).toContain('“ada” now uses “vault” with your account.')
    const asBob = await callAs(shared, bob, 'bob@corp')
    const [box, ask] = [{ uri: 'vault://box' }, { name: 'vault__ask' }]
    const argument = { ref: { type: 'ref/prompt', name: 'vault__ask' }, argument: { name: 'a', value: '' } }
    const saysAda = expect.stringContaining('"done for ada@corp"') as unknown
    const texts = await Promise.all([
      started.modern('resources/read', box, ada),
      started.modern('prompts/get', ask, ada),
      started.modern('completion/complete', argument, ada),
      started.legacy('tools/call', work, ada),
    ])
    expect({
      ada: asAda.answer,
      bob: asBob.answer,
      others: texts.map(({ body }) => JSON.stringify(body)),
      operator: textOf(await started.modern('tools/call', work)),
    }).toEqual({
      ada: 'done for ada@corp',
      bob: 'done for bob@corp',
      others: [saysAda, saysAda, saysAda, saysAda],
      operator: 'done for operator',
    })
    // What a caller proves itself with never reaches a server.
    expect(authServer.tokens).not.toContain(ada.secret)
    expect(authServer.tokens).not.toContain(bob.secret)
  })

  test.each([
    ['tools/call', { name: 'call_tool', arguments: work }, '?mode=search'],
    ['resources/read', { uri: 'vault://box' }, ''],
    ['prompts/get', { name: 'vault__ask' }, ''],
  ])('T31 before the server is known, %s of a caller without a login uses no other login', async (...of) => {
    const [method, params, path] = of
    const shared = await startShared()
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    const answer = await started.modern(method, params, { ...can, ...ada, path })
    expect(linkOf(answer)).toContain(new URL(started.url).origin)
  })

  test('T34 the login of a caller is sealed, is none of the person, and is gone with its caller', async () => {
    const shared = await startShared()
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    await callAs(shared, ada, 'ada@corp')
    const folder = join(started.machine.home, '.local/state/plugboard/logins')
    const secrets = () => readdirSync(folder).filter((name) => name.endsWith('.secret'))
    const texts = secrets().map((name) => readFileSync(join(folder, name), 'utf8'))
    const [sealed = '', ...plain] = texts.sort((one) => (one.startsWith('v1.') ? -1 : 1))
    expect(plain).toHaveLength(1)
    const opened = Buffer.from(sealed.slice(3), 'base64url').toString('latin1')
    for (const token of shared.authServer.tokens.filter((each) => each !== ''))
      expect(opened).not.toContain(token)
    expect(await listAccounts(undefined, optionsOf(started))).toMatchObject([{ account: 'default' }])
    expect(await forgetCaller(ada.id, optionsOf(started))).toBe(1)
    expect(secrets()).toHaveLength(1)
    expect(linkOf(await started.modern('tools/call', work, { ...can, ...ada }))).toContain('/login/')
    expect(textOf(await started.modern('tools/call', work))).toBe('done for operator')
  })

  test('a client of either era that shows no addresses gets an error with the link and the next step', async () => {
    const shared = await startShared()
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    const told = new RegExp(
      String.raw`^Server "vault" asked for a login\.\nLog in with your own account, then call again\. Open in a browser, within 10 minutes: (${started.url}/login/[\w-]+)$`,
    )
    const answers = [
      textOf(await started.legacy('tools/call', work, ada)),
      textOf(await started.modern('tools/call', work, ada)),
      textOf(
        await started.modern(
          'tools/call',
          { ...work, inputResponses: { plugboard_login: { action: 'decline' } } },
          { ...can, ...ada },
        ),
      ),
      ((await started.legacy('prompts/get', { name: 'vault__ask' }, ada)).body.error as { message: string })
        .message,
    ]
    for (const text of answers) expect(text).toMatch(told)
    shared.authServer.person = 'ada@corp'
    await logInAtPage(told.exec(answers[0] ?? '')?.[1] ?? '')
    expect(textOf(await started.legacy('tools/call', work, ada))).toBe('done for ada@corp')
  })

  test('a client of SDK v1 with a session is asked in the middle of its call', async () => {
    const shared = await startShared({ sessions: true })
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    shared.authServer.person = 'ada@corp'
    const client = new V1Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: { url: {} } } })
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      if (params.mode === 'url') await logInAtPage(params.url)
      return { action: 'accept' as const }
    })
    await client.connect(new V1Http(new URL(started.url), { requestInit: { headers: ada.headers } }))
    expect(await client.callTool(work)).toMatchObject({ content: [{ text: 'done for ada@corp' }] })
    await client.close()
  })

  test('T33 an expired login of a caller is renewed once for all of its calls', async () => {
    const shared = await startShared()
    await using started = shared.started
    const { authServer } = shared
    const ada = await shared.addCaller('ada')
    await callAs(shared, ada, 'ada@corp')
    authServer.refusedTokens.add(authServer.tokens.at(-1) ?? '')
    const calls = [1, 2, 3, 4].map((id) => started.modern('tools/call', work, { ...ada, id }))
    expect((await Promise.all(calls)).map(textOf)).toEqual(
      Array.from({ length: 4 }, () => 'done for ada@corp'),
    )
    expect(authServer.grants().filter((grant) => grant === 'refresh_token')).toHaveLength(1)
  })

  test('T26 the resources of an account are not listed to others', async () => {
    const shared = await startShared()
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    const [listed, templates] = [
      await started.modern('resources/list', {}, ada),
      await started.modern('resources/templates/list', {}, ada),
    ]
    expect(listed.body.result).toMatchObject({ resources: [] })
    expect(templates.body.result).toMatchObject({ resourceTemplates: [{ uriTemplate: 'vault://{name}' }] })
  })

  test('T26 T31 what a server says to the person who runs the gateway about their session reaches no caller', async () => {
    const shared = await startShared()
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    await started.modern('tools/list', {}, ada)
    expect(started.gateway.host.instructions()).toEqual([{ server: 'vault', text: 'You work for operator.' }])
    const greeting = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    const replies = [
      await started.modern('server/discover', {}, ada),
      await started.legacy('initialize', greeting, ada),
      await started.modern('tools/list', {}, ada),
      await started.modern('prompts/list', {}, ada),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(JSON.stringify(replies.map(({ body }) => body))).not.toContain('operator')
  })

  test.each([
    ['', ['resources/list']],
    [', also before the server is known', []],
  ])('T26 updates of the resources of an account are not passed on to others%s', async (_, before) => {
    const shared = await startShared()
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    for (const method of before) await started.modern(method, {}, ada)
    const listening = new AbortController()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { notifications: { resourceSubscriptions: ['vault://box'] }, _meta: meta }
    const response = await fetch(started.url, {
      method: 'POST',
      headers: {
        ...ada.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
      signal: listening.signal,
    })
    const first = await response.body?.getReader().read()
    expect(Buffer.from(first?.value ?? []).toString()).toContain(
      '"notifications":{"resourceSubscriptions":[]}',
    )
    listening.abort()
  })

  test('T30 T31 a link does nothing by itself: not from a frame, another page, another browser, later or changed', async () => {
    let now = Date.now()
    const shared = await startShared({ now: () => now })
    await using started = shared.started
    const ada = await shared.addCaller('ada')
    const link = linkOf(await started.modern('tools/call', work, { ...can, ...ada }))
    const visit = async (url: string, init: RequestInit = {}) => {
      const { status, headers } = await fetch(url, { redirect: 'manual', ...init })
      return { status, headers }
    }
    const own = { origin: new URL(started.url).origin }
    const before = shared.authServer.requests.length
    const changed = link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A')
    const foreign = { origin: 'https://evil.example' }
    const statuses = [
      await visit(link, { headers: { 'sec-fetch-dest': 'iframe' } }),
      await visit(link, { headers: { 'sec-fetch-dest': 'image' } }),
      await visit(link, { method: 'POST' }),
      await visit(link, { method: 'POST', headers: foreign }),
      await visit(changed),
      await visit(changed, { method: 'POST', headers: own }),
      await visit(`${started.url}/login/callback?code=c&state=s`),
    ].map(({ status }) => status)
    expect(statuses).toEqual([403, 403, 403, 403, 400, 400, 400])
    const page = await visit(link)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    // Only the button asks the issuer for something.
    expect(shared.authServer.requests.length).toBe(before)
    const begun = await visit(link, { method: 'POST', headers: own })
    expect(begun.status).toBe(303)
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
    // Another browser has no cookie of this login; one with the cookie of another login is not better.
    const callback = `${started.url}/login/callback?code=c&state=${state}`
    expect((await visit(callback)).status).toBe(400)
    const [name = '', value = ''] = begun.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? []
    const cookie = `${name}=${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`
    expect((await visit(callback, { headers: { cookie } })).status).toBe(400)
    now += 11 * 60_000
    expect((await visit(link)).status).toBe(400)
    expect((await visit(callback, { headers: { cookie: `${name}=${value}` } })).status).toBe(400)
    expect(shared.authServer.grants().filter((grant) => grant === 'authorization_code')).toHaveLength(1)
  })

  test('T31 a server whose credentials all callers would share is not used for a caller', async () => {
    const authServer = await startAuthorizationServer()
    const servers = {
      echo: echoServer(),
      vault: { type: 'http', url: authServer.mcp, headers: { Authorization: 'Bearer of-the-operator' } },
    }
    const all = { gateway: { servers: { '*': { credentials: 'caller' } } } }
    await using started = await startGateway(servers, { settings: all })
    const keys = await openOwnKeys(optionsOf(started))
    const { secret, kept } = createKeySecret()
    await keys.add({ name: 'ada', ...kept, createdAt: '2026-01-01T00:00:00.000Z' })
    await keys.close()
    const ada = { headers: { authorization: `Bearer ${secret}` } }
    expect(textOf(await started.modern('tools/call', { name: 'echo__echo', arguments: {} }, ada))).toBe(
      'Callers cannot log in to "echo" with accounts of their own: it is not reached over HTTP, so there is nothing to log in to.\nChange its entry, or "credentials" of the server under "gateway.servers" in the settings of the gateway.',
    )
    // The person who runs the gateway uses both as before.
    expect(
      (await started.modern('tools/call', { name: 'echo__echo', arguments: {} })).body.result,
    ).toMatchObject({
      structuredContent: { pid: expect.any(Number) as number },
    })
  })
})
