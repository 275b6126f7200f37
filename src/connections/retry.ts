import type { WireError } from '../wire/wire-error.ts'

/** Methods that only look: asking twice does what asking once does. */
const lookingMethods = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
])

export function isLooking(method: string): boolean {
  return lookingMethods.has(method)
}

/** What to do about a request that got no answer: give up, ask again on a new connection, or ask again later. */
export type Remedy =
  | { readonly kind: 'none' }
  | { readonly kind: 'reconnect' }
  | { readonly kind: 'wait'; readonly ms: number }

const none: Remedy = { kind: 'none' }
const maxTries = 3
const backoffMs = 500
/** A server that wants to be left alone for longer than this is said to be busy. */
const patienceMs = 60_000

interface Trial {
  readonly isRepeatable: boolean
  readonly tries: number
  readonly jitter: number
  /** How long the caller wants to wait, if it says so. */
  readonly timeoutMs?: number | undefined
}

/** Whether to ask once more. What may have run is repeated only where that is the same as running once (D-5). */
export function remedyFor(error: WireError, { isRepeatable, tries, jitter, timeoutMs }: Trial): Remedy {
  const mayRepeat = isRepeatable || !error.sent
  const later: Remedy = { kind: 'wait', ms: Math.round(backoffMs * 2 ** tries * (1 + jitter)) }
  switch (error.code) {
    case 'exit':
    case 'closed':
      return mayRepeat && tries === 0 ? { kind: 'reconnect' } : none
    case 'session':
      return isRepeatable && tries === 0 ? { kind: 'reconnect' } : none
    case 'rate':
    case 'upstream': {
      // A server that broke down over a call is not given it again, whatever it says about later (FI-45).
      const mayWait = error.code === 'rate' ? mayRepeat : isRepeatable
      if (!mayWait || tries + 1 >= maxTries) return none
      const { retryAfterMs } = error.facts
      if (retryAfterMs === undefined) return later
      return retryAfterMs <= Math.min(patienceMs, timeoutMs || patienceMs)
        ? { kind: 'wait', ms: retryAfterMs }
        : none
    }
    case 'network':
      if (isRepeatable) return tries + 1 < maxTries ? later : none
      return mayRepeat && tries === 0 ? later : none
    case 'dns':
      return isRepeatable && tries + 1 < maxTries ? later : none
    default:
      return none
  }
}
