import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { LoginWords } from '../model/preset.ts'

/**
 * Why a login, or renewing one, did not come about. `undiscovered`: nobody says where to log in. `unregistered`: nobody
 * lets us be a client. `refused`: the issuer said no, `oauth` is its word for it.
 */
export type AuthReason =
  | 'off'
  | 'not-asked'
  | 'undiscovered'
  | 'unregistered'
  | 'blocked'
  | 'issuer'
  | 'unusable'
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'cancelled'
  | 'no-port'
  | 'expired'

export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly reason: AuthReason
  /** An error code of OAuth, such as `invalid_grant`. */
  readonly oauth: string | undefined
  constructor(
    reason: AuthReason,
    message: string,
    options: ErrorOptions & { readonly oauth?: string | undefined } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.oauth = options.oauth
  }

  /** Whether a person has to do something about it. */
  get needsPerson(): boolean {
    return !['unreachable', 'timeout', 'cancelled'].includes(this.reason)
  }
}

export const nowhere = 'It does not say where to log in.'

/** Codes are short words; anything else an issuer says is not shown, as it may be anybody's text. */
export function codeIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(value) ? value : undefined
}

/** Why a login did not come about, for whoever asked for it: in the system's own words where it has some (O20). */
export function toHostError(error: unknown, name: string, words: LoginWords | undefined): unknown {
  if (!(error instanceof AuthError)) return error
  const { reason, oauth, message } = error
  if (reason === 'cancelled')
    return new HostError('login.cancelled', { server: name }, message, { cause: error })
  if (reason === 'timeout') {
    const text = words?.timedOut ?? `"${name}": ${message}`
    const hint = `Try again: ${nextCommand('login', name)}`
    return new HostError('login.timeout', { server: name }, text, { cause: error, hint })
  }
  const data = { server: name, reason, ...(oauth !== undefined && { oauth }) }
  const hint = hintFor(error, name)
  return new HostError('login.failed', data, words ? sayIn(words, error, name) : `"${name}": ${message}`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  })
}

function sayIn(words: LoginWords, { reason, message }: AuthError, name: string): string {
  return reason === 'undiscovered' ? words.undiscovered(name) : words.failed(message)
}

function hintFor({ reason, oauth }: AuthError, name: string): string | undefined {
  if (reason === 'undiscovered')
    return `A token can be put into "headers" of its entry: ${nextCommand('why', name)}`
  if (reason === 'unregistered')
    return 'Register a client with the issuer, and put its id into "auth": { "clientId": … } of the entry.'
  if (reason === 'no-port') return `Name another port: ${nextCommand('login', name)} --port N`
  if (reason === 'unreachable' || oauth === 'access_denied') return `Try again: ${nextCommand('login', name)}`
  return undefined
}
