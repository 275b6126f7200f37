import { callTool } from '../execution/call.ts'
import type { CallDeps, CallOptions } from '../execution/call.ts'
import { defaultResultLimits } from '../execution/limit.ts'
import { renderBoocode } from '../execution/render/boocode.ts'
import { renderDefault } from '../execution/render/default.ts'
import { renderDispatch } from '../execution/render/dispatch.ts'
import { renderOmp } from '../execution/render/omp.ts'
import type { Render } from '../execution/render/rendering.ts'
import { checkArguments } from '../execution/validate.ts'
import type { Json } from '../model/json.ts'
import type { CallingRules } from '../model/preset.ts'
import type { Server } from '../model/server.ts'
import type { Tool } from '../model/tool.ts'
import { toApproval } from '../policy/approvals.ts'
import { decideCall, questionOf } from '../policy/rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/rules.ts'
import { tellingOf } from './call-events.ts'
import type { ViewContext } from './context.ts'
import type { Approve, View } from './options.ts'
import { isOwn } from './own-tools.ts'
import type { OwnTool } from './own-tools.ts'
import type { Sight } from './sight.ts'

const renders: Readonly<Record<CallingRules['render'], Render>> = {
  default: renderDefault,
  boocode: renderBoocode,
  dispatch: renderDispatch,
  omp: renderOmp,
}

const free: Decision = { effect: 'allow', by: 'default', reason: 'It shows what may be seen.' }

export interface Calls {
  readonly call: View['call']
  /** Whether a call with these arguments would run. */
  readonly decide: (tool: Callable, args: Json) => Decision
}

interface Asking {
  readonly see: () => Sight
  readonly conversation: string | undefined
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly names: () => readonly string[]
  readonly own: ReadonlyMap<string, OwnTool>
}

/** Calls of the tools that a scope sees. */
export function createCalls(context: ViewContext, { see, conversation, own, ...asking }: Asking): Calls {
  const { memory, approve, calling, clock } = context
  const { maxResultBytes } = calling
  const policyOf = ({ server = '' }: Callable): CallPolicy => {
    const guard = see().layers.find((layer) => layer.guard)?.guard
    return {
      rules: context.policy().rules,
      entry: entryOf(context.serverOf(server)),
      approvals: memory.approvals.of(conversation),
      ...(guard && { guard }),
      ...(conversation !== undefined && { conversation }),
    }
  }
  const decide = (tool: Callable, args: Json) => decideCall(tool, args, policyOf(tool))
  const ownOf = (tool: Tool) => (isOwn(tool) ? own.get(tool.name) : undefined)
  const deps: CallDeps = {
    findTool: asking.find,
    names: asking.names,
    ...(calling.checksArguments && { check: checkArguments }),
    decide: (tool, args) => (ownOf(tool)?.isFree ? free : decide(toCallable(tool), args)),
    async send(tool, args, options) {
      const mine = ownOf(tool)
      if (mine) return mine.run(args, options)
      const connection = await context.connectionOf(tool.server)
      // Progress is always asked for: it is what keeps a long call from its timeout.
      const { onProgress = () => undefined } = options
      return connection.request(
        'tools/call',
        { name: tool.tool, arguments: args },
        { ...options, onProgress },
      )
    },
    render: renders[calling.render],
    limits: { ...defaultResultLimits, ...(maxResultBytes !== undefined && { maxResultBytes }) },
    spill: context.spill,
    redact: (text) => context.redactor.redact(text),
    clock,
    ...(approve && { approve: remembering(approve, context, { policyOf, conversation }) }),
  }
  return {
    decide,
    call(name, args, options = {}) {
      const request = { name, options, ...(args !== undefined && { args }) }
      const hearer = context.hearer()
      const tool = hearer && asking.find(name)
      if (!hearer || !tool) return callTool(request, deps)
      return tellingOf(hearer, { ref: tool.ref, conversation, clock }, (tell) =>
        callTool({ ...request, options: heard(options, tell) }, deps),
      )
    },
  }
}

function heard(options: CallOptions, tell: NonNullable<CallOptions['onProgress']>): CallOptions {
  return {
    ...options,
    onProgress(progress) {
      tell(progress)
      options.onProgress?.(progress)
    },
  }
}

/** To policy, what the host brings is like the embedder's own: of no server. */
export function toCallable(tool: Tool): Callable {
  if (!isOwn(tool)) return tool
  const { name, annotations } = tool
  return {
    name,
    annotations,
    get hash() {
      return tool.hash
    },
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
  scope: { readonly policyOf: (tool: Callable) => CallPolicy; readonly conversation: string | undefined },
): NonNullable<CallDeps['approve']> {
  const { policyOf, conversation } = scope
  return async ({ tool, args, decision }, options) => {
    const { reason } = decision
    const question = { tool, args, reason, ...(conversation !== undefined && { conversation }) }
    // What was asked about is fixed before anybody is asked: the tool may be another one by the time of the answer.
    const callable = toCallable(tool)
    const asked = questionOf(callable, decision, policyOf(callable))
    const grant = await approve(question, options)
    if (grant === 'no') return 'refused'
    const approval = toApproval(grant, asked, new Date(clock.now()).toISOString())
    // One that cannot be kept still counts here and now.
    if (approval) await memory.approvals.add(approval).catch(() => undefined)
    return 'approved'
  }
}
