import type { Catalog } from '../../catalog/catalog.ts'
import type { Search } from '../../catalog/search.ts'
import type { Connection } from '../../connections/connection.ts'
import type { CallLines } from '../call-lines.ts'
import type { Spill } from '../spill.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HostError } from '../../model/error.ts'
import type { Memory } from '../../model/memory.ts'
import type { CallingRules } from '../../model/preset.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Server } from '../../model/server.ts'
import type { Status } from '../../model/status.ts'
import type { Clock } from '../../platform/platform.ts'
import type { Layer } from '../../policy/layers.ts'
import type { CompiledRules } from '../../policy/call-rules.ts'
import type { CallListener } from '../call-events.ts'
import type { Approve, CallOptions, NativeTool, ResourceUpdate, ToolOptions } from './view.ts'

/** The policy of a view: that of the user, the project and the agent. */
export interface ViewPolicy {
  readonly layers: readonly Layer[]
  readonly rules: CompiledRules
  /** Problems in the settings and in the agent's file. */
  readonly problems?: readonly Diagnostic[]
}

/** The parts of a host that its views share. */
export interface ViewContext {
  readonly catalog: Catalog
  /** The names of the servers that are enabled and trusted. */
  readonly servers: () => readonly string[]
  /** Waits for these servers until they are known or failed (`HostCatalog.wait`). */
  readonly wait: (servers: readonly string[] | 'all', options: CatalogWaitOptions) => Promise<void>
  /** The tools of every server are known, or the server failed. */
  readonly isReady: () => boolean
  readonly search: Search
  readonly memory: Memory
  /** Reloads approvals and toggles that other programs have changed; absent if the memory belongs to this host alone. */
  readonly reloadMemory?: (() => Promise<void>) | undefined
  /** The problem with the memory file, if it is damaged. */
  readonly damage: () => Diagnostic | undefined
  readonly native: readonly NativeTool[]
  /** Returns the same object as long as the policy does not change. */
  readonly policy: () => ViewPolicy
  readonly calling: CallingRules
  /** Whether `list_resources` and `read_resource` are offered (D21). */
  readonly hasResourceTools: boolean
  /** Receives the events of a call that begins now; absent while the host has no listener. */
  readonly callListener: () => CallListener | undefined
  readonly approve?: Approve | undefined
  /** `writes`: calls of tools that are not declared read-only ask. */
  readonly asks?: ToolOptions['asks']
  /** The settings of the person, if they are read. */
  readonly settingsFile?: string | undefined
  readonly spill: Spill
  readonly redactor: Redactor
  readonly clock: Clock
  readonly serverOf: (name: string) => Server | undefined
  readonly statusOf: (server: string) => Status | undefined
  /** Declared servers that cannot be used now, each with the error that connecting would throw. */
  readonly unusable: () => readonly { readonly server: string; readonly error: HostError }[]
  /** Servers whose tools are unknown and that may be asked for them now. */
  readonly askable: () => readonly string[]
  /** Where serial calls wait for each other. */
  readonly lines: Pick<CallLines, 'run'>
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
  /** Whether the server is connected and has listed its tools since. */
  readonly hasListed: (server: string) => boolean
  /** Connects to a server, or throws, and lists what it offers; if listing fails, the catalog stays as it was. */
  readonly listServer: (server: string, options: Pick<CallOptions, 'signal' | 'timeoutMs'>) => Promise<void>
  readonly subscribe: Subscribe
  /** Lists servers again whose lists have expired. */
  readonly refresh: () => void
}

/** Subscribes to one resource of one server. */
export type Subscribe = (
  resource: { readonly server: string; readonly uri: string },
  listener: (update: ResourceUpdate) => void,
  options: CallOptions,
) => Promise<Disposable>

export interface CatalogWaitOptions {
  /** `settled` waits however long a server takes to be known or to fail. */
  readonly timeoutMs?: number | 'settled' | undefined
  readonly signal?: AbortSignal | undefined
  /** Ends the wait soon; checked whenever the catalog changes. */
  readonly isEnough?: (() => boolean) | undefined
  /** Once this holds, servers that were slow in an earlier run are hardly waited for. */
  readonly skipsSlow?: (() => boolean) | undefined
}
