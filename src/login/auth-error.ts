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
}

export const nowhere = 'It does not say where to log in.'

/** Codes are short words; anything else an issuer says is not shown, as it may be anybody's text. */
export function codeIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(value) ? value : undefined
}
