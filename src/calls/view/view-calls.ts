import { OfferedTool } from '../../catalog/offered-tool.ts'
import { restoreHidden } from '../../catalog/restore-hidden.ts'
import { callTool } from '../call.ts'
import type { CallDeps } from '../call.ts'
import { defaultResultLimits } from '../limit.ts'
import { createRender } from '../render/render.ts'
import { checkArguments } from '../validate.ts'
import { hashOf } from '../../model/canonical.ts'
import { declaredPlace } from '../../model/server.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { withoutSwitch } from '../../model/switches.ts'
import { needsTask } from '../../model/tool.ts'
import type { Tool } from '../../model/tool.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import { askWritesOf } from '../../policy/ask-writes.ts'
import { decideCall } from '../../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../../policy/call-rules.ts'
import { createApprover } from '../permission.ts'
import { reportCall, withCleanProgress } from '../call-events.ts'
import type { ViewContext } from './view-context.ts'
import type { CallResult } from '../../model/result.ts'
import type { CallOptions, ToolOptions } from './view.ts'
import { isOwnTool } from './own-tools.ts'
import type { OwnTool } from './own-tools.ts'
import type { Visibility } from './visibility.ts'
import { explainCall } from './explain-tool.ts'
import { beforeSending } from './wait-for-servers.ts'
import type { CallExplanation } from './explain-tool.ts'

const ignoreProgress = () => undefined

const alwaysAllowed: Decision = { effect: 'allow', by: 'default', reason: 'It shows only what is visible.' }

/** A call inside the view; `View.call` also accepts objects typed by an interface. */
export type CallByName = (
  name: string,
  args?: Json,
  options?: CallOptions,
  /** How long it has waited for servers. */
  waitedMs?: number,
) => Promise<CallResult>

export interface Calls {
  readonly call: CallByName
  /** Whether calls of a tool run, and what that depends on. */
  readonly explain: (
    tool: Callable,
    visibility: VisibilityDecision,
    options?: Pick<ToolOptions, 'asks'>,
  ) => CallExplanation
}

interface CallScope {
  readonly visibility: () => Visibility
  readonly conversation: string | undefined
  /** Its calls take turns with those of other lanes, where a server has more than it takes at once. */
  readonly lane: unknown
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly tools: CallDeps['tools']
  readonly whyMissing: (nameOrRef: string) => string | undefined
  readonly own: ReadonlyMap<string, OwnTool>
}

/** Calls of the tools that are visible in a scope. */
export function createCalls(context: ViewContext, scope: CallScope): Calls {
  const { visibility, conversation, lane, find, tools, whyMissing, own } = scope
  const { calling, clock } = context
  const { maxResultBytes, maxModelBytes = defaultResultLimits.maxModelBytes } = calling
  const defaultOf = () => askWritesOf(visibility().layers, context.settingsFile)
  // Getters: each part is computed when a decision needs it, which is rare for most of them.
  const policy: CallPolicy = {
    conversation,
    get rules() {
      return context.policy().rules
    },
    get guard() {
      return visibility().guard
    },
    get asksWrites() {
      return context.asks === 'writes' ? defaultOf() : undefined
    },
    get approvals() {
      return context.memory.approvals.of(conversation)
    },
    entryOf: ({ server = '' }) => entryOf(context.serverOf(server)),
  }
  const decide = (tool: Callable, args: Json) => decideCall(tool, args, policy)
  const { approve, decideNow, refuseChanged } = createApprover(context, { find, policy, decide })
  const mask = (text: string) => context.redactor.maskKnown(text)
  const ownOf = (tool: Tool) => (isOwnTool(tool) ? own.get(tool.name) : undefined)
  const deps: CallDeps = {
    findTool: find,
    tools,
    whyMissing,
    ...(calling.checksArguments && { check: checkArguments }),
    decide: (tool, args) => (ownOf(tool)?.isAlwaysAllowed ? alwaysAllowed : decideNow(tool, args)),
    send(tool, args, { options, isRepeatable, now, deadline }) {
      const ownTool = ownOf(tool)
      if (ownTool) return ownTool.run(args, options)
      // Progress is always requested, because it extends the timeout of a long call.
      const {
        signal,
        timeoutMs,
        maxTimeoutMs,
        onProgress = ignoreProgress,
      } = withCleanProgress(options, mask)
      const asTask = tool instanceof OfferedTool && needsTask(tool.definition)
      const limits = { signal, timeoutMs, maxTimeoutMs, deadline }
      const requestOptions = { ...limits, onProgress, isRepeatable, asTask, lane }
      const params = { name: tool.tool, arguments: toDeclaredArgs(tool, args) }
      const current = context.hasListed(tool.server) && context.connectionOf(tool.server)
      if (current && !(current instanceof Promise))
        return current.request('tools/call', params, requestOptions, now)
      const about = { method: 'tools/call', server: tool.server, ...limits, clock }
      return beforeSending(refuseChanged(tool, args, options), about)
        .then(() => context.connectionOf(tool.server))
        .then((connection) => connection.request('tools/call', params, requestOptions))
    },
    runInLine: ({ tool, options, deadline }, run) =>
      context.lines.run({ tool, conversation, lane, deadline }, options, run),
    render: createRender(calling.render),
    limits: { maxModelBytes, ...(maxResultBytes !== undefined && { maxResultBytes }) },
    spill: context.spill,
    // A getter: a secret may become known at any time.
    get mask() {
      return context.redactor.isEmpty ? undefined : mask
    },
    clock,
    ...(approve && { approve }),
  }
  return {
    explain(tool, seen, { asks = context.asks } = {}) {
      return explainCall(tool, seen, asks === 'writes' ? { ...policy, asksWrites: defaultOf() } : policy)
    },
    call(name, args, options = {}, waitedMs = 0) {
      const request = args === undefined ? { name, options, waitedMs } : { name, args, options, waitedMs }
      const listener = context.callListener()
      const tool = listener && find(name)
      if (!listener || !tool) return callTool(request, deps)
      const reported = { ref: tool.ref, conversation, options, clock }
      return reportCall(listener, reported, (withProgress) =>
        callTool({ ...request, options: withProgress }, deps),
      )
    },
  }
}

/** Restores names and values as the server declared them: a model saw the schema without hidden characters (T17). */
function toDeclaredArgs(tool: Tool, args: JsonObject): JsonObject {
  const declared = tool instanceof OfferedTool ? tool.definition.inputSchema : tool.inputSchema
  return declared === tool.inputSchema ? args : restoreHidden(args, declared)
}

/** Identifies the entry of a server: a changed entry voids its approvals, switching it off and on does not. */
function entryOf(server: Server | undefined): string {
  if (!server) return ''
  const entries = server.declared.map(withoutSwitch)
  return `${declaredPlace(server)}#${hashOf(entries.length === 1 ? entries[0] : entries)}`
}
