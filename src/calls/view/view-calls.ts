import { OfferedTool } from '../../catalog/offered-tool.ts'
import { restoreHidden } from '../../catalog/restore-hidden.ts'
import { callTool } from '../call.ts'
import type { CallDeps, CallRequest } from '../call.ts'
import { auditCall } from '../audit-call.ts'
import { isShortAnswer } from '../short-answer.ts'
import { isTraced, traceCall } from '../trace-call.ts'
import { toTraceMeta } from '../trace-context.ts'
import { defaultResultLimits } from '../limit.ts'
import { createRender } from '../render/render.ts'
import { checkArguments } from '../validate.ts'
import { requestOver } from '../request-over.ts'
import type { Connection } from '../../connections/connection.ts'
import { hashOf } from '../../model/canonical.ts'
import { isPublishedFile } from '../../model/gateway/gateway-version.ts'
import { declaredPlace } from '../../model/server.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { withoutSwitch } from '../../model/switches.ts'
import { fromRef, needsTask } from '../../model/tool.ts'
import type { Tool } from '../../model/tool.ts'
import type { VisibilityDecision } from '../../policy/layers.ts'
import { askWritesOf } from '../../policy/ask-writes.ts'
import type { AskWrites } from '../../policy/ask-writes.ts'
import { decideCall } from '../../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../../policy/call-rules.ts'
import { isArmed, noteResult, riskOf } from '../../policy/trifecta.ts'
import { refuseHeld } from '../held-tool.ts'
import { judgeAnswer } from '../judge-answer.ts'
import { createApprover } from '../permission.ts'
import { decideSkill } from '../skills/decide-skill.ts'
import { SkillCall } from '../skills/skill-call.ts'
import type { ViewSkills } from '../skills/view-skills.ts'
import type { ToolLabel } from '../../model/tool-label.ts'
import { reportCall, withCleanProgress } from '../call-events.ts'
import type { TaskState } from '../../connections/send-with-retries.ts'
import type { TextScan, ViewContext } from './view-context.ts'
import { isBlock } from '../../model/result.ts'
import type { CallResult } from '../../model/result.ts'
import type { CallOptions, ToolOptions } from './view.ts'
import { isOwnTool } from './own-tools.ts'
import type { OwnTool } from './own-tools.ts'
import type { Visibility } from './visibility.ts'
import { explainCall } from './explain-tool.ts'
import { beforeSending } from './wait-for-servers.ts'
import type { CallExplanation } from './explain-tool.ts'

const ignoreProgress = () => undefined

/** The text of a skill was written by others, and instructs the model (T15). */
const skillLabels: readonly ToolLabel[] = ['untrusted-in']

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
  readonly agent: string | undefined
  /** Its calls take turns with those of other lanes, where a server has more than it takes at once. */
  readonly lane: unknown
  /** The flow that its calls belong to; by default that of the lane. */
  readonly flow?: string
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly tools: CallDeps['tools']
  readonly whyMissing: (nameOrRef: string) => string | undefined
  readonly own: ReadonlyMap<string, OwnTool>
  /** These are the calls of an app: every result is kept as it came, and the audit trail says so. */
  readonly isApp?: boolean
  readonly skills: Pick<ViewSkills, 'isLoaded' | 'load'>
}

