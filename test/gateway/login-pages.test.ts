import { describe, expect, onTestFinished, test } from 'vitest'
import type { Caller } from '../../src/internal.ts'
import { CallerAccounts } from '../../src/tokens.ts'
import { CallerLogins } from '../../src/surfaces/gateway/callers/caller-logins.ts'
import type { LoginTicket } from '../../src/surfaces/gateway/callers/caller-logins.ts'
import { answerLoginPage } from '../../src/surfaces/gateway/callers/login-pages.ts'
import { Seals } from '../../src/surfaces/gateway/callers/seals.ts'
import type { HttpResponse } from '../../src/surfaces/gateway/plain-http/http-messages.ts'
import { browseUntilLeft, startAuthorizationServer } from '../support/authorization-server.ts'
import { createPerson } from '../support/person-of-auth.ts'

const ada: Caller = { id: 'key:1', name: 'ada', kind: 'key' }
const origin = 'https://tools.example'

/** The logins of a gateway at an address, with a real issuer, and the pages that it answers with. */
async function start({ url = `${origin}/mcp/` as string | undefined } = {}) {
  const authServer = await startAuthorizationServer({ person: 'ada@corp' })
  const person = createPerson({ url: authServer.mcp })
  const server = await person.server()
  const clock = { now: 1_000_000 }
  const accounts = new CallerAccounts(person.options)
  const seals = new Seals('a secret')
  const logins = new CallerLogins({
    seals,
    openAccounts: async () => accounts,
    serverOf: (name) => (name === 'vault' ? server : undefined),
    now: () => clock.now,
  })
  logins.url = url
  onTestFinished(() => logins.close())
  const ask = (path: string, request: Partial<Asked> = {}) => answerOf(logins, path, request)
  const linkOf = async (scopes?: readonly string[]) => (await logins.link('vault', ada, scopes)) ?? ''
  return { authServer, logins, accounts, server, clock, seals, ask, linkOf }
}

interface Asked {
  readonly method: string
  readonly origin: string | undefined
  readonly cookie: string
  readonly destination: string
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly title: string | undefined
  readonly page: string
}

/** The answer to a request for a path below the address of the gateway. */
async function answerOf(logins: CallerLogins, target: string, request: Partial<Asked>): Promise<Answer> {
  const { method = 'GET', cookie, destination } = request
  let answer: Pick<Answer, 'status' | 'headers'> = { status: 0, headers: {} }
  let page = ''
  const response: HttpResponse = {
    statusCode: 0,
    headersSent: false,
    destroyed: false,
    writableLength: 0,
    writeHead(status, headers = {}) {
      answer = { status, headers }
      return response
    },
    flushHeaders: () => undefined,
    write: () => undefined,
    end: (text = '') => void (page += text),
    destroy: () => undefined,
    on: () => undefined,
  }
  const path = target.split('?')[0] ?? ''
  const headers = {
    ...(cookie !== undefined && { cookie }),
    ...(destination !== undefined && { 'sec-fetch-dest': destination }),
  }
  await answerLoginPage(logins, {
    request: { method, url: target, headers, rawHeaders: [], socket: {} },
    response,
    path,
    origin: request.origin,
  })
  return { ...answer, title: /<h1>(.*?)<\/h1>/.exec(page)?.[1], page }
}

const pathOf = (link: string) => link.slice(origin.length)
const short = ({ status, title }: Answer) => [status, title]

const nothing = 'Nothing to do'

