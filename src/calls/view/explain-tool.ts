import { findFilteredTool } from '../../catalog/tool-filter.ts'
import type { FilteredTool } from '../../catalog/tool-filter.ts'
import { toRef } from '../../model/tool.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import { conditionalRules, decideCall, withoutConditions } from '../../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../../policy/call-rules.ts'
import type { ViewContext } from './view-context.ts'
import type { ToolExplanation } from './view.ts'

export type CallExplanation = Pick<ToolExplanation, 'decision' | 'depends'>

const hidden: Decision = { effect: 'deny', by: 'default', reason: 'What is not seen here cannot be called.' }

/** Whether calls of a tool run: what counts for all of them, and what for some. */
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

/** A tool that no view sees, because the entry of its server says so. */
export function explainLeftOut(nameOrRef: string, context: ViewContext): ToolExplanation | undefined {
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
    decision: { effect: 'deny', by: 'default', reason: 'It is not offered to anybody.' },
  }
}

/** A tool whose name another one has, where the last has it alone (O13). */
export function explainReplaced(
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
      reason: `"${name}" is ${toRef(kept.server, kept.tool)}: of equal names the last counts.`,
      ...(origin && { origin: { file: origin.file, line: origin.line } }),
    },
    decision: { effect: 'deny', by: 'default', reason: 'It is not offered to anybody.' },
  }
}

function reasonOf({ server, pattern }: FilteredTool): string {
  const how =
    pattern === undefined
      ? 'it lists the tools that are wanted, and not this one'
      : `its pattern ${JSON.stringify(pattern)} denies it`
  return `The entry of "${server}" leaves it out: ${how}.`
}
