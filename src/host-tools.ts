import { join } from 'node:path'
import { createSearch } from './catalog/search.ts'
import { createVolatileMemory, openMemory } from './config/memory.ts'
import { stateDirectory } from './config/state.ts'
import { createWorld } from './config/world.ts'
import type { Connection } from './connections/connection.ts'
import { createSpill } from './execution/spill.ts'
import { HostCatalog } from './host-catalog.ts'
import type { HostContext } from './host.ts'
import type { Agent } from './model/agent.ts'
import { HostError } from './model/error.ts'
import type { Memory } from './model/memory.ts'
import { nearest } from './model/near.ts'
import type { Server } from './model/server.ts'
import type { Status } from './model/status.ts'
import { agentLayers } from './policy/layers.ts'
import type { Layer } from './policy/layers.ts'
import type { ReadOnlyGuard } from './policy/read-only.ts'
import { agentRules, toRules } from './policy/rules.ts'
import type { ViewContext } from './views/context.ts'
import type { ScopeOptions, View } from './views/options.ts'
import { createView } from './views/view.ts'

interface ToolsOptions {
  readonly servers: readonly Server[]
  readonly serverOf: (name: string) => Server | undefined
  readonly statusOf: (server: string) => Status | undefined
  readonly connectionOf: (server: string) => Promise<Connection>
}

export interface HostTools {
  readonly catalog: HostCatalog
  readonly memory: Memory
  /** The host's own view. */
  readonly view: View
  scope(narrow: ScopeOptions): Promise<View>
  /** Other servers are declared now. */
  rebind(servers: readonly Server[]): void
  close(): Promise<void>
}

/** What only those need who use tools: the catalog, what outlives the host, and views. */
export async function createTools(context: HostContext, options: ToolsOptions): Promise<HostTools> {
  const { platform, preset } = context
  const { native = [], policy = [], approve } = context.options
  const memory = context.options.memory ?? (await memoryOf(context))
  const catalog = new HostCatalog(context, options)
  const layers = [userLayer(context)]
  let calls = 0
  const shared: ViewContext = {
    catalog: catalog.catalog,
    ready: (waiting) => catalog.ready(waiting),
    search: createSearch(() => catalog.catalog.slices()),
    memory,
    native,
    layers,
    rules: toRules(policy),
    calling: preset.calling,
    hasResourceTools: context.options.resources === 'tools',
    hearer: () =>
      context.events.isHeard
        ? { id: `call-${++calls}`, tell: (happened) => context.events.emit(happened) }
        : undefined,
    approve,
    spill: createSpill({
      directory: join(stateDirectory(platform), 'results'),
      files: platform.files,
      clock: platform.clock,
    }),
    redactor: context.redactor,
    clock: platform.clock,
    serverOf: options.serverOf,
    statusOf: options.statusOf,
    connectionOf: options.connectionOf,
  }
  let agents: Promise<readonly Agent[]> | undefined
  return {
    catalog,
    memory,
    view: createView(shared),
    async scope(narrow) {
      if (narrow.agent === undefined) return createView(shared, narrow)
      const agent = findAgent(narrow.agent, await (agents ??= agentsOf(context)))
      return createView(
        {
          ...shared,
          layers: [...layers, ...agentLayers(agent)],
          rules: toRules([...policy, ...agentRules(agent)]),
        },
        narrow,
      )
    },
    rebind(servers) {
      agents = undefined
      catalog.rebind(servers)
    },
    close: () => catalog.close(),
  }

  async function memoryOf({ platform: world }: HostContext): Promise<Memory> {
    return preset.keepsNothing ? createVolatileMemory(() => world.clock.now()) : openMemory(world)
  }
}

/** What counts for everybody: the embedder's globs and the read-only guard. */
function userLayer({ options, preset }: HostContext): Layer {
  const guard = options.readOnly ?? preset.readOnly
  return {
    kind: 'user',
    ...(options.tools && { tools: options.tools }),
    ...(guard && { readOnly: toGuard(guard) }),
  }
}

function toGuard(guard: ReadOnlyGuard['policy'] | ReadOnlyGuard): ReadOnlyGuard {
  return typeof guard === 'string' ? { policy: guard } : guard
}

async function agentsOf({ platform, options }: HostContext): Promise<readonly Agent[]> {
  const { readAgents } = await import('./sources/agents.ts')
  const { agents } = await readAgents(await createWorld(platform, options), platform.files)
  return agents
}

function findAgent(name: string, agents: readonly Agent[]): Agent {
  const agent = agents.find((each) => each.name === name)
  if (agent) return agent
  const near = nearest(
    name,
    agents.map((each) => each.name),
  )
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : 'Agents are declared in AGENTS.md and agent files.'
  throw new HostError('agent.unknown', { agent: name, near }, `There is no agent "${name}".`, { hint })
}
