import { findFilteredTool } from '../../catalog/tool-filter.ts'
import type { FilteredTool } from '../../catalog/tool-filter.ts'
import { toRef } from '../../model/tool.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import { conditionalRules, decideCall, withoutConditions } from '../../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../../policy/call-rules.ts'
import type { ViewContext } from './view-context.ts'
import type { ToolExplanation } from './view.ts'

export type CallExplanation = Pick<ToolExplanation, 'decision' | 'depends'>

const hidden: Decision = { effect: 'deny', by: 'default', reason: 'A hidden tool cannot be called.' }

/** Whether calls of a tool run: the decision for any arguments, and the rules that depend on them. */
export function explainCall(
  tool: Callable,
  { visible }: VisibilityDecision,
  policy: CallPolicy,
): CallExplanation {
  const decision = decideCall(tool, {}, { ...policy, rules: withoutConditions(policy.rules) })
  if (!visible) return { decision: decision.effect === 'deny' ? decision : hidden }
  const depends = conditionalRules(tool, policy.rules, { beyond: decision.effect })
  if (depends.length === 0) return { decision }
  const isFree = decision.by === 'default' && decision.effect === 'allow'
  return { decision: isFree ? { ...decision, reason: 'It depends on the arguments.' } : decision, depends }
}

/** Explains a tool that the entry of its server excludes from every view. */
export function explainFilteredTool(nameOrRef: string, context: ViewContext): ToolExplanation | undefined {
  const { catalog, calling, serverOf } = context
  const filterOf = (server: string) => serverOf(server)?.tools
  const found = findFilteredTool(nameOrRef, catalog, { naming: calling.naming, filterOf })
  if (!found) return undefined
  const { ref, name, server, pattern } = found
  const origin = serverOf(server)?.origin
  return {
    ref,
    name,
    visibility: {
      visible: false,
      reason: reasonOf(found),
      ...(pattern !== undefined && { pattern }),
      ...(origin && { origin: { file: origin.file, line: origin.line } }),
    },
    decision: { effect: 'deny', by: 'default', reason: 'It is not offered.' },
  }
}

/** Explains a tool whose name belongs to another tool, with a preset that offers only the last of equal names (O13). */
export function explainReplacedTool(
  ref: string,
  { catalog, serverOf }: ViewContext,
): ToolExplanation | undefined {
  if (catalog.byRef(ref)) return undefined
  const clash = catalog.clashes().find(({ renamed }) => toRef(renamed.server, renamed.tool) === ref)
  if (!clash || clash.kept === 'native') return undefined
  const { name, kept, renamed } = clash
  const origin = serverOf(renamed.server)?.origin
  return {
    ref,
    name,
    visibility: {
      visible: false,
      reason: `"${name}" is ${toRef(kept.server, kept.tool)}: of equal names only the last is offered.`,
      ...(origin && { origin: { file: origin.file, line: origin.line } }),
    },
    decision: { effect: 'deny', by: 'default', reason: 'It is not offered.' },
  }
}

function reasonOf({ server, pattern }: FilteredTool): string {
  const how =
    pattern === undefined
      ? 'its list of tools does not include it'
      : `its pattern ${JSON.stringify(pattern)} denies it`
  return `The entry of "${server}" excludes it: ${how}.`
}
