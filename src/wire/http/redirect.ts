import type { HttpHeaders, HttpRequest } from '../../platform/platform.ts'
import { WireError } from '../wire-error.ts'

const maxRedirects = 3

interface Redirect {
  readonly method: HttpRequest['method']
  readonly status: number
  readonly headers: HttpHeaders
}

/**
 * Where a request may follow a redirect to: only to the same origin, with the same method (FI-53). A 302 or 303 is
 * also what servers say after they did what was posted.
 */
export function redirectTarget(
  { method, status, headers }: Redirect,
  from: URL,
  followed: number,
): URL | WireError {
  const location = headers['location']
  const sent = method === 'POST' && (status === 302 || status === 303)
  if (location === undefined || !URL.canParse(location, from.href)) {
    return new WireError('protocol', `The server answered with HTTP ${status} and no address to go to.`, {
      sent,
      facts: { status },
    })
  }
  const target = new URL(location, from)
  const refuse = (why: string) =>
    // Neither a password in it nor its query, which may hold a token, is for anybody to read.
    new WireError('blocked', `The server redirects to ${target.origin}${target.pathname}, ${why}.`, {
      sent,
      facts: { status },
    })
  if (target.origin !== from.origin) return refuse('which is another origin')
  if (status !== 307 && status !== 308) return refuse(`with HTTP ${status}, which would lose the request`)
  if (followed >= maxRedirects) return refuse(`the redirect after ${maxRedirects} others`)
  return target
}
