import { OfferedTool } from '../../catalog/offered-tool.ts'
import { restoreHidden } from '../../catalog/restore-hidden.ts'
import { callTool } from '../call.ts'
import type { CallDeps } from '../call.ts'
import { defaultResultLimits } from '../limit.ts'
import { createRender } from '../render/render.ts'
import { checkArguments } from '../validate.ts'
import { hashOf } from '../../model/canonical.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { withoutSwitch } from '../../model/switches.ts'
import { needsTask } from '../../model/tool.ts'
import type { Tool } from '../../model/tool.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import { decideCall } from '../../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../../policy/call-rules.ts'
import { createApproving } from '../permission.ts'
import { reportCall, withCleanProgress } from '../call-events.ts'
import type { ViewContext } from './view-context.ts'
import type { CallResult } from '../../model/result.ts'
import type { CallOptions } from './view.ts'
import { isOwn } from './own-tools.ts'
import type { OwnTool } from './own-tools.ts'
import type { Visibility } from './visibility.ts'
import { explainCall } from './explain-tool.ts'
import type { CallExplanation } from './explain-tool.ts'

const unheard = () => undefined

const free: Decision = { effect: 'allow', by: 'default', reason: 'It shows what may be seen.' }

/** A call inside the view; `View.call` also takes objects that are typed by an interface. */
export type CallByName = (name: string, args?: Json, options?: CallOptions) => Promise<CallResult>

export interface Calls {
  readonly call: CallByName
  /** Whether calls run, and what that depends on. */
  readonly explain: (tool: Callable, visibility: VisibilityDecision) => CallExplanation
}

interface Asking {
  readonly see: () => Visibility
  readonly conversation: string | undefined
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly tools: CallDeps['tools']
  readonly lost: (nameOrRef: string) => string | undefined
  readonly own: ReadonlyMap<string, OwnTool>
}

/** Calls of the tools that a scope sees. */
export function createCalls(context: ViewContext, { see, conversation, own, ...asking }: Asking): Calls {
  const { calling, clock } = context
  const { maxResultBytes, maxModelBytes = defaultResultLimits.maxModelBytes } = calling
  // Each part as it is when it is looked at, which for most of them is hardly ever.
  const policy: CallPolicy = {
    conversation,
    get rules() {
      return context.policy().rules
    },
    get guard() {
      return see().guard
    },
    get approvals() {
      return context.memory.approvals.of(conversation)
    },
    entryOf: ({ server = '' }) => entryOf(context.serverOf(server)),
  }
  const decide = (tool: Callable, args: Json) => decideCall(tool, args, policy)
  const { approve, decideNow, refuseChanged } = createApproving(context, {
    find: asking.find,
    policy,
    decide,
  })
  const mask = (text: string) => context.redactor.maskKnown(text)
  const ownOf = (tool: Tool) => (isOwn(tool) ? own.get(tool.name) : undefined)
  const deps: CallDeps = {
    findTool: asking.find,
    tools: asking.tools,
    lost: asking.lost,
    ...(calling.checksArguments && { check: checkArguments }),
    decide: (tool, args) => (ownOf(tool)?.isFree ? free : decideNow(tool, args)),
    send(tool, args, { options, isRepeatable }) {
      const mine = ownOf(tool)
      if (mine) return mine.run(args, options)
      const { signal, timeoutMs, maxTimeoutMs, onProgress = unheard } = withCleanProgress(options, mask)
      // Progress is always asked for: it is what keeps a long call from its timeout.
      const asTask = tool instanceof OfferedTool && needsTask(tool.definition)
      const asked = { signal, timeoutMs, maxTimeoutMs, onProgress, isRepeatable, asTask }
      const named = { name: tool.tool, arguments: asDeclared(tool, args) }
      const known = context.isTold(tool.server) && context.connectionOf(tool.server)
      if (known && !(known instanceof Promise)) return known.request('tools/call', named, asked)
      return refuseChanged(tool, args, options)
        .then(() => context.connectionOf(tool.server))
        .then((connection) => connection.request('tools/call', named, asked))
    },
    render: createRender(calling.render),
    limits: { maxModelBytes, ...(maxResultBytes !== undefined && { maxResultBytes }) },
    spill: context.spill,
    // Asked anew for each call: a secret may become known at any time.
    get mask() {
      return context.redactor.isEmpty ? undefined : mask
    },
    clock,
    ...(approve && { approve }),
  }
  return {
    explain: (tool, visibility) => explainCall(tool, visibility, policy),
    call(name, args, options = {}) {
      const request = args === undefined ? { name, options } : { name, args, options }
      const listener = context.callListener()
      const tool = listener && asking.find(name)
      if (!listener || !tool) return callTool(request, deps)
      const reported = { ref: tool.ref, conversation, options, clock }
      return reportCall(listener, reported, (heard) => callTool({ ...request, options: heard }, deps))
    },
  }
}

/** A model calls by what it was shown; its server waits for its own words. */
function asDeclared(tool: Tool, args: JsonObject): JsonObject {
  const declared = tool instanceof OfferedTool ? tool.definition.inputSchema : tool.inputSchema
  return declared === tool.inputSchema ? args : restoreHidden(args, declared)
}

/** Another entry under the same name is another server to a person who said yes; one that was switched off and on is not. */
function entryOf(server: Server | undefined): string {
  if (!server) return ''
  const entries = server.declared.map(withoutSwitch)
  return `${server.origin.file}#${hashOf(entries.length === 1 ? entries[0] : entries)}`
}
