import type { Host } from '../../../index.ts'
import { toolTokens } from '../../facts/tool-tokens.ts'

/** What servers offer, in numbers, by the name of the server. */
export interface OfferCounts {
  readonly tools: ReadonlyMap<string, { readonly count: number; readonly tokens: number }>
  readonly hidden: ReadonlyMap<string, number>
  readonly resources: ReadonlyMap<string, number>
  readonly prompts: ReadonlyMap<string, number>
}

/** Counts in one pass for all servers: each list of a host may have thousands of items. */
export function countOffers(
  host: Pick<Host, 'tools' | 'hiddenTools' | 'resources' | 'prompts'>,
): OfferCounts {
  const tools = new Map<string, { readonly count: number; readonly tokens: number }>()
  for (const tool of host.tools()) {
    const { count, tokens } = tools.get(tool.server) ?? { count: 0, tokens: 0 }
    tools.set(tool.server, { count: count + 1, tokens: tokens + toolTokens(tool) })
  }
  return {
    tools,
    hidden: countBy(host.hiddenTools()),
    resources: countBy(host.resources()),
    prompts: countBy(host.prompts()),
  }
}

function countBy(items: readonly { readonly server: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { server } of items) counts.set(server, (counts.get(server) ?? 0) + 1)
  return counts
}
