import type { Status } from '../model/status.ts'
import { toRef } from '../model/tool.ts'
import type { Tool } from '../model/tool.ts'
import { conversationLayer, decideVisibility, isVisible, toLayers } from '../policy/layers.ts'
import type { Layer, ReadyLayer, VisibilityDecision } from '../policy/layers.ts'
import type { Subject } from '../policy/read-only.ts'
import type { ViewContext, ViewPolicy } from './context.ts'
import type { ScopeOptions } from './options.ts'

/** Tools of a server in one of these states cannot be called now; they come back with it (D6). */
const brokenStates: ReadonlySet<Status['state']> = new Set([
  'disabled',
  'untrusted',
  'needs-auth',
  'failed',
  'closed',
])

/** What a scope lets through, at this moment. */
export interface Sight {
  readonly tool: (tool: Tool) => boolean
  readonly native: (tool: Subject) => boolean
  readonly server: (name: string) => boolean
  readonly explain: (tool: Tool) => VisibilityDecision
  readonly layers: readonly ReadyLayer[]
}

/** Layers only narrow: the person's, the project's and the agent's, then what the scope itself asks for (D-7). */
export function createSight(context: ViewContext, scope: ScopeOptions): () => Sight {
  const { conversation } = scope
  const isNarrowed = scope.tools !== undefined || scope.servers !== undefined
  let policy: ViewPolicy | undefined
  let fixed: readonly ReadyLayer[] = []
  const fixedNow = () => {
    const now = context.policy()
    if (now !== policy) fixed = toLayers([...now.layers, ...(isNarrowed ? [toLayer(scope)] : [])])
    policy = now
    return fixed
  }
  return () => {
    const toggles = conversation === undefined ? undefined : context.memory.toggles.of(conversation)
    if (conversation === undefined || !toggles || toggles.size === 0) return look(fixedNow(), context)
    return look([...fixedNow(), ...toLayers([conversationLayer(conversation, toggles)])], context)
  }
}

function look(layers: readonly ReadyLayer[], { statusOf }: ViewContext): Sight {
  const stateOf = (server: string) => statusOf(server)?.state ?? 'idle'
  const isBroken = (server: string) => brokenStates.has(stateOf(server))
  return {
    layers,
    tool: (tool) => !isBroken(tool.server) && isVisible(tool, layers),
    native: (tool) => isVisible(tool, layers),
    server(name) {
      const subject = { name, ref: toRef(name, '*') }
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
