import type { Catalog } from '../../catalog/catalog.ts'
import type { Search } from '../../catalog/search.ts'
import type { Connection } from '../../connections/connection.ts'
import type { Spill } from '../spill.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { HostError } from '../../model/error.ts'
import type { Memory } from '../../model/memory.ts'
import type { CallingRules } from '../../model/preset.ts'
import type { Redactor } from '../../model/secret.ts'
import type { Server } from '../../model/server.ts'
import type { Status } from '../../model/status.ts'
import type { Clock } from '../../platform/platform.ts'
import type { Layer } from '../../policy/layers.ts'
import type { CompiledRules } from '../../policy/call-rules.ts'
import type { CallListener } from '../call-events.ts'
import type { Approve, CallOptions, NativeTool, ResourceUpdate, WaitOptions } from './view.ts'

/** What counts for who looks: of the person, the project and the agent. */
export interface ViewPolicy {
  readonly layers: readonly Layer[]
  readonly rules: CompiledRules
  /** What is wrong with the settings, and with the file of the agent. */
  readonly problems?: readonly Diagnostic[]
}

/** What every view of a host looks at. */
export interface ViewContext {
  readonly catalog: Catalog
  readonly ready: (options?: WaitOptions & { readonly servers?: readonly string[] }) => Promise<void>
  /** Every server is known, or failed. */
  readonly isReady: () => boolean
  readonly search: Search
  readonly memory: Memory
  /** Looks for what other programs have changed in what is remembered; absent where none can. */
  readonly recall?: (() => Promise<void>) | undefined
  /** Why what is remembered cannot be believed, if it cannot. */
  readonly damage: () => Diagnostic | undefined
  readonly native: readonly NativeTool[]
  /** The same object as long as it says the same. */
  readonly policy: () => ViewPolicy
  readonly calling: CallingRules
  /** Whether `list_resources` and `read_resource` are offered (D21). */
  readonly hasResourceTools: boolean
  /** Receives the events of a call that begins now; absent while nothing listens to the host. */
  readonly callListener: () => CallListener | undefined
  readonly approve?: Approve | undefined
  readonly spill: Spill
  readonly redactor: Redactor
  readonly clock: Clock
  readonly serverOf: (name: string) => Server | undefined
  readonly statusOf: (server: string) => Status | undefined
  /** Declared servers that cannot be used now, each with what whoever connects to it is told. */
  readonly unusable: () => readonly { readonly server: string; readonly error: HostError }[]
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
  /** It is up, and what is known of it is what it has said since. */
  readonly isTold: (server: string) => boolean
  /** Connects to a server, or throws, and asks what it offers now; what it does not tell is left as it was. */
  readonly learn: (server: string, options: Pick<CallOptions, 'signal' | 'timeoutMs'>) => Promise<void>
  readonly subscribe: Subscribe
  /** Somebody asks what there is: lists whose time has run out are asked for anew. */
  readonly refresh: () => void
}

/** Follows one resource of one server. */
export type Subscribe = (
  followed: { readonly server: string; readonly uri: string },
  listener: (update: ResourceUpdate) => void,
  options: CallOptions,
) => Promise<Disposable>

interface WaitForCatalog {
  readonly method: string
  /** The only one that matters. */
  readonly server?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What is not known may be among what is still to be learned. What is known waits for nobody. */
export async function waitForCatalog(
  { ready, isReady, catalog }: Pick<ViewContext, 'ready' | 'isReady' | 'catalog'>,
  { method, server, signal }: WaitForCatalog,
): Promise<void> {
  if (isReady() || (server !== undefined && catalog.snapshotOf(server))) return
  try {
    await ready({ ...(server !== undefined && { servers: [server] }), ...(signal && { signal }) })
  } catch (error) {
    if (!signal?.aborted) throw error
    const data = { server: server ?? '', method, sent: false }
    throw new HostError('call.cancelled', data, 'Cancelled before it was sent.', { cause: error })
  }
}
