/** Who sends requests to a gateway. */
export interface Caller {
  /** Equal for requests of one caller only. */
  readonly id: string
  /** For the audit trail and for people. */
  readonly name: string
  /** How it proved that: with the token of the person who started the gateway, with a key, or with a token of an issuer. */
  readonly kind: 'owner' | 'key' | 'token'
  /** The views that it may use; absent for everything. */
  readonly views?: readonly string[]
  /** When its token ends, in milliseconds; what it has open is cut then. */
  readonly until?: number
}

/** What an address is for a caller: everything (`view` absent), one view, or nothing. */
export type Access =
  | { readonly kind: 'open'; readonly view?: string }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * What a caller finds at `/mcp` or `/mcp/NAME`: one function of the views, the caller and the address, for requests and for
 * `plugboard why`. A view that is not for the caller looks like one that does not exist.
 */
export function accessOf(
  caller: Pick<Caller, 'views'>,
  view: string | undefined,
  isView: (name: string) => boolean,
): Access {
  const { views } = caller
  if (view !== undefined) {
    if (!isView(view)) return { kind: 'absent', reason: `There is no view "${view}".` }
    return !views || views.includes(view)
      ? { kind: 'open', view }
      : { kind: 'absent', reason: `It is not for the view "${view}".` }
  }
  if (!views) return { kind: 'open' }
  const [only, ...others] = views.filter(isView)
  if (only === undefined) return { kind: 'refused', reason: 'None of its views exists.' }
  if (others.length === 0) return { kind: 'open', view: only }
  const addresses = [only, ...others].map((name) => `/mcp/${name}`)
  return { kind: 'refused', reason: `It has several views: use ${addresses.join(' or ')}.` }
}
