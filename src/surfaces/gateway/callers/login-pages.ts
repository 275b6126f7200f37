import type { HttpRequest, HttpResponse } from '../plain-http/http-messages.ts'
import { HostError } from '../../../index.ts'
import type { CallerLogins, LoginTicket } from './caller-logins.ts'

const path = /^\/mcp\/login\/([A-Za-z0-9_-]+)$/

/** Cookies are limited to 4096 bytes with their attributes. */
const maxKept = 3800

export interface PageRequest {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly path: string
  readonly origin: string | undefined
}

/**
 * The pages where a person logs in for a caller. A link alone does nothing: it shows for whom the login would be, and the
 * person goes on with a button, because a link can be sent to someone else, whose account the caller would then use (T31).
 */
export async function answerLoginPage(logins: CallerLogins, asked: PageRequest): Promise<void> {
  const { request, response } = asked
  const { method, headers } = request
  const [, named = ''] = path.exec(asked.path) ?? []
  // A page of another site must not show it in a frame, or send the form in the name of the person.
  const { 'sec-fetch-dest': destination = 'document' } = headers
  if (destination !== 'document') return show(response, 403, stray)
  if (method === 'GET' && named === 'callback') return finish(logins, asked)
  const ticket = logins.readLink(named)
  if (!ticket) return show(response, 400, expired)
  if (method === 'GET') return show(response, 200, ask(ticket, logins.url ?? ''))
  const isOwn = logins.url !== undefined && asked.origin === new URL(logins.url).origin
  if (method !== 'POST' || !isOwn) return show(response, 403, stray)
  return begin(logins, ticket, response)
}

async function begin(logins: CallerLogins, ticket: LoginTicket, response: HttpResponse): Promise<void> {
  try {
    const { url, state, kept } = await logins.begin(ticket)
    if (kept.length > maxKept) throw new HostError('usage', {}, 'The issuer gave a client that is too large.')
    const cookie = cookieOf(logins, state, kept, 600)
    response.writeHead(303, { ...head, location: url, 'set-cookie': cookie }).end()
  } catch (error) {
    show(response, 502, failed(ticket.server, error))
  }
}

async function finish(logins: CallerLogins, { request, response }: PageRequest): Promise<void> {
  const params = new URLSearchParams(request.url?.split('?')[1] ?? '')
  const state = params.get('state') ?? ''
  const kept = readCookie(request, cookieName(state))
  if (kept === undefined) return show(response, 400, stray)
  const cleared = { 'set-cookie': cookieOf(logins, state, '', 0) }
  try {
    const { server, caller } = await logins.finish(kept, params)
    return show(response, 200, done(server, caller.name), cleared)
  } catch (error) {
    return show(response, 400, failed(undefined, error), cleared)
  }
}

/** Several logins of one browser must not disturb each other. */
function cookieName(state: string): string {
  return `plugboard_login_${state.replaceAll(/[^A-Za-z0-9_-]/g, '').slice(0, 16)}`
}

function cookieOf({ url = '' }: CallerLogins, state: string, value: string, seconds: number): string {
  const { protocol, pathname } = new URL(url)
  const secure = protocol === 'https:' ? '; Secure' : ''
  const at = `${pathname.replace(/\/+$/, '')}/login`
  return `${cookieName(state)}=${value}; Path=${at}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

function readCookie({ headers }: HttpRequest, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name && value) return value
  }
  return undefined
}

const head = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // The issuer learns no link. Stricter, and browsers would not say where the form is from.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  // Without form-action: it would also forbid the way from the form to the issuer.
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
}

interface Page {
  readonly title: string
  readonly texts: readonly string[]
  readonly button?: string
}

function show(
  response: HttpResponse,
  status: number,
  { title, texts, button }: Page,
  more: Readonly<Record<string, string>> = {},
): void {
  const body = texts.map((text) => `<p>${escape(text)}</p>`).join('')
  const form = button === undefined ? '' : `<form method="post"><button>${escape(button)}</button></form>`
  const style =
    'font:1rem/1.5 sans-serif;margin:4em auto;max-width:34em;padding:0 1em;color-scheme:light dark'
  response
    .writeHead(status, { ...head, ...more })
    .end(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title><body style="${style}"><main><h1>${escape(title)}</h1>${body}${form}</main>`,
    )
}

const ask = ({ server, caller }: LoginTicket, url: string): Page => ({
  title: `Log in to “${server}”`,
  texts: [
    `The caller “${caller.name}” of the gateway ${new URL(url).host} asks you to log in to “${server}”. What “${caller.name}” does there through the gateway is then done with your account.`,
    'Go on only if you have asked for this yourself just now. If you got this address from another person, close the page.',
  ],
  button: 'Log in',
})

const done = (server: string, caller: string): Page => ({
  title: 'Logged in',
  texts: [
    `“${caller}” now uses “${server}” with your account. You can close this page, and go back to your program.`,
  ],
})

const failed = (server: string | undefined, error: unknown): Page => ({
  title: 'Not logged in',
  texts: [
    error instanceof HostError ? error.message : 'The login failed.',
    server === undefined
      ? 'Call again in your program to get another address.'
      : 'Try again, or tell the person who runs the gateway.',
  ],
})

const expired: Page = {
  title: 'Nothing to do',
  texts: ['This address is no longer valid. Call again in your program to get another one.'],
}

const stray: Page = {
  title: 'Nothing to do',
  texts: ['This address does not belong to a login of this browser.'],
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)
}