/** Calls of the tools that are visible in a scope. */
export function createCalls(context: ViewContext, scope: CallScope): Calls {
  const { visibility, conversation, agent, lane, find, tools, whyMissing, own, skills, isApp = false } = scope
  const { calling, clock } = context
  const { maxResultBytes, maxModelBytes = defaultResultLimits.maxModelBytes } = calling
  let asking: { readonly layers: Visibility['layers']; readonly writes: AskWrites } | undefined
  const defaultOf = () => {
    const { layers } = visibility()
    if (asking?.layers !== layers) asking = { layers, writes: askWritesOf(layers, context.settingsFile) }
    return asking.writes
  }
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
    riskOf: ({ ref }) =>
      riskOfTool(ref === undefined ? undefined : (context.catalog.byRef(ref) ?? find(ref))),
  }
  const riskOfTool = (tool: Tool | undefined) =>
    flows && flow && tool && isArmed(flow)
      ? riskOf(flow, tool.ref, flows.labelsOf(tool), flows.mode)
      : undefined
  /** Beside the request, not after it: a call without labels has nothing to wait for. */
  const noted = (tool: Tool, sent: Promise<Json>) => {
    if (!flows || !flow || isArmed(flow)) return sent
    const labels = tool instanceof SkillCall ? skillLabels : flows.labelsOf(tool)
    const note = () => noteResult(flow, tool.ref, labels)
    if (labels.length > 0) sent.then(note, note)
    return sent
  }
  const { flows } = context
  const flow = flows?.of(scope.flow ?? lane)
  const decide = (tool: Callable, args: Json) => {
    if (!(tool instanceof SkillCall)) return decideCall(tool, args, policy)
    const { settingsFile } = context
    return decideSkill(tool, args, policy, { isLoaded: skills.isLoaded(tool), settingsFile })
  }
  const { approve, approveBy, decideNow, refuseChanged } = createApprover(context, { find, policy, decide })
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
      if (tool instanceof SkillCall) return noted(tool, skills.load(tool, args, { ...options, deadline }))
      // Progress is always requested, because it extends the timeout of a long call.
      const {
        signal,
        timeoutMs,
        maxTimeoutMs,
        onProgress = ignoreProgress,
      } = withCleanProgress(options, mask)
      const asTask = tool instanceof OfferedTool && needsTask(tool.definition)
      const { forward: onBehalf } = options
      let sent: Promise<Json> | undefined
      const begun = { tool, args, conversation, agent, onTask: options.onTask }
      const result = () => sent ?? Promise.reject(new Error('The call was not sent.'))
      const { beginTask } = context
      const watchTask = beginTask && ((state: TaskState) => beginTask(state, { ...begun, result }))
      // Spelled out: a spread that more fields follow makes another hidden class for each call, which costs more than sending it.
      const requestOptions = {
        signal,
        timeoutMs,
        maxTimeoutMs,
        deadline,
        onProgress,
        isRepeatable,
        asTask,
        lane: onBehalf?.lane ?? lane,
        onBehalf,
        watchTask,
      }
      const trace = options.traceparent === undefined ? undefined : toTraceMeta(options)
      const called = { ...onBehalf?.params, name: tool.tool, arguments: toDeclaredArgs(tool, args) }
      const params = trace ? { ...called, _meta: { ...metaOf(onBehalf?.params), ...trace } } : called
      const { held } = context
      const isListed =
        context.hasListed(tool.server) && (held ? held.isCurrent(tool) : !context.isOutdated(tool.server))
      const own = onBehalf?.connection
      const current = isListed && !own && context.connectionOf(tool.server)
      if (current && !(current instanceof Promise))
        return noted(tool, (sent = current.request('tools/call', params, requestOptions, now)))
      const sendLate = (connection: Connection) =>
        (sent = connection.request('tools/call', params, requestOptions))
      if (isListed && own) return noted(tool, requestOver(context, tool.server, own, sendLate))
      const about = {
        method: 'tools/call',
        server: tool.server,
        signal,
        timeoutMs,
        maxTimeoutMs,
        deadline,
        clock,
      }
      const checked = refuseHeld(tool, context, options).then(() => refuseChanged(tool, args, options))
      return beforeSending(checked, about).then(() =>
        noted(tool, requestOver(context, tool.server, own, sendLate)),
      )
    },
    judgeAnswer: (tool, options) => judgeAnswer(tool, context, options),
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
    // The app of the tool may be shown later, also by another program.
    keepsRaw: ({ app }) => isApp || app !== undefined,
    approveBy,
  }
  const callPlainly = (name: string, args: Json | undefined, options: CallOptions, waitedMs: number) => {
    const request = args === undefined ? { name, options, waitedMs } : { name, args, options, waitedMs }
    const listener = context.callListener()
    const isAtRisk = flow !== undefined && isArmed(flow)
    const tool = listener || context.audit || isAtRisk ? find(name) : undefined
    const scan = context.loadTextScan
    const by =
      isApp && options.app !== undefined ? { surface: 'app', app: options.app } : options.forward?.caller
    const { admit, rounds } = options.forward ?? {}
    const callAdmitted = (admitted: CallRequest) =>
      admit ? admit().then(() => callTool(admitted, deps)) : callTool(admitted, deps)
    const run = (more: Partial<CallRequest>) => {
      const running = callAdmitted({ ...request, ...more })
      return scan ? markResult(running, scan) : running
    }
    const audited = (more: Partial<CallRequest>) =>
      context.audit
        ? auditCall(
            context.audit,
            { name, tool, args, conversation, agent, clock, by, rounds },
            (onDecided) => run({ ...more, onDecided }),
          )
        : run(more)
    const found = isAtRisk ? riskOfTool(tool) : undefined
    const risk = found?.mode === 'warn' ? found : undefined
    const plain = () => (context.audit || scan ? audited({}) : callAdmitted(request))
    const called =
      listener && tool
        ? reportCall(listener, { ref: tool.ref, conversation, options, clock, risk }, (withProgress) =>
            audited({ options: withProgress }),
          )
        : plain()
    return risk ? called.then((result) => ({ ...result, risk: risk.reason })) : called
  }
  return {
    explain(tool, seen, { asks = context.asks } = {}) {
      return explainCall(tool, seen, asks === 'writes' ? { ...policy, asksWrites: defaultOf() } : policy)
    },
    call(name, args, options = {}, waitedMs = 0) {
      if (!isTraced()) return callPlainly(name, args, options, waitedMs)
      return traceCall({ name, tool: find(name), conversation, agent, options }, (trace) =>
        callPlainly(name, args, { ...options, ...trace }, waitedMs),
      )
    },
  }
}

/** Scans a result (T16). The scanner is loaded with the first one that is more than a short answer. */
async function markResult(called: Promise<CallResult>, load: () => Promise<TextScan>): Promise<CallResult> {
  const result = await called
  if (isShortResult(result)) return result
  // The host's own tools have no server. `read_resource` passes on what a server wrote.
  const { server, tool: name } = fromRef(result.ref) ?? { server: '', tool: result.ref.slice(1) }
  const findings = (await load()).result(result, { server, name })
  return findings.length === 0 ? result : { ...result, findings }
}

/** All of it is one text that is not worth a scan. */
function isShortResult({ blocks, structured, rpcError }: CallResult): boolean {
  if (structured !== undefined || rpcError || blocks.length > 1) return false
  const [block] = blocks
  return !block || (isBlock(block, 'text') && Object.keys(block).length === 2 && isShortAnswer(block.text))
}

function metaOf(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta']
  return isObject(meta) ? meta : {}
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
  // Gateways of a team serve one configuration, and keep it at places of their own.
  const place = isPublishedFile(server.origin.file) ? 'published' : declaredPlace(server)
  return `${place}#${hashOf(entries.length === 1 ? entries[0] : entries)}`
}
