import { callTool } from '../execution/call.ts'
import type { CallDeps, CallOptions } from '../execution/call.ts'
import { defaultResultLimits } from '../execution/limit.ts'
import { renderBoocode } from '../execution/render/boocode.ts'
import { renderDefault } from '../execution/render/default.ts'
import { renderDispatch } from '../execution/render/dispatch.ts'
import { renderOmp } from '../execution/render/omp.ts'
import type { Render } from '../execution/render/rendering.ts'
import { checkArguments } from '../execution/validate.ts'
import { hashOf } from '../model/canonical.ts'
import type { Json } from '../model/json.ts'
import type { CallingRules } from '../model/preset.ts'
import type { Server } from '../model/server.ts'
import { withoutSwitch } from '../model/switches.ts'
import type { Tool } from '../model/tool.ts'
import { decideCall } from '../policy/rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/rules.ts'
import { createApproving } from './approving.ts'
import { tellingOf } from './call-events.ts'
import type { ViewContext } from './context.ts'
import type { View } from './options.ts'
import { isOwn, toCallable } from './own-tools.ts'
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
  const { memory, calling, clock } = context
  const { maxResultBytes, maxModelBytes = defaultResultLimits.maxModelBytes } = calling
  const policyOf = ({ server = '' }: Callable): CallPolicy => {
    const guard = see().layers.find((layer) => layer.guard)?.guard
    return {
      rules: context.policy().rules,
      get entry() {
        return entryOf(context.serverOf(server))
      },
      approvals: memory.approvals.of(conversation),
      ...(guard && { guard }),
      ...(conversation !== undefined && { conversation }),
    }
  }
  const decide = (tool: Callable, args: Json) => decideCall(tool, args, policyOf(tool))
  const { approve, refuseChanged } = createApproving(context, {
    conversation,
    find: asking.find,
    policyOf,
    decide,
  })
  const ownOf = (tool: Tool) => (isOwn(tool) ? own.get(tool.name) : undefined)
  const deps: CallDeps = {
    findTool: asking.find,
    names: asking.names,
    ...(calling.checksArguments && { check: checkArguments }),
    decide: (tool, args) => (ownOf(tool)?.isFree ? free : decide(toCallable(tool), args)),
    async send(tool, args, options) {
      const mine = ownOf(tool)
      if (mine) return mine.run(args, options)
      await refuseChanged(tool, args, options)
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
    limits: { maxModelBytes, ...(maxResultBytes !== undefined && { maxResultBytes }) },
    spill: context.spill,
    redact: (text) => context.redactor.redact(text),
    clock,
    ...(approve && { approve }),
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

/** Another entry under the same name is another server to a person who said yes; one that was switched off and on is not. */
function entryOf(server: Server | undefined): string {
  if (!server) return ''
  const entries = server.declared.map(withoutSwitch)
  return `${server.origin.file}#${hashOf(entries.length === 1 ? entries[0] : entries)}`
}
