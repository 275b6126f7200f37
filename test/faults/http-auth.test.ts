import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HostError } from '../../src/index.ts'
import { did, outcome, remoteHost, serveMcp } from '../support/remote.ts'
import type { McpRequest } from '../support/remote.ts'

const challenges = {
  'no metadata': {},
  'bad metadata': { 'www-authenticate': 'Bearer resource_metadata="not a url' },
  'good metadata': { 'www-authenticate': 'Bearer resource_metadata="https://login.test/.well-known/x"' },
}

const refuse =
  (headers = {}) =>
  ({ status }: McpRequest) =>
    status(401, headers)

/** Writes the headers that the headers command prints. */
function headersFrom(home: string, token: string): void {
  writeFileSync(join(home, 'headers.json'), JSON.stringify({ authorization: `Bearer ${token}` }))
}

describe('FI-40 HTTP 401 while connecting', () => {
  test.each(Object.entries(challenges))(
    'FI-40 one request, status needs-auth with the login command, and no retry loop (%s)',
    async (_name, headers) => {
      const server = await serveMcp({ '*': refuse(headers) })
      const { host, status, list, otherAnswers } = await remoteHost({ type: 'http', url: server.url.href })
      const error = (await list().catch((cause: unknown) => cause)) as HostError<'server.needs-auth'>
      expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
        code: 'server.needs-auth',
        message: 'Server "x" asked for a login.',
        hint: 'Run: plugboard login x',
      })
      expect(host.servers()[0]?.status).toMatchObject({
        state: 'needs-auth',
        reason: 'login-needed',
        login: error.hint,
        failure: { code: 'auth' },
      })
      expect(server.requests.map(({ message }) => message.method)).toEqual(['server/discover'])
      await otherAnswers()
      expect(status()).toBe('needs-auth')
      expect(server.requests).toHaveLength(1)
    },
  )

  test('FI-40 a server that is kept open is not retried on its own', async () => {
    const server = await serveMcp({ '*': refuse() })
    const x = await remoteHost({ type: 'http', url: server.url.href, lifecycle: 'background' })
    await x.untilState('needs-auth')
    await x.otherAnswers()
    expect(server.requests).toHaveLength(1)
  })

  test('FI-40 a login that expires during use fails that call only, and the next call tries again', async () => {
    let isLoggedIn = true
    const step = (asked: McpRequest) => (isLoggedIn ? asked.answer() : asked.status(401))
    const server = await serveMcp({ '*': step })
    const { call, status } = await remoteHost({ type: 'http', url: server.url.href })
    expect(await outcome(call())).toEqual(did())
    isLoggedIn = false
    expect(await outcome(call())).toEqual({ code: 'server.needs-auth', failure: 'auth' })
    expect(server.of('tools/call')).toHaveLength(2)
    expect(status()).toBe('needs-auth')
    isLoggedIn = true
    expect(await outcome(call())).toEqual(did())
  })

  test('FI-40 a login that expires during use leaves other calls in flight alone', async () => {
    const held: McpRequest[] = []
    const server = await serveMcp({
      'tools/call': (asked) => {
        if (asked.message.params?.['name'] === 'long') held.push(asked)
        else asked.status(401)
      },
    })
    const { call, host, status } = await remoteHost({ type: 'http', url: server.url.href })
    const long = outcome(call('long'))
    await server.until('tools/call')
    expect(await outcome(call())).toEqual({ code: 'server.needs-auth', failure: 'auth' })
    expect(status()).toBe('needs-auth')
    await host.restart('x')
    held[0]?.answer()
    expect(await long).toEqual(did('long'))
  })
})

describe('FI-41 headers from a command', () => {
  test('FI-41 refused headers are replaced once; if the new ones are refused too, a login is needed', async () => {
    const server = await serveMcp({ '*': refuse() })
    const entry = { type: 'http', url: server.url.href, headersCommand: 'cat headers.json; sh next.sh' }
    const { home, list, status } = await remoteHost(entry)
    headersFrom(home, 'token-1')
    writeFileSync(join(home, 'next.sh'), 'sed -i s/token-1/token-2/ headers.json\n')
    expect(await outcome(list())).toEqual({ code: 'server.needs-auth', failure: 'auth' })
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
    expect(status()).toBe('needs-auth')
  })

  test('FI-41 the same headers again are not sent a second time', async () => {
    const server = await serveMcp({ '*': refuse() })
    const { home, list } = await remoteHost({
      type: 'http',
      url: server.url.href,
      headersCommand: 'cat headers.json',
    })
    headersFrom(home, 'token-1')
    expect(await outcome(list())).toEqual({ code: 'server.needs-auth', failure: 'auth' })
    expect(server.requests).toHaveLength(1)
  })

  test('FI-41 calls that are refused together share one run of the command', async () => {
    let accepted = 'Bearer token-1'
    const check = (asked: McpRequest) => {
      if (asked.headers['authorization'] === accepted) asked.answer()
      else asked.status(401)
    }
    const server = await serveMcp({ '*': check })
    const { home, call } = await remoteHost({
      type: 'http',
      url: server.url.href,
      headersCommand: 'echo ran >> runs; cat headers.json',
    })
    headersFrom(home, 'token-1')
    expect(await outcome(call())).toEqual(did())
    headersFrom(home, 'token-2')
    accepted = 'Bearer token-2'
    const answers = await Promise.all(Array.from({ length: 8 }, () => outcome(call())))
    expect(answers).toEqual(Array.from({ length: 8 }, () => did()))
    const tried = server.of('tools/call').map(({ headers }) => headers['authorization'])
    expect(tried.filter((token) => token === accepted)).toHaveLength(8)
    expect(readFileSync(join(home, 'runs'), 'utf8')).toBe('ran\nran\n')
  })
})

describe('FI-42 HTTP 403', () => {
  const insufficient = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write admin"' }

  test('FI-42 a forbidden call names the missing scope, counts as not run, and is not repeated', async () => {
    const server = await serveMcp({ 'tools/call': ({ status }) => status(403, insufficient) })
    const { call, status, list } = await remoteHost({ type: 'http', url: server.url.href })
    const error = (await call().catch((cause: unknown) => cause)) as HostError<'server.failed'>
    expect(error).toMatchObject({
      code: 'server.failed',
      data: { failure: { code: 'forbidden', hint: expect.stringContaining('files:write admin') } },
    })
    expect(server.of('tools/call')).toHaveLength(1)
    expect(status()).toBe('ready')
    expect(await list()).toHaveLength(1)
  })

  test('FI-42 a server that answers every request with 403 fails, and is not retried on its own', async () => {
    const server = await serveMcp({ '*': ({ status }) => status(403) })
    const x = await remoteHost({ type: 'http', url: server.url.href, lifecycle: 'background' })
    await x.untilState('failed')
    await x.otherAnswers()
    expect(server.requests).toHaveLength(1)
    expect(await outcome(x.call())).toEqual({ code: 'server.failed', failure: 'forbidden' })
  })
})
