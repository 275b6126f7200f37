import { filteredTools } from '../../catalog/tool-filter.ts'
import type { FilteredTool } from '../../catalog/tool-filter.ts'
import type { Clash } from '../../catalog/tool-names.ts'
import { toRef } from '../../model/tool.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import { conditionalRules, decideCall, withoutConditions } from '../../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../../policy/call-rules.ts'
import type { ViewContext } from './view-context.ts'
import type { HiddenTool, ToolExplanation } from './view.ts'
import type { Visibility } from './visibility.ts'

export type CallExplanation = Pick<ToolExplanation, 'decision' | 'depends' | 'risk'>

const hidden: Decision = { effect: 'deny', by: 'default', reason: 'A hidden tool cannot be called.' }
const notOffered: Decision = { effect: 'deny', by: 'default', reason: 'It is not offered.' }

/** Whether calls of a tool run: the decision for any arguments, and the rules that depend on them. */
export function explainCall(
  tool: Callable,
  { visible }: VisibilityDecision,
  policy: CallPolicy,
): CallExplanation {
  const decision = decideCall(tool, {}, { ...policy, rules: withoutConditions(policy.rules) })
  if (!visible) return { decision: decision.effect === 'deny' ? decision : hidden }
  const found = policy.riskOf?.(tool)
  const risk = found && { risk: found.reason }
  const depends = conditionalRules(tool, policy.rules, decision)
  if (depends.length === 0) return { decision, ...risk }
  const isFree = decision.by === 'default' && decision.effect === 'allow'
  const shown = isFree ? { ...decision, reason: 'It depends on the arguments.' } : decision
  return { decision: shown, depends, ...risk }
}

/** Explains a tool that no view offers. */
export function explainExcludedTool(nameOrRef: string, context: ViewContext): ToolExplanation | undefined {
  // By its ref only: the name belongs to another tool.
  const found =
    [...heldTools(context), ...filtered(context)].find(
      ({ ref, name }) => nameOrRef === ref || nameOrRef === name,
    ) ?? replaced(context).find(({ ref }) => nameOrRef === ref)
  if (!found) return undefined
  const { ref, name, visibility } = found
  return { ref, name, visibility, decision: notOffered }
}

/** Every known tool that a view does not offer, by server and tool. */
export function hiddenTools(context: ViewContext, { isToolVisible, explainTool }: Visibility) {
  const layered = context.catalog.tools().flatMap((tool): readonly HiddenTool[] => {
    if (isToolVisible(tool)) return []
    const { ref, name, server } = tool
    return [{ ref, name, server, visibility: explainTool(tool) }]
  })
  return [...layered, ...heldTools(context), ...filtered(context), ...replaced(context)].toSorted((a, b) =>
    a.ref < b.ref ? -1 : 1,
  )
}

/** The tools that a person has not accepted (T12). */
function heldTools(context: ViewContext): readonly HiddenTool[] {
  return (context.held?.tools() ?? []).map(({ ref, name, server, reason: held, why }) => {
    const reason = `It is held. ${why} Review it: plugboard review ${server}`
    return { ref, name, server, visibility: { visible: false, reason, held, ...placeOf(server, context) } }
  })
}

/** The tools that their server keeps for itself, or that its entry excludes from every view. */
function filtered(context: ViewContext): readonly HiddenTool[] {
  const { catalog, calling, serverOf } = context
  const filterOf = (server: string) => serverOf(server)?.tools
  return filteredTools(catalog, { naming: calling.naming, filterOf }).map((found) => {
    const { ref, name, server, by, pattern } = found
    const reason = reasonOf(found)
    const visibility = {
      visible: false,
      reason,
      ...(pattern !== undefined && { pattern }),
      ...(by !== 'app' && placeOf(server, context)),
    }
    return { ref, name, server, visibility }
  })
}

/** Tools whose name belongs to another tool, with a preset that offers only the last of equal names (O13). */
function replaced(context: ViewContext): readonly HiddenTool[] {
  const { catalog } = context
  return catalog.clashes().flatMap(({ name, kept, renamed: { server, tool } }: Clash) => {
    const ref = toRef(server, tool)
    if (kept === 'native' || catalog.byRef(ref)) return []
    const reason = `"${name}" is ${toRef(kept.server, kept.tool)}: of equal names only the last is offered.`
    return [{ ref, name, server, visibility: { visible: false, reason, ...placeOf(server, context) } }]
  })
}

function placeOf(server: string, { serverOf }: ViewContext) {
  const origin = serverOf(server)?.origin
  return origin ? { origin: { file: origin.file, line: origin.line } } : {}
}

function reasonOf({ server, by, pattern }: FilteredTool): string {
  if (by === 'app') return `"${server}" keeps it for its own app: its visibility leaves out models.`
  const how =
    by === 'not-listed'
      ? 'its list of tools does not include it'
      : `its pattern ${JSON.stringify(pattern)} denies it`
  return `The entry of "${server}" excludes it: ${how}.`
}
