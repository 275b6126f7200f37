import { raceAbort } from '../model/abort.ts'
import { hashOf } from '../model/canonical.ts'
import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import { isGrant, toApproval } from '../policy/approvals.ts'
import { hintToAllow } from '../policy/ask-writes.ts'
import { findAskingRule, questionOf } from '../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/call-rules.ts'
import type { CallDeps } from './call.ts'
import { SkillCall } from './skills/skill-call.ts'
import { isOwnTool, toCallable } from './view/own-tools.ts'
import type { ViewContext } from './view/view-context.ts'
import type { CallOptions, ForwardApprove } from './view/view.ts'

/** A call, and the decision on it. */
interface ApprovalRequest {
  readonly tool: Tool
  readonly args: JsonObject
  readonly decision: Decision
}

export interface PermissionDeps {
  /**
   * Asks a person, and stores the approval for as long as it was granted. Returns `changed` if the tool changed while the
   * person decided. Without it, calls that need an approval are denied.
   */
  readonly approve?: (
    request: ApprovalRequest,
    options: { readonly signal: AbortSignal | undefined },
  ) => Promise<ApprovalAnswer>
  /** The same for one call, by asking the client that it is passed on for. */
  readonly approveBy?: (ask: ForwardApprove) => NonNullable<PermissionDeps['approve']>
}

/** `asked`: the answer comes with another call. */
type ApprovalAnswer = 'approved' | 'refused' | 'changed' | 'asked' | EditedArguments

/** A person has allowed a call. */
export interface Permission {
  /** What they put in place of its arguments. */
  readonly args?: JsonObject
  readonly waitedMs: number
}

/** The person allowed the call with these arguments in place of those that it asked for. */
interface EditedArguments {
  readonly args: JsonObject
}

/** Returns if the call may run, with what a person decided if one was asked; throws if it may not. */
export async function ensurePermitted(
  request: ApprovalRequest,
  deps: PermissionDeps & Pick<CallDeps, 'clock'>,
  { signal, forward }: Pick<CallOptions, 'signal' | 'forward'>,
): Promise<Permission | undefined> {
  const approve = forward?.approve ? deps.approveBy?.(forward.approve) : deps.approve
  let permission: Permission | undefined
  const { tool, decision } = request
  if (decision.effect === 'deny') throw denied(tool, decision.reason, decision.reason)
  if (decision.effect === 'ask') {
    if (!approve) {
      throw denied(
        tool,
        decision.reason,
        `It needs a person's approval, and there is no way to ask for it. ${decision.reason}`,
        decision.allowedBy && { hint: hintToAllow(decision.allowedBy) },
      )
    }
    const askedAt = deps.clock.monotonic()
    const answer = await raceAbort(approve(request, { signal }), signal, () => cancelled(tool))
    if (answer === 'asked') throw cancelled(tool)
    if (answer === 'changed') throw changedSinceApproval(tool)
    if (answer === 'refused') throw denied(tool, 'a person said no', 'A person said no.')
    const waitedMs = deps.clock.monotonic() - askedAt
    permission = answer === 'approved' ? { waitedMs } : { args: answer.args, waitedMs }
  }
  if (signal?.aborted) throw cancelled(tool)
  return permission
}

/** How the approver looks up tools and decides, within one view. */
interface ApproverOptions {
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly policy: CallPolicy
  readonly decide: (tool: Callable, args: Json) => Decision
}

type WaitLimits = Pick<CallOptions, 'signal' | 'timeoutMs'>

interface Approver extends Pick<CallDeps, 'approve'>, Required<Pick<CallDeps, 'approveBy'>> {
  /** Decides on a call; reloads stored approvals first if one applies or is missing: another program may have changed that. */
  readonly decideNow: CallDeps['decide']
  /** Throws if the tool has changed since an approval or what it declared let it pass. */
  readonly refuseChanged: (tool: Tool, args: JsonObject, options: WaitLimits) => Promise<void>
}

const noLongerVisible: Decision = { effect: 'deny', by: 'default', reason: 'It is no longer visible here.' }

