import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import type { LoginWords } from '../model/preset.ts'

/**
 * Why a login or its renewal failed. `undiscovered`: neither the server nor the issuer says where to log in.
 * `unregistered`: the issuer accepts no client of ours. `refused`: the issuer refused, `oauth` holds its error code.
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
  /** The OAuth error code, such as `invalid_grant`. */
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

  /** Whether a person has to act before a retry can succeed. */
  get needsPerson(): boolean {
    return !['unreachable', 'timeout', 'cancelled'].includes(this.reason)
  }
}

export const noLoginAddress = 'It does not say where to log in.'

/** Accepts short lowercase codes only: any other text of an issuer is untrusted and is never shown. */
export function readOAuthCode(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(value) ? value : undefined
}

/** Turns a failed login into an error for the caller, worded as the system in force words it (O20). */
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
  return new HostError(
    'login.failed',
    data,
    words ? wordFailure(words, error, name) : `"${name}": ${message}`,
    {
      cause: error,
      ...(hint !== undefined && { hint }),
    },
  )
}

function wordFailure(words: LoginWords, { reason, message }: AuthError, name: string): string {
  return reason === 'undiscovered' ? words.undiscovered(name) : words.failed(message)
}

function hintFor({ reason, oauth }: AuthError, name: string): string | undefined {
  if (reason === 'undiscovered')
    return `You can put a token into "headers" of its entry: ${nextCommand('why', name)}`
  if (reason === 'unregistered')
    return 'Register a client with the issuer, and put its id into "auth": { "clientId": … } of the entry.'
  if (reason === 'no-port') return `Choose another port: ${nextCommand('login', name)} --port N`
  if (reason === 'unreachable' || oauth === 'access_denied') return `Try again: ${nextCommand('login', name)}`
  return undefined
}
