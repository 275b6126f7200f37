import { hash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../../internal.ts'
import type { CheckToken } from './caller-tokens.ts'
import type { KeyRing } from './key-ring.ts'

/** A caller, or why a request has none. `isBad`: it brought something that is not valid. The status is 401 if absent. */
export type CallerVerdict =
  | { readonly caller: Caller }
  | { readonly refused: string; readonly isBad: boolean; readonly status?: 403 | 503 }

export interface CallerChecks {
  /** The token of the person who started the gateway; absent where only keys and issuers count. */
  readonly token?: string | undefined
  readonly keys: KeyRing
  /** Absent while no issuer is named. */
  readonly tokens: () => CheckToken | undefined
}

/** `audiences`: what a token has to be for at the address of the request. */
export type CheckCaller = (
  authorization: string | undefined,
  audiences: () => readonly string[],
) => CallerVerdict | Promise<CallerVerdict>

/** Finds out who sends a request, from its header `Authorization` alone. */
export function createCallerCheck({ token, keys, tokens }: CallerChecks): CheckCaller {
  const own = token === undefined ? undefined : digest(token)
  return (authorization, audiences) => {
    const [, text] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '') ?? []
    if (text === undefined) {
      const isBad = authorization !== undefined && authorization !== ''
      return { refused: 'A request needs the header "Authorization: Bearer …" with a token or a key.', isBad }
    }
    if (own && timingSafeEqual(digest(text), own)) return { caller: owner }
    const checkToken = signedToken.test(text) ? tokens() : undefined
    if (checkToken) return checkToken(text, audiences())
    const verdict = keys.judge(text)
    return verdict instanceof Promise ? verdict.then(toVerdict) : toVerdict(verdict)
  }
}

/** Keys have no dots. */
const signedToken = /^[^.]+\.[^.]+\.[^.]*$/

const owner: Caller = { id: 'owner', name: 'owner', kind: 'owner' }

function toVerdict(verdict: Awaited<ReturnType<KeyRing['judge']>>): CallerVerdict {
  if (verdict.kind === 'expired') return { refused: 'The key has expired.', isBad: true }
  if (verdict.kind === 'unread')
    return { refused: 'The keys cannot be read now. Try again later.', isBad: false, status: 503 }
  if (verdict.kind === 'unknown') return { refused: 'The token or key is not valid here.', isBad: true }
  const { id, name, views } = verdict.key
  return { caller: { id: `key:${id}`, name, kind: 'key', ...(views && { views }) } }
}

/** Of one length, so that a comparison takes the same time for all. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
