import type { GatewayViewSettings } from '../gateway-views.ts'

type Views = Readonly<Record<string, GatewayViewSettings>>

export interface AddressedViews {
  /** The views, and one for each stateful server, with its name. */
  readonly views: Views
  /** Views that are not offered, because a stateful server has their name. */
  readonly clashes: readonly string[]
}

/** Gives each stateful server an address of its own. No view may share it: a balancer sends all of it to one replica. */
export function addressStateful(views: Views, stateful: readonly string[]): AddressedViews {
  const clashes = stateful.filter((name) => Object.hasOwn(views, name))
  const kept = Object.entries(views).filter(([name]) => !clashes.includes(name))
  const own = stateful.map((name) => [name, { servers: [name] }] as const)
  return { views: Object.fromEntries([...kept, ...own]), clashes }
}

/** Patterns over servers without those that are offered elsewhere. */
export function withoutServers(
  patterns: readonly string[] | undefined,
  hidden: readonly string[],
): readonly string[] | undefined {
  if (hidden.length === 0) return patterns
  return [...(patterns ?? ['*']), ...hidden.map((name) => `!${name}`)]
}