/** An approval holds for the definition that the person saw, not for one that has replaced it since. */
export function createApprover(context: ViewContext, { find, policy, decide }: ApproverOptions): Approver {
  const { catalog, memory, clock, approve, reloadMemory } = context
  const { conversation } = policy
  const findCurrent = (tool: Tool) => find(isOwnTool(tool) ? tool.name : tool.ref)
  const isConnected = ({ server }: Tool) => context.statusOf(server)?.state === 'ready'
  /** Lists the tools of the server, unless it has listed them since it connected: a cached definition may be outdated. */
  const refreshDefinition = async (tool: Tool, options: WaitLimits): Promise<void> => {
    if (isOwnTool(tool) || context.hasListed(tool.server)) return
    await context.listServer(tool.server, options)
    if (options.signal?.aborted) throw cancelled(tool)
    if (isConnected(tool) && !context.hasListed(tool.server)) throw definitionUnknown(tool)
  }
  const decideAfter = async (
    reload: () => Promise<void>,
    tool: Tool,
    args: JsonObject,
  ): Promise<Decision> => {
    await reload()
    const current = findCurrent(tool)
    return current ? decide(toCallable(current), args) : noLongerVisible
  }

  const approveBy: Approver['approveBy'] = (ask) => async (request, options) => {
    const { tool, args, decision } = request
    const { reason } = decision
    // Computed before the person is asked: the tool and its entry may change until the answer arrives.
    const question = questionOf(toCallable(tool), decision, policy)
    const { ref, definition, entry, asks } = question
    const boundTo = hashOf({ ref, definition, entry, asks })
    const rule = findAskingRule(toCallable(tool), args, policy.rules)
    const shown = {
      tool,
      args,
      reason,
      boundTo,
      ...(conversation !== undefined && { conversation }),
      ...(rule && { rule }),
    }
    // It may throw at once, or return nothing.
    const askPerson = async () => (await ask(shown, options)) ?? 'no'
    const answer = await askPerson().catch((error: unknown) => {
      throw options.signal?.aborted ? cancelled(tool) : approvalFailed(tool, decision, error)
    })
    if (answer === 'asked') return answer
    const { grant, edited } = readAnswer(answer)
    if (!isGrant(grant)) return 'refused'
    await refreshDefinition(tool, options)
    const current = findCurrent(tool)
    const isSame = current?.hash === tool.hash && policy.entryOf?.(toCallable(current)) === question.entry
    if (!isSame) return 'changed'
    const { effect, reason: why } = decide(toCallable(current), edited ?? args)
    if (effect === 'deny' && edited) throw denied(tool, why, why)
    if (effect === 'deny') return 'changed'
    const isVolatile = tool instanceof SkillCall && tool.isDynamic
    // What is approved of a dynamic skill is unknown after this load, so it is not remembered.
    const approval = isVolatile ? undefined : toApproval(grant, question, new Date(clock.now()).toISOString())
    // An approval that cannot be stored still holds for this call.
    if (approval) await memory.approvals.add(approval).catch(() => undefined)
    return edited ? { args: edited } : 'approved'
  }
  return {
    ...(approve && { approve: approveBy(approve) }),
    approveBy,
    decideNow(tool, args) {
      const decision = decide(toCallable(tool), args)
      const isRemembered = decision.by === 'approval' || decision.effect === 'ask'
      return isRemembered && reloadMemory ? decideAfter(reloadMemory, tool, args) : decision
    },
    async refuseChanged(tool, args, options) {
      const before = decide(toCallable(tool), args)
      const isApproved = before.by === 'approval'
      const isByDeclaration = policy.asksWrites !== undefined || policy.guard?.appliesTo(toCallable(tool))
      if (!isApproved && !isByDeclaration) return
      await refreshDefinition(tool, options)
      if (isApproved) await reloadMemory?.()
      const current = findCurrent(tool)
      const after = current && decide(toCallable(current), args).effect
      // A grant for once is not stored, so the decision is still `ask`: it holds if the definition is the same.
      const isSame = after === 'ask' && before.effect === 'ask' && current?.hash === tool.hash
      if (after === 'allow' || isSame) return
      const known = catalog.byRef(tool.ref)
      throw isApproved
        ? changedSinceApproval(tool)
        : changedSinceListing(tool, known && policy.guard?.refusal(known))
    },
  }
}

/** Only a whole answer counts: a grant beside something that is no arguments is a refusal. */
function readAnswer(answer: unknown): { readonly grant?: unknown; readonly edited?: JsonObject } {
  if (typeof answer !== 'object' || answer === null) return { grant: answer }
  const { grant, args } = answer as Readonly<Record<'grant' | 'args', unknown>> // checked below
  return isObject(args) ? { grant, edited: args } : {}
}

/** A retry prompts for the current definition: it may have changed since the last approval. */
function changedSinceApproval(tool: Tool): HostError {
  const reason = 'it changed since a person approved it'
  return denied(tool, reason, 'It has changed since a person approved it: review it again.')
}

/** The tool passed by its earlier annotations, which do not hold any more. */
function changedSinceListing(tool: Tool, reason = 'It has changed since it was listed.'): HostError {
  return denied(tool, reason, reason)
}

/** Unknown tools never reuse a remembered approval or rule. */
function definitionUnknown(tool: Tool): HostError {
  const reason = 'its server did not list its tools'
  return denied(tool, reason, `It was allowed with an earlier definition, and ${reason} again.`)
}

/** The embedder's `approve` threw, so there is no approval. */
function approvalFailed(tool: Tool, { reason }: Decision, cause: unknown): HostError {
  const why = `It needs a person's approval, and asking for it failed. ${reason}`
  return denied(tool, 'a person could not be asked', why, { cause })
}

function denied(
  tool: Tool,
  reason: string,
  why: string,
  options?: ErrorOptions & { readonly hint?: string },
): HostError {
  const message = `"${tool.name}" was not called. ${why}`
  return new HostError('call.denied', { ref: tool.ref, reason }, message, options)
}

function cancelled({ server }: Tool): HostError {
  const data = { server, method: 'tools/call', sent: false }
  return new HostError('call.cancelled', data, `"${server}": Cancelled before it was sent.`)
}
