import { raceAbort } from '../model/abort.ts'
import { hashOf } from '../model/canonical.ts'
import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import { isGrant, toApproval } from '../policy/approvals.ts'
import { hintToAllow } from '../policy/ask-writes.ts'
import { questionOf } from '../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/call-rules.ts'
import type { CallDeps } from './call.ts'
import { isOwnTool, toCallable } from './view/own-tools.ts'
import type { ViewContext } from './view/view-context.ts'
import type { Approve, CallOptions } from './view/view.ts'

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
  ) => Promise<'approved' | 'refused' | 'changed'>
}

/** Returns if the call may run, and throws if not. */
export async function ensurePermitted(
  request: ApprovalRequest,
  deps: PermissionDeps,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { tool, decision } = request
  if (decision.effect === 'deny') throw denied(tool, decision.reason, decision.reason)
  if (decision.effect === 'ask') {
    if (!deps.approve) {
      throw denied(
        tool,
        decision.reason,
        `It needs a person's approval, and there is no way to ask for it. ${decision.reason}`,
        decision.allowedBy && { hint: hintToAllow(decision.allowedBy) },
      )
    }
    const answer = await raceAbort(deps.approve(request, { signal }), signal, () => cancelled(tool))
    if (answer === 'changed') throw changedSinceApproval(tool)
    if (answer !== 'approved') throw denied(tool, 'a person said no', 'A person said no.')
  }
  if (signal?.aborted) throw cancelled(tool)
}

/** How the approver looks up tools and decides, within one view. */
interface ApproverOptions {
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly policy: CallPolicy
  readonly decide: (tool: Callable, args: Json) => Decision
}

type WaitLimits = Pick<CallOptions, 'signal' | 'timeoutMs'>

interface Approver extends Pick<CallDeps, 'approve'> {
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

  const askPerson: Approve = async (...question) => (await approve?.(...question)) ?? 'no'
  const approveCall: NonNullable<CallDeps['approve']> = async ({ tool, args, decision }, options) => {
    const { reason } = decision
    // Computed before the person is asked: the tool and its entry may change until the answer arrives.
    const question = questionOf(toCallable(tool), decision, policy)
    const { ref, definition, entry, asks } = question
    const boundTo = hashOf({ ref, definition, entry, asks })
    const shown = { tool, args, reason, boundTo, ...(conversation !== undefined && { conversation }) }
    const grant = await askPerson(shown, options).catch((error: unknown) => {
      throw options.signal?.aborted ? cancelled(tool) : approvalFailed(tool, decision, error)
    })
    if (!isGrant(grant)) return 'refused'
    await refreshDefinition(tool, options)
    const current = findCurrent(tool)
    const isSame = current?.hash === tool.hash && policy.entryOf?.(toCallable(current)) === question.entry
    if (!isSame || decide(toCallable(current), args).effect === 'deny') return 'changed'
    const approval = toApproval(grant, question, new Date(clock.now()).toISOString())
    // An approval that cannot be stored still holds for this call.
    if (approval) await memory.approvals.add(approval).catch(() => undefined)
    return 'approved'
  }
  return {
    ...(approve && { approve: approveCall }),
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
