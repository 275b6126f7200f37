import { OfferedTool } from '../../catalog/offered-tool.ts'
import type { FlowGuard } from '../../calls/view/view-context.ts'
import type { LabelOverrides, ToolLabel } from '../../model/tool-label.ts'
import type { InformationFlow } from '../../policy/trifecta.ts'
import { labelsOf } from '../../scan/cross/tool-labels.ts'

/** More conversations than one process has open at once; the oldest are forgotten. */
const maxConversations = 10_000

/** Follows what came into each conversation, and into each view without one, while this process runs. */
export function createFlows(mode: FlowGuard['mode'], overrides: LabelOverrides | undefined): FlowGuard {
  const conversations = new Map<string, InformationFlow>()
  const views = new WeakMap<object, InformationFlow>()
  const known = new WeakMap<object, readonly ToolLabel[]>()
  return {
    mode,
    of(lane) {
      if (typeof lane === 'object' && lane !== null) {
        const flow = views.get(lane) ?? {}
        views.set(lane, flow)
        return flow
      }
      const key = String(lane)
      const flow = conversations.get(key) ?? {}
      conversations.delete(key)
      conversations.set(key, flow)
      const [oldest] = conversations.keys()
      if (conversations.size > maxConversations && oldest !== undefined) conversations.delete(oldest)
      return flow
    },
    labelsOf(tool) {
      if (!(tool instanceof OfferedTool)) return []
      const { definition } = tool
      const labels = known.get(definition) ?? labelsOf(tool.server, definition, overrides)
      known.set(definition, labels)
      return labels
    },
  }
}
