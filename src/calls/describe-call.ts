import type { Place } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import type { ApprovalQuestion } from './view/view.ts'

/** A call that needs an approval, as plain JSON and complete: also what the tool declares, and the rule that asks. */
export function describeCall({ tool, args, reason, rule }: ApprovalQuestion): JsonObject {
  const { ref, name, annotations } = tool
  return {
    ref,
    name,
    args,
    reason,
    ...(annotations && { annotations: { ...annotations } }),
    ...(rule && { rule: { effect: rule.effect, tools: rule.tools, ...placeFields(rule.origin) } }),
  }
}

function placeFields(place: Place | undefined): JsonObject {
  if (!place) return {}
  const { file, line, pointer } = place
  return { file, ...(line !== undefined && { line }), ...(pointer !== undefined && { pointer }) }
}