describe('the page of a link', () => {
  test('T31 shows for whom the login would be, and goes on with a button alone', async () => {
    const { ask, linkOf } = await start()
    const link = await linkOf()
    expect(link).toMatch(/^https:\/\/tools\.example\/mcp\/login\/[\w-]+$/)
    const shown = await ask(pathOf(link))
    expect(short(shown)).toEqual([200, 'Log in to “vault”'])
    expect(shown.page).toContain(
      'The caller “ada” of the gateway tools.example asks you to log in to “vault”.',
    )
    expect(shown.page).toContain('<form method="post"><button>Log in</button></form>')
    expect(shown.headers).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    })
  })

  test('T31 is no page in a frame, of another site, or with another method', async () => {
    const { ask, linkOf } = await start()
    const path = pathOf(await linkOf())
    const own = { method: 'POST', origin }
    expect(short(await ask(path, { destination: 'iframe' }))).toEqual([403, nothing])
    expect(short(await ask(path, { destination: 'document' }))).toEqual([200, 'Log in to “vault”'])
    expect(short(await ask(path, { ...own, origin: 'https://evil.example' }))).toEqual([403, nothing])
    expect(short(await ask(path, { method: 'POST' }))).toEqual([403, nothing])
    expect(short(await ask(path, { ...own, method: 'PUT' }))).toEqual([403, nothing])
    expect(short(await ask(path, { ...own, destination: 'iframe' }))).toEqual([403, nothing])
    expect((await ask(path, own)).status).toBe(303)
  })

  test('T31 is gone after ten minutes, and is none for another path', async () => {
    const { ask, linkOf, clock } = await start()
    const path = pathOf(await linkOf())
    clock.now += 10 * 60_000 - 1
    expect((await ask(path)).status).toBe(200)
    clock.now += 1
    expect(short(await ask(path))).toEqual([400, nothing])
    expect((await ask(path, { method: 'POST', origin })).status).toBe(400)
    expect((await ask('/mcp/login/')).status).toBe(400)
    expect((await ask('/mcp/login/AAAA')).status).toBe(400)
  })

  test('T31 a link that was sealed for another use, or holds no login, is none', async () => {
    const { logins, seals, clock } = await start()
    const use = 'plugboard login of a caller'
    const until = clock.now + 1
    expect(logins.readLink(seals.seal({ until }, use))).toEqual({ until })
    expect(logins.readLink(seals.seal({ until }, 'another'))).toBeUndefined()
    expect(logins.readLink(seals.seal({ until: String(until) }, use))).toBeUndefined()
    expect(logins.readLink(seals.seal('text', use))).toBeUndefined()
  })

  test('a gateway without an address gives no link, nor does one for a server that is gone', async () => {
    const { logins } = await start()
    expect(await logins.link('gone', ada)).toBeUndefined()
    logins.url = undefined
    expect(await logins.link('vault', ada)).toBeUndefined()
  })

  test('says what the caller is called without letting its name into the page', async () => {
    const { ask, logins } = await start()
    const link = (await logins.link('vault', { ...ada, name: `<img src="x" o='y'>&` })) ?? ''
    const { page } = await ask(pathOf(link))
    expect(page).toContain('“&#60;img src=&#34;x&#34; o=&#39;y&#39;&#62;&#38;”')
    expect(page).not.toContain('<img')
  })
})

/** What the browser keeps between the button and the response of the issuer. */
function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

