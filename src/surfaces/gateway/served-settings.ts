import type { DiscoverOptions, Host } from '../../index.ts'
import { addressStateful, believePlatform, readSettings } from '../../internal.ts'
import type { GatewaySettings, GatewayViewSettings, LimitRule } from '../../internal.ts'
import { readSource } from './team/published-source.ts'
import type { ConfigSource } from './team/published-source.ts'

type Views = Readonly<Record<string, GatewayViewSettings>>

/** The settings that decide what callers of a gateway find. */
export interface ServedSettings {
  readonly views: Views
  /** `undefined`: the settings have a mistake. */
  readonly limits: readonly LimitRule[] | undefined
  readonly approvals: GatewaySettings['approvals']
  /** `undefined`: the settings have a mistake. */
  readonly servers: GatewaySettings['servers']
  readonly flowMinutes: GatewaySettings['flowMinutes']
}

/** Reads the settings of the person; views and limits of a published configuration stand in place of theirs. */
export async function readServedSettings(
  discover: DiscoverOptions,
  source: ConfigSource | undefined,
): Promise<ServedSettings> {
  const { platform } = await believePlatform({
    ...discover.platform,
    ...(discover.cwd !== undefined && { cwd: discover.cwd }),
  })
  const { views = {}, gateway: own = {} } = (await readSettings(platform)).settings
  const published = source && (await readSource(source, discover))
  return {
    views: published?.views ?? views,
    limits: published?.limits ?? (own.isDamaged ? undefined : (own.limits ?? [])),
    approvals: own.isDamaged ? 'none' : own.approvals,
    servers: own.isDamaged ? undefined : (own.servers ?? {}),
    flowMinutes: own.flowMinutes,
  }
}

/** The addresses of a gateway: what is declared, and one for each server that no other address offers. */
export interface ServedAddresses {
  readonly views: Views
  /** Servers that only the view with their name offers. */
  readonly ownAddress: readonly string[]
  readonly clashes: readonly string[]
}

/** With several gateways for the same callers, a server that keeps state between calls has an address of its own. */
export function addressViews(
  host: Pick<Host, 'discovery'>,
  views: Views,
  { hasReplicas }: { readonly hasReplicas: boolean },
): ServedAddresses {
  const stateful = host.discovery.servers.filter((server) => server.stateful).map(({ name }) => name)
  const ownAddress = hasReplicas ? stateful : []
  return { ...addressStateful(views, ownAddress), ownAddress }
}

/** The settings of a view; `undefined` if there is no such view. */
export function settingsOfView({ views }: ServedAddresses, name: string): GatewayViewSettings | undefined {
  return Object.hasOwn(views, name) ? views[name] : undefined
}
