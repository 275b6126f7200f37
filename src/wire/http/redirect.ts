import type { HttpHeaders } from '../../platform/platform.ts'
import { WireError } from '../wire-error.ts'

const maxRedirects = 3

/** Where a request may follow a redirect to: only to the same origin, with the same method (FI-53). */
export function redirectTarget(
  status: number,
  headers: HttpHeaders,
  from: URL,
  followed: number,
): URL | WireError {
  const location = headers['location']
  if (location === undefined || !URL.canParse(location, from.href)) {
    return new WireError('protocol', `The server answered with HTTP ${status} and no address to go to.`, {
      facts: { status },
    })
  }
  const target = new URL(location, from)
  const refuse = (why: string) =>
    // Neither a password in it nor its query, which may hold a token, is for anybody to read.
    new WireError('blocked', `The server redirects to ${target.origin}${target.pathname}, ${why}.`, {
      facts: { status },
    })
  if (target.origin !== from.origin) return refuse('which is another origin')
  if (status !== 307 && status !== 308) return refuse(`with HTTP ${status}, which would lose the request`)
  if (followed >= maxRedirects) return refuse(`the redirect after ${maxRedirects} others`)
  return target
}
