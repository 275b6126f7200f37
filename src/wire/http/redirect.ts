import type { HttpHeaders, HttpRequest } from '../../platform/platform.ts'
import { WireError } from '../wire-error.ts'

const maxRedirects = 3

interface Redirect {
  readonly method: HttpRequest['method']
  readonly status: number
  readonly headers: HttpHeaders
}

/**
 * Where a request may follow a redirect to: only to the same origin, with the same method (FI-53). Only 307 and 308
 * say that nothing was done yet; the others may be what comes after it was.
 */
export function redirectTarget(
  { method, status, headers }: Redirect,
  from: URL,
  followed: number,
): URL | WireError {
  const location = headers['location']
  const isKept = status === 307 || status === 308
  const sent = method === 'POST' && !isKept
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
  if (!isKept) return refuse(`with HTTP ${status}, which would lose the request`)
  if (followed >= maxRedirects) return refuse(`the redirect after ${maxRedirects} others`)
  return target
}
