import { onTestFinished, expect, test } from 'vitest'
import type { FeedEvent, LoginProgress } from '../../src/client.ts'
import { browse, browseUntilLeft, startAuthorizationServer } from '../support/authorization-server.ts'
import { startServed } from '../support/served.ts'

test('login: the page gets the address to open, events tell the end, and the server is ready; logout takes it back', async () => {
  const authServer = await startAuthorizationServer()
  const it = await startServed({ vault: { type: 'http', url: authServer.mcp } })
  const ended = new AbortController()
  onTestFinished(async () => {
    ended.abort()
    await it[Symbol.asyncDispose]()
  })
  const events = it.client.follow({ signal: ended.signal })[Symbol.asyncIterator]()
  const next = async (isMeant: (event: FeedEvent) => boolean): Promise<FeedEvent> => {
    for (;;) {
      const { value, done } = await events.next()
      if (done) throw new Error('The events have ended.')
      if (isMeant(value)) return value
    }
  }
  const params = { server: 'vault' }
  const { server } = await it.client.send('POST /api/servers/:server/start', { params })
  expect(server.state).toMatchObject({ word: 'needs login', shape: 'square', tone: 'warn' })
  expect(server.next[0]).toMatchObject({ action: 'login', command: 'plugboard login vault' })

  const begun = await it.client.send('POST /api/servers/:server/login', { params })
  expect(begun).toMatchObject({ server: 'vault', state: 'waiting', host: new URL(authServer.issuer).host })
  expect(await it.client.send('POST /api/servers/:server/login', { params })).toEqual(begun)
  const { logins } = await it.client.send('GET /api/snapshot')
  expect(logins).toEqual([begun])
  await browse(begun.url ?? '')
  const isDone = (login: LoginProgress) => login.id === begun.id && login.state === 'done'
  expect(await next((event) => event.type === 'login.changed' && isDone(event.login))).toMatchObject({
    login: { account: 'default' },
  })
  await next((event) => event.type === 'server.changed' && event.server.state.word === 'ready')
  const { accounts } = await it.client.send('GET /api/servers/:server', { params })
  expect(accounts).toMatchObject([{ account: 'default', issuer: authServer.issuer }])

  expect(await it.client.send('DELETE /api/servers/:server/login', { params })).toEqual({
    accounts: ['default'],
  })
  await next((event) => event.type === 'server.changed' && event.server.state.word === 'needs login')
})

test('login: one that fails says why, to the request and in the events', async () => {
  const it = await startServed({ vault: { type: 'http', url: 'http://127.0.0.1:9/mcp' } })
  onTestFinished(() => it[Symbol.asyncDispose]())
  const sent = it.client.send('POST /api/servers/:server/login', { params: { server: 'vault' } })
  await expect(sent).rejects.toMatchObject({ fault: { code: expect.stringMatching(/^(login|server)\./) } })
  const { logins } = await it.client.send('GET /api/snapshot')
  expect(logins).toMatchObject([{ state: 'failed', error: { message: expect.any(String) } }])
})

test('login: by pasting the last address, or with a code; another way ends the one before, a wrong address is asked again', async () => {
  const authServer = await startAuthorizationServer()
  const it = await startServed({ vault: { type: 'http', url: authServer.mcp } })
  const ended = new AbortController()
  onTestFinished(async () => {
    ended.abort()
    await it[Symbol.asyncDispose]()
  })
  const seen: LoginProgress[] = []
  const waits: { readonly isMeant: (login: LoginProgress) => boolean; readonly done: () => void }[] = []
  const until = (isMeant: (login: LoginProgress) => boolean) =>
    new Promise<void>((done) => (seen.some(isMeant) ? done() : waits.push({ isMeant, done })))
  const listening = (async () => {
    for await (const event of it.client.follow({ signal: ended.signal })) {
      if (event.type !== 'login.changed') continue
      seen.push(event.login)
      for (const { isMeant, done } of waits) if (isMeant(event.login)) done()
    }
  })().catch(() => undefined)
  const params = { server: 'vault' }
  const begin = (flow: 'browser' | 'paste' | 'device') =>
    it.client.send('POST /api/servers/:server/login', { params, query: { flow } })
  const paste = (address: string) =>
    it.client.send('PUT /api/servers/:server/login/address', { params, body: { address } })

  await expect(paste('http://127.0.0.1/')).rejects.toMatchObject({ fault: { code: 'usage' } })
  const inBrowser = await begin('browser')
  const byPaste = await begin('paste')
  expect(byPaste).toMatchObject({ state: 'waiting', flow: 'paste' })
  await until(({ id, state }) => id === inBrowser.id && state === 'failed')
  await paste('http://127.0.0.1/callback?code=x&state=of-another-login')
  await until(({ id, state, error }) => id === byPaste.id && state === 'waiting' && error !== undefined)
  await paste(await browseUntilLeft(byPaste.url ?? ''))
  await until(({ id, state }) => id === byPaste.id && state === 'done')

  const byCode = await begin('device')
  expect(byCode).toMatchObject({ state: 'waiting', flow: 'device', code: expect.any(String) })
  ended.abort()
  await listening
})
