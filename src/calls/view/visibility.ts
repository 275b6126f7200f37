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
import { joinGuards } from '../../policy/read-only.ts'
import type { CompiledGuard, Subject } from '../../policy/read-only.ts'
import type { ViewContext, ViewPolicy } from './view-context.ts'
import type { ScopeOptions } from './view.ts'

/**
 * Tools of a server in one of these states cannot be called now; they come back with it (D6). Those of a server that
 * waits for a login stay: to call one is how a person learns of it.
 */
const brokenStates: ReadonlySet<Status['state']> = new Set(['disabled', 'untrusted', 'failed', 'closed'])

/** What a scope lets through, at this moment. */
export interface Visibility {
  readonly tool: (tool: Tool) => boolean
  readonly native: (tool: Subject) => boolean
  readonly server: (name: string) => boolean
  readonly explain: (tool: Tool) => VisibilityDecision
  readonly layers: readonly CompiledLayer[]
  readonly guard: CompiledGuard | undefined
}

/** Layers only narrow: the person's, the project's and the agent's, then what the scope itself asks for (D-7). */
export function createVisibility(context: ViewContext, scope: ScopeOptions): () => Visibility {
  const { conversation } = scope
  const isNarrowed = scope.tools !== undefined || scope.servers !== undefined
  let policy: ViewPolicy | undefined
  // Every call looks several times: as long as the policy is the same, so is what is seen through it.
  let plain = look([], context)
  const plainNow = () => {
    const now = context.policy()
    if (now === policy) return plain
    policy = now
    return (plain = look(compileLayers([...now.layers, ...(isNarrowed ? [toLayer(scope)] : [])]), context))
  }
  return () => {
    const toggles = conversation === undefined ? undefined : context.memory.toggles.of(conversation)
    if (conversation === undefined || !toggles || toggles.size === 0) return plainNow()
    return look([...plainNow().layers, ...compileLayers([conversationLayer(conversation, toggles)])], context)
  }
}

function look(layers: readonly CompiledLayer[], { statusOf }: ViewContext): Visibility {
  const stateOf = (server: string) => statusOf(server)?.state ?? 'idle'
  const isBroken = (server: string) => brokenStates.has(stateOf(server))
  return {
    layers,
    guard: joinGuards(layers.flatMap((layer) => layer.guard ?? [])),
    tool: (tool) => !isBroken(tool.server) && isVisible(tool, layers),
    native: (tool) => isVisible(tool, layers),
    server(name) {
      const subject = toServerSubject(name)
      return (
        !isBroken(name) &&
        layers.every(({ off, servers }) => !off.has(name) && (servers?.admits(subject) ?? true))
      )
    },
    explain(tool) {
      if (!isBroken(tool.server)) return decideVisibility(tool, layers)
      return { visible: false, reason: `Its server "${tool.server}" is ${stateOf(tool.server)}.` }
    },
  }
}

function toLayer({ conversation, tools, servers }: ScopeOptions): Layer {
  return {
    kind: 'conversation',
    ...(conversation !== undefined && { of: conversation }),
    ...(tools && { tools }),
    ...(servers && { servers }),
  }
}
