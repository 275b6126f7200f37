import type { DiscoverOptions } from '../config/discover-options.ts'
import type { hostDirectories } from '../config/own-directories.ts'
import type { IgnoredFinding } from '../model/ignored-finding.ts'
import type { Preset } from '../model/preset.ts'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { Server } from '../model/server.ts'
import type { TrifectaMode } from '../model/tool-label.ts'
import type { Platform } from '../platform/platform.ts'
import type { CodeServers } from './code-servers.ts'
import type { Events } from './host-events.ts'
import type { HostAudit } from './host-audit.ts'
import type { HostLimits, HostOptions } from './host-options.ts'
import type { Roots } from './roots.ts'
import type { ServerCaches } from './server-caches.ts'
import type { TeamStore } from './team/team-store.ts'

export const defaultLimits: HostLimits = {
  startupMs: 30_000,
  callMs: 60_000,
  maxCallMs: 600_000,
  maxBytes: 16 * 1024 * 1024,
  hardMaxBytes: 64 * 1024 * 1024,
  maxInFlight: { stdio: 64, http: 16 },
  maxQueued: 10_000,
  maxQueuedBytes: 64_000_000,
  spawns: 8,
}

/** The parts of a host that its modules share. */
export interface HostContext {
  readonly options: HostOptions
  readonly platform: Platform
  readonly preset: Preset
  readonly limits: HostLimits
  readonly redactor: Redactor
  readonly events: Events
  /** What the person's settings and the options say about the flow of information (T15). */
  readonly flow: Pick<HostOptions, 'labels'> & { readonly trifecta: TrifectaMode }
  /** How definitions are accepted; `person` reads the settings when tools are first used. */
  readonly accept: NonNullable<HostOptions['accept']>
  /** Acceptances and logins are in this database, and not in files; absent if this machine is in no team. */
  readonly team: TeamStore | undefined
  /** Findings of the scanner that the person has examined. */
  readonly ignoredFindings: readonly IgnoredFinding[]
  /** Names of the servers with a subscribed resource. */
  readonly subscribed: Set<string>
  readonly directories: ReturnType<typeof hostDirectories>
  readonly roots: Roots
  /** The servers that the program declares, if there are any. */
  readonly code: () => CodeServers | undefined
  /** Loads the code for servers in code, with the first one. */
  readonly loadCode: () => Promise<CodeServers>
  /** What is stored on disk about the servers. Loaded with the first use: a host that only lists declarations needs none. */
  readonly caches: () => Promise<ServerCaches>
  /** Records calls, if the embedder asked for that. */
  readonly audit: HostAudit | undefined
}

/** 25 days, the longest time of a timer in Node. */
const longestTimerMs = 2 ** 31 - 1

/** How long a server may take to start; 0 in its entry means as long as it takes. */
export function startupMsOf(
  { timeouts }: Pick<Server, 'timeouts'>,
  { options, preset, limits }: Pick<HostContext, 'options' | 'preset' | 'limits'>,
): number {
  // A call timeout of 0 means no limit, but a start then has the usual one.
  const ofCalls = preset.connecting.callTimeCoversStart ? timeouts.callMs || undefined : undefined
  return (options.startupMs ?? timeouts.startupMs ?? ofCalls ?? limits.startupMs) || longestTimerMs
}

/** With servers in code, only the sources that are asked for are read (D-17). */
export function discoverOptions({ trust, servers, ...options }: HostOptions): DiscoverOptions {
  const sources = options.sources ?? (servers === undefined ? undefined : [])
  return { ...options, ...(trust === 'project' && { trust }), ...(sources && { sources }) }
}