describe('the login', () => {
  test('T31 is the one of the caller, once the issuer has answered to the browser that began it', async () => {
    const { ask, linkOf, accounts, server } = await start()
    const begun = await ask(pathOf(await linkOf()), { method: 'POST', origin })
    const cookie = String(begun.headers['set-cookie'])
    expect(cookie).toMatch(
      /^plugboard_login_[\w-]{16}=[\w-]+; Path=\/mcp\/login; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
    const back = await browseUntilLeft(String(begun.headers['location']))
    expect(back.startsWith(`${origin}/mcp/login/callback?`)).toBe(true)
    expect(await accounts.markOf(server, ada.id)).toBe('')
    const done = await ask(pathOf(back), { cookie: `other=1; ${cookieOf(begun)}` })
    expect(short(done)).toEqual([200, 'Logged in'])
    expect(done.page).toContain('“ada” now uses “vault” with your account.')
    expect(done.page).not.toContain('<form')
    expect(String(done.headers['set-cookie'])).toMatch(/^plugboard_login_[\w-]{16}=; .*Max-Age=0; /)
    expect(await accounts.markOf(server, ada.id)).not.toBe('')
    expect(await accounts.markOf(server, 'key:2')).toBe('')
  })

  test('T31 of another browser is refused', async () => {
    const { ask, linkOf, accounts, server } = await start()
    const begun = await ask(pathOf(await linkOf()), { method: 'POST', origin })
    const back = pathOf(await browseUntilLeft(String(begun.headers['location'])))
    const [name = ''] = cookieOf(begun).split('=')
    for (const cookie of ['', 'plugboard_login_x=1', `${name}=`, `${name}x=${cookieOf(begun).split('=')[1]}`])
      expect(short(await ask(back, { cookie }))).toEqual([400, nothing])
    expect(short(await ask(back))).toEqual([400, nothing])
    expect(short(await ask(back, { cookie: `${name}=AAAA` }))).toEqual([400, 'Not logged in'])
    expect(await accounts.markOf(server, ada.id)).toBe('')
  })

  test('T31 is refused after the link has ended, and tells what to do', async () => {
    const { ask, linkOf, clock } = await start()
    const begun = await ask(pathOf(await linkOf()), { method: 'POST', origin })
    const back = pathOf(await browseUntilLeft(String(begun.headers['location'])))
    clock.now += 10 * 60_000
    const late = await ask(back, { cookie: cookieOf(begun) })
    expect(short(late)).toEqual([400, 'Not logged in'])
    expect(late.page).toContain('This address belongs to no login that was begun in this browser.')
    expect(late.page).toContain('Call again in your program to get another address.')
    expect(late.headers['set-cookie']).toContain('Max-Age=0')
  })

  test('at an issuer that does not answer is a page with the reason', async () => {
    const { ask, linkOf, authServer } = await start()
    authServer.respondInstead = () => ({ status: 500 })
    const failed = await ask(pathOf(await linkOf()), { method: 'POST', origin })
    expect(short(failed)).toEqual([502, 'Not logged in'])
    expect(failed.page).toContain('Try again, or tell the person who runs the gateway.')
  })

  test('a response of the issuer that is a refusal stores nothing', async () => {
    const { ask, linkOf, accounts, server } = await start()
    const begun = await ask(pathOf(await linkOf()), { method: 'POST', origin })
    const state = new URL(String(begun.headers['location'])).searchParams.get('state') ?? ''
    const refused = await ask(`/mcp/login/callback?error=access_denied&state=${state}`, {
      cookie: cookieOf(begun),
    })
    expect(short(refused)).toEqual([400, 'Not logged in'])
    expect(await accounts.markOf(server, ada.id)).toBe('')
  })

  test('over plain HTTP its cookie is not only for HTTPS', async () => {
    const { ask, linkOf } = await start({ url: 'http://127.0.0.1:7000/mcp' })
    const path = (await linkOf()).slice('http://127.0.0.1:7000'.length)
    const begun = await ask(path, { method: 'POST', origin: 'http://127.0.0.1:7000' })
    expect(String(begun.headers['set-cookie'])).toMatch(/; SameSite=Lax$/)
  })

  test('asks for the rights that the caller lacks', async () => {
    const { ask, linkOf } = await start()
    const begun = await ask(pathOf(await linkOf(['work'])), { method: 'POST', origin })
    const asked = new URL(String(begun.headers['location'])).searchParams.get('scope')?.split(' ')
    expect(asked).toContain('work')
  })
})

describe('CallerLogins', () => {
  test('T31 finish: what the browser keeps has to be whole, for this use, and not too old', async () => {
    const { logins, seals, clock } = await start()
    const use = 'plugboard response to a login of a caller'
    const ticket: LoginTicket = { server: 'gone', caller: ada, until: clock.now + 1 }
    const begun = { expected: {} }
    const finish = (value: unknown, boundTo = use) =>
      logins.finish(seals.seal(value, boundTo), new URLSearchParams())
    const notOurs = {
      code: 'usage',
      message: 'This address belongs to no login that was begun in this browser.',
    }
    for (const value of ['x', { ticket }, { begun }, { begun: 'x', ticket }, { begun, ticket: 'x' }])
      await expect(finish(value)).rejects.toMatchObject(notOurs)
    await expect(finish({ begun, ticket }, 'another')).rejects.toMatchObject(notOurs)
    await expect(finish({ begun, ticket: { ...ticket, until: clock.now } })).rejects.toMatchObject(notOurs)
    await expect(finish({ begun, ticket })).rejects.toMatchObject({
      code: 'server.unknown',
      data: { server: 'gone', near: [] },
    })
  })

  test('until: ends with a login that is newer than the link', async () => {
    const { logins, linkOf, ask } = await start()
    const begun = await ask(pathOf(await linkOf()), { method: 'POST', origin })
    const waiting = new AbortController()
    let isOver = false
    const over = logins.until('vault', ada, waiting.signal).then(() => (isOver = true))
    expect(isOver).toBe(false)
    const back = pathOf(await browseUntilLeft(String(begun.headers['location'])))
    await ask(back, { cookie: cookieOf(begun) })
    await over
    // The next link is for another login: the one that there is was not enough.
    await linkOf()
    const again = logins.until('vault', ada, waiting.signal).then(() => 'over')
    expect(await Promise.race([again, new Promise((resolve) => setImmediate(() => resolve('waits')))])).toBe(
      'waits',
    )
    waiting.abort()
    expect(await again).toBe('over')
    await logins.until('gone', ada, AbortSignal.timeout(60_000))
  })
})
