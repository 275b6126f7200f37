import { isHashName, nameStartsOf } from '../../catalog/tool-names.ts'
import type { Status } from '../../model/status.ts'
import type { Tool } from '../../model/tool.ts'
import {
  conversationLayer,
  decideVisibility,
  isVisible,
  toServerSubject,
  compileLayers,
} from '../../policy/layers.ts'
import type { Layer, CompiledLayer, VisibilityDecision } from '../../policy/layers.ts'
import { hidesServer } from '../../policy/hidden-servers.ts'
import { joinGuards } from '../../policy/read-only.ts'
import type { CompiledGuard, Subject } from '../../policy/read-only.ts'
import type { ViewContext, ViewPolicy } from './view-context.ts'
import type { ScopeOptions } from './view.ts'

/**
 * The tools of a server in one of these states are hidden until the state changes (D6). Those of a server in `needs-auth`
 * stay visible: calling one tells the person that a login is needed.
 */
const brokenStates: ReadonlySet<Status['state']> = new Set(['disabled', 'untrusted', 'failed', 'closed'])
const unusableStates: ReadonlySet<Status['state']> = new Set(['disabled', 'untrusted', 'closed'])

/** What is visible in a scope at this moment. */
export interface Visibility {
  readonly isToolVisible: (tool: Tool) => boolean
  readonly isNativeVisible: (tool: Subject) => boolean
  readonly isServerVisible: (name: string) => boolean
  /** Whether the layers admit a server, whatever state it is in. */
  readonly admitsServer: (name: string) => boolean
  /** Whether a tool of this server could be visible, whatever state the server is in. */
  readonly mayShow: (server: string) => boolean
  readonly explainTool: (tool: Tool) => VisibilityDecision
  readonly layers: readonly CompiledLayer[]
  readonly guard: CompiledGuard | undefined
}

/** Combines the layers of the user, the project and the agent with those of the scope; each only hides more (D-7). */
export function createVisibility(context: ViewContext, scope: ScopeOptions): () => Visibility {
  const { conversation } = scope
  const isNarrowed = scope.tools !== undefined || scope.servers !== undefined
  let policy: ViewPolicy | undefined
  // Every call needs the visibility several times, so it is cached as long as the policy stays the same.
  const broken = scope.failed === 'shown' ? unusableStates : brokenStates
  const [own] = scope.offers === 'of-tools' ? compileLayers([toLayer(scope)]) : []
  const isHidden = (server: string) => own !== undefined && hidesServer(own, namesOf(context, server))
  const limits = { broken, isHidden }
  let cached = toVisibility([], context, limits)
  const withoutToggles = () => {
    const current = context.policy()
    if (current === policy) return cached
    policy = current
    return (cached = toVisibility(
      compileLayers([...current.layers, ...(isNarrowed ? [toLayer(scope)] : [])]),
      context,
      limits,
    ))
  }
  return () => {
    const toggles = conversation === undefined ? undefined : context.memory.toggles.of(conversation)
    if (conversation === undefined || !toggles || toggles.size === 0) return withoutToggles()
    return toVisibility(
      [...withoutToggles().layers, ...compileLayers([conversationLayer(conversation, toggles)])],
      context,
      limits,
    )
  }
}

function namesOf({ calling }: ViewContext, server: string) {
  return { server, starts: nameStartsOf(calling.naming, server), isAnyServers: isHashName }
}

interface ServerLimits {
  readonly broken: ReadonlySet<Status['state']>
  /** Whether the scope has nothing of a server. */
  readonly isHidden: (server: string) => boolean
}

function toVisibility(
  layers: readonly CompiledLayer[],
  context: ViewContext,
  { broken, isHidden }: ServerLimits,
): Visibility {
  const { statusOf } = context
  const stateOf = (server: string) => statusOf(server)?.state ?? 'idle'
  const isBroken = (server: string) => broken.has(stateOf(server))
  const admitsServer = (name: string) => {
    const subject = toServerSubject(name)
    if (isHidden(name)) return false
    return layers.every(({ off, servers }) => !off.has(name) && (servers?.admits(subject) ?? true))
  }
  return {
    layers,
    guard: joinGuards(layers.flatMap((layer) => layer.guard ?? [])),
    isToolVisible: (tool) => !isBroken(tool.server) && isVisible(tool, layers),
    isNativeVisible: (tool) => isVisible(tool, layers),
    admitsServer,
    isServerVisible: (name) => !isBroken(name) && admitsServer(name),
    mayShow(server) {
      if (layers.length === 0) return true
      const names = namesOf(context, server)
      return !layers.some((layer) => hidesServer(layer, names))
    },
    explainTool(tool) {
      if (!isBroken(tool.server)) return decideVisibility(tool, layers)
      return { visible: false, reason: `Its server "${tool.server}" is ${stateOf(tool.server)}.` }
    },
  }
}

function toLayer({ conversation, tools, servers, shown }: ScopeOptions): Layer {
  return {
    kind: 'conversation',
    ...(conversation !== undefined && { of: conversation }),
    ...(shown?.place !== undefined && { called: shown.place }),
    ...(tools && { tools }),
    ...(servers && { servers }),
  }
}
