import type { WireError } from '../wire/wire-error.ts'

/** Read-only methods: sending them twice has the same effect as once. */
const readOnlyMethods = new Set([
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
  'skills/list',
  'skills/get',
  'resources/directory/read',
])

export function isReadOnly(method: string): boolean {
  return readOnlyMethods.has(method)
}

/** What to do about a request without an answer: give up, retry on a new connection, or retry later. */
export type Remedy =
  | { readonly kind: 'none' }
  | { readonly kind: 'reconnect' }
  | { readonly kind: 'wait'; readonly ms: number }

const none: Remedy = { kind: 'none' }
const maxTries = 3
const backoffMs = 500
/** A longer `Retry-After` is reported as a failure instead of waiting. */
const maxRetryAfterMs = 60_000

interface RetryContext {
  readonly isRepeatable: boolean
  readonly tries: number
  readonly jitter: number
  /** The caller's timeout, if it has one. */
  readonly timeoutMs?: number | undefined
}

/** Whether to retry. A request that may have run is repeated only if that is safe (D-5). */
export function remedyFor(
  error: WireError,
  { isRepeatable, tries, jitter, timeoutMs }: RetryContext,
): Remedy {
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
      // A server that failed on a call does not get it again, even with a `Retry-After` (FI-45).
      const mayWait = error.code === 'rate' ? mayRepeat : isRepeatable
      if (!mayWait || tries + 1 >= maxTries) return none
      const { retryAfterMs } = error.facts
      if (retryAfterMs === undefined) return later
      return retryAfterMs <= Math.min(maxRetryAfterMs, timeoutMs || maxRetryAfterMs)
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
