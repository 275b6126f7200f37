import { toListing } from '../../index.ts'
import type { Discovery, Explanation } from '../../index.ts'

/** An explanation in the flat form of `list --json`. */
export function toExplanationJson(
  explanation: Explanation,
  { trustKeys }: Pick<Discovery, 'trustKeys'> = {},
): Record<string, unknown> {
  const { name, reason, winner, hidden, diagnostics, trust, resolved } = explanation
  const servers = winner ? [winner] : []
  const discovery: Discovery = {
    servers,
    shadowed: hidden,
    diagnostics,
    trust: new Map(winner && trust ? [[winner, trust]] : []),
    ...(trustKeys && { trustKeys }),
    others: [],
    ...(winner && resolved && { resolved: new Map([[winner, resolved]]) }),
  }
  const listing = toListing(discovery)
  const declarations = toListing({
    ...discovery,
    servers: hidden.map(({ server }) => server),
    shadowed: [],
  }).servers
  return {
    name,
    reason,
    server: listing.servers[0] ?? null,
    hidden: declarations,
    diagnostics: listing.diagnostics,
  }
}
