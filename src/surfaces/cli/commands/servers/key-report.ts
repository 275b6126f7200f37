import type { Caller } from '../../../../internal.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Style } from '../../../terminal/style.ts'

/** What a gateway's callers find. */
export interface CallerViews {
  /** The ref of the tool that callers of a view see with this name. */
  refOfShown(name: string): Promise<string | undefined>
  explain(ref: string, caller: Pick<Caller, 'views'>): Promise<readonly KeyAddress[]>
}

/** Which configuration was explained, if not the one of the folder. */
export type ConfigReport =
  | { readonly kind: 'store'; readonly version: number; readonly publishedAt: string }
  | { readonly kind: 'file'; readonly file: string }

/** Where the caller with a key finds a tool at the gateway, and why not elsewhere. */
export interface KeyReport {
  readonly name: string
  readonly expired: boolean
  readonly addresses: readonly KeyAddress[]
}

/** The same for the caller of a token. */
export interface ClaimsReport extends KeyReport {
  readonly issuer: string
}

export interface KeyAddress {
  /** `/mcp` or `/mcp/NAME`. */
  readonly address: string
  readonly offered: boolean
  /** The name that the tool has there; absent if it is found by search only. */
  readonly name?: string
  readonly reason: string
}

export function drawKeyReport(
  kind: 'key' | 'claims',
  { name, expired, addresses }: KeyReport,
  style: Style,
): readonly (readonly [string, string])[] {
  const rows = addresses.map(({ address, offered, name: tool, reason }) => {
    const answer = offered
      ? style.green(tool === undefined ? 'by search' : escapeLine(tool))
      : style.red('no')
    return [escapeLine(address), `${answer}  ${escapeLine(reason)}`] as const
  })
  const about = expired ? style.red('expired: every request is refused') : 'finds it at the gateway as:'
  return [[`${kind} ${escapeLine(name)}`, about], ...rows]
}
