import { callTool } from '../execution/call.ts'
import type { CallDeps } from '../execution/call.ts'
import { defaultResultLimits } from '../execution/limit.ts'
import { renderDefault } from '../execution/render/default.ts'
import { checkArguments } from '../execution/validate.ts'
import type { Json } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Tool } from '../model/tool.ts'
import { toApproval } from '../policy/approvals.ts'
import { decideCall, questionOf } from '../policy/rules.ts'
import type { CallPolicy, Decision } from '../policy/rules.ts'
import type { ViewContext } from './context.ts'
import type { Approve, View } from './options.ts'
import type { Sight } from './sight.ts'

export interface Calls {
  readonly call: View['call']
  /** Whether a call with these arguments would run. */
  decide(tool: Tool, args: Json): Decision
}

/** Calls of the tools that a scope sees. */
export function createCalls(context: ViewContext, see: () => Sight, conversation: string | undefined): Calls {
  const { catalog, memory, approve } = context
  const find = (nameOrRef: string) => {
    const tool = catalog.byName(nameOrRef) ?? catalog.byRef(nameOrRef)
    return tool && see().tool(tool) ? tool : undefined
  }
  const policyOf = (tool: Tool): CallPolicy => {
    const guard = see().layers.find((layer) => layer.guard)?.guard
    return {
      rules: context.rules,
      entry: entryOf(context.serverOf(tool.server)),
      approvals: memory.approvals.of(conversation),
      ...(guard && { guard }),
      ...(conversation !== undefined && { conversation }),
    }
  }
  const decide = (tool: Tool, args: Json) => decideCall(tool, args, policyOf(tool))
  const deps: CallDeps = {
    findTool: find,
    names: () =>
      catalog
        .tools()
        .filter(see().tool)
        .map(({ name }) => name),
    check: checkArguments,
    decide,
    async send(tool, args, options) {
      const connection = await context.connectionOf(tool.server)
      // Progress is always asked for: it is what keeps a long call from its timeout.
      const { onProgress = () => undefined } = options
      return connection.request(
        'tools/call',
        { name: tool.tool, arguments: args },
        { ...options, onProgress },
      )
    },
    render: renderDefault,
    limits: defaultResultLimits,
    spill: context.spill,
    redact: (text) => context.redactor.redact(text),
    clock: context.clock,
    ...(approve && { approve: remembering(approve, context, { policyOf, conversation }) }),
  }
  return {
    decide,
    call: (name, args, options = {}) =>
      callTool({ name, options, ...(args !== undefined && { args }) }, deps),
  }
}

/** Another entry under the same name is another server to a person who said yes. */
function entryOf(server: Server | undefined): string {
  return server ? `${server.origin.file}#${server.entryHash}` : ''
}

/** Asks, and remembers a yes for as long as it was meant. */
function remembering(
  approve: Approve,
  { memory, clock }: ViewContext,
  scope: { readonly policyOf: (tool: Tool) => CallPolicy; readonly conversation: string | undefined },
): NonNullable<CallDeps['approve']> {
  const { policyOf, conversation } = scope
  return async ({ tool, args, decision }, options) => {
    const { reason } = decision
    const question = { tool, args, reason, ...(conversation !== undefined && { conversation }) }
    const grant = await approve(question, options)
    if (grant === 'no') return 'refused'
    const at = new Date(clock.now()).toISOString()
    const approval = toApproval(grant, questionOf(tool, decision, policyOf(tool)), at)
    if (approval) await memory.approvals.add(approval)
    return 'approved'
  }
}
