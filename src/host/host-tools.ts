import { join } from 'node:path'
import { createSearch } from '../catalog/search.ts'
import { createVolatileMemory } from '../config/file-memory.ts'
import { stateDirectory } from '../config/own-directories.ts'
import { settingsFile } from '../config/settings.ts'
import type { Connection } from '../connections/connection.ts'
import type { CallLines } from '../calls/call-lines.ts'
import { createSpill } from '../calls/spill.ts'
import { HostCatalog } from './host-catalog.ts'
import { checkScope } from './check-options.ts'
import { AgentPolicies, readSharedPolicy, toViewPolicy } from './host-policy.ts'
import type { HostContext } from './host-context.ts'
import type { ServerStatus } from './host-options.ts'
import { openOwnMemory } from './own-memory.ts'
import type { HostSubscriptions } from './subscriptions.ts'
import { askableOf, unusableOf } from './unusable-servers.ts'
import type { Agent } from '../model/agent.ts'
import type { Memory } from '../model/memory.ts'
import type { Discovery, Server } from '../model/server.ts'
import type { Status } from '../model/status.ts'
import type { ViewContext } from '../calls/view/view-context.ts'
import type { ScopeOptions, View } from '../calls/view/view.ts'
import { createView } from '../calls/view/create-view.ts'

interface ToolsOptions {
  readonly servers: readonly Server[]
  readonly serverOf: (name: string) => Server | undefined
  readonly statusOf: (server: string) => Status | undefined
  /** When the attempt to connect that is under way began, on the monotonic clock. */
  readonly openingSince: (server: string) => number | undefined
  readonly connectionOf: (server: string) => Connection | Promise<Connection>
  /** A call waits for the attempt to connect that is under way. */
  readonly raise: (server: string) => void
  /** The status of every declared server. */
  readonly statuses: () => readonly ServerStatus[]
  readonly discovery: () => Discovery
  /** Throws once the host is closed. */
  readonly refuseClosed: () => void
}

export interface HostTools {
  readonly catalog: HostCatalog
  readonly memory: Memory
  /** Reads what other programs have changed in the memory. */
  readonly recall: () => Promise<void>
  /** The host's own view. */
  readonly view: View
  scope(narrow: ScopeOptions): Promise<View>
  /** The agents, as their files declare them now. */
  agents(): Promise<readonly Agent[]>
  /** Applies a reloaded configuration: servers, settings and agents. */
  rebind(servers: readonly Server[]): Promise<void>
  close(): Promise<void>
}

/** Creates the parts that only hosts with tools need: the catalog, the memory and the views. */
export async function createTools(context: HostContext, options: ToolsOptions): Promise<HostTools> {
  const { platform, preset } = context
  const { native = [], approve, asks, settings } = context.options
  const isOwn = !context.options.memory && !preset.keepsNothing
  const own = isOwn ? await openOwnMemory(platform) : undefined
  const memory = context.options.memory ?? own ?? createVolatileMemory(() => platform.clock.now())
  const recall = async () => memory.recall?.()
  const catalog = new HostCatalog(context, { ...options, caches: await context.caches() })
  let sharedPolicy = await readSharedPolicy(context)
  let policy = toViewPolicy(sharedPolicy)
  const agents = new AgentPolicies(context, () => sharedPolicy)
  let calls = 0
  const shared: ViewContext = {
    catalog: catalog.catalog,
    servers: () => catalog.names(),
    async wait(servers, waitOptions) {
      await catalog.wait(servers, waitOptions)
      options.refuseClosed()
    },
    isReady: () => catalog.isReady,
    search: createSearch(() => catalog.catalog.slices()),
    memory,
    reloadMemory: memory.recall && recall,
    damage: () => own?.damage,
    native,
    policy: () => policy,
    calling: preset.calling,
    hasResourceTools: context.options.resources === 'tools',
    callListener: () =>
      context.events.hasListeners
        ? { id: `call-${++calls}`, onEvent: (event) => context.events.emit(event) }
        : undefined,
    approve,
    asks,
    settingsFile: settings === false ? undefined : settingsFile(platform),
    spill: createSpill({
      directory: join(stateDirectory(platform), 'results'),
      files: platform.files,
      clock: platform.clock,
    }),
    redactor: context.redactor,
    clock: platform.clock,
    serverOf: options.serverOf,
    statusOf: options.statusOf,
    unusable: () => unusableOf(options.statuses(), options.discovery(), preset, platform.clock.now()),
    askable: () => askableOf(options.statuses(), platform.clock.now()),
    lines: { run: async (...args) => (await (lines ??= loadLines())).run(...args) },
    connectionOf: options.connectionOf,
    hasListed: (server) => catalog.hasListed(server),
    async listServer(server, { signal, timeoutMs }) {
      const [waitMs, stop] = [timeoutMs || context.limits.callMs, signal && { signal }]
      await (await options.connectionOf(server)).connect(stop)
      const readyOptions = { servers: [server], from: 'servers', timeoutMs: waitMs } as const
      // The call itself reports that it was aborted.
      await catalog.ready({ ...readyOptions, ...stop }).catch(() => undefined)
    },
    subscribe: async (...args) => (await (subscriptions ??= loadSubscriptions())).subscribe(...args),
    refresh: () => catalog.refresh(),
  }
  /** Loaded on first use: only adapters make serial calls. */
  let lines: Promise<CallLines> | undefined
  const loadLines = async () => {
    const { CallLines: Loaded } = await import('../calls/call-lines.ts')
    const { clock } = platform
    return new Loaded({ rule: preset.calling.serial, clock, maxQueued: context.limits.maxQueued })
  }
  /** Loaded on first use: few hosts subscribe to a resource. */
  let subscriptions: Promise<HostSubscriptions> | undefined
  const loadSubscriptions = async () => {
    const { HostSubscriptions: Loaded } = await import('./subscriptions.ts')
    return new Loaded(context, options)
  }
  return {
    catalog,
    memory,
    recall,
    view: createView(shared),
    async scope(narrow) {
      checkScope(narrow)
      const { agent, conversation, asks: stricter } = narrow
      if (conversation !== undefined) await recall()
      const own = stricter === undefined ? shared : { ...shared, asks: stricter }
      if (agent === undefined) return createView(own, narrow)
      return createView({ ...own, policy: await agents.policyOf(agent) }, narrow)
    },
    agents: () => agents.list(),
    async rebind(servers) {
      catalog.rebind(servers)
      sharedPolicy = await readSharedPolicy(context)
      policy = toViewPolicy(sharedPolicy)
      await Promise.all([recall(), agents.reload()])
      void subscriptions?.then((each) => each.rebind())
    },
    async close() {
      void subscriptions?.then((each) => each.close())
      await catalog.close()
      await own?.close()
    },
  }
}
