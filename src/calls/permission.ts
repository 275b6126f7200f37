import { raceAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import { isGrant, toApproval } from '../policy/approvals.ts'
import { questionOf } from '../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/call-rules.ts'
import type { CallDeps } from './call.ts'
import { isOwn, toCallable } from './view/own-tools.ts'
import type { ViewContext } from './view/view-context.ts'
import type { Approve, CallOptions } from './view/view.ts'

/** A call that a person is asked about. */
interface ApprovalRequest {
  readonly tool: Tool
  readonly args: JsonObject
  readonly decision: Decision
}

export interface Permitting {
  /**
   * Asks a person, and remembers a yes for as long as it was meant; `changed` when it was to something that is not there
   * any more. Without it, what must be asked is denied.
   */
  readonly approve?: (
    request: ApprovalRequest,
    options: { readonly signal: AbortSignal | undefined },
  ) => Promise<'approved' | 'refused' | 'changed'>
}

/** Comes back if the call may run, and throws if not. */
export async function permit(
  request: ApprovalRequest,
  deps: Permitting,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { tool, decision } = request
  if (decision.effect === 'deny') throw denied(tool, decision.reason, decision.reason)
  if (decision.effect === 'ask') {
    if (!deps.approve) {
      throw denied(
        tool,
        decision.reason,
        `It needs a person's yes, and nobody can be asked. ${decision.reason}`,
      )
    }
    const answer = await raceAbort(deps.approve(request, { signal }), signal, () => cancelled(tool))
    if (answer === 'changed') throw changed(tool)
    if (answer !== 'approved') throw denied(tool, 'a person said no', 'A person said no.')
  }
  if (signal?.aborted) throw cancelled(tool)
}

export interface Scope {
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly policy: CallPolicy
  readonly decide: (tool: Callable, args: Json) => Decision
}

type Waiting = Pick<CallOptions, 'signal' | 'timeoutMs'>

interface Approving extends Pick<CallDeps, 'approve'> {
  /** What is decided of a call that begins: a yes that was taken back in another program does not count. */
  readonly decideNow: CallDeps['decide']
  /** Throws unless what a person said yes to, or a guard let through, some other day is what would run now. */
  readonly refuseChanged: (tool: Tool, args: JsonObject, options: Waiting) => Promise<void>
}

const unseen: Decision = { effect: 'deny', by: 'default', reason: 'It is not seen here any more.' }

/** A person's yes is to what they were shown: it does not count for what has taken its place since. */
export function createApproving(context: ViewContext, scope: Scope): Approving {
  const { catalog, memory, clock, approve, recall } = context
  const { find, policy, decide } = scope
  const { conversation } = policy
  const present = (tool: Tool) => find(isOwn(tool) ? tool.name : tool.ref)
  const isUp = ({ server }: Tool) => context.statusOf(server)?.state === 'ready'
  /** What is known of a server that has told nothing yet is what it said some other day. */
  const learnAnew = async (tool: Tool, options: Waiting): Promise<void> => {
    if (isOwn(tool) || context.isTold(tool.server)) return
    await context.learn(tool.server, options)
    if (options.signal?.aborted) throw cancelled(tool)
    if (isUp(tool) && !context.isTold(tool.server)) throw untold(tool)
  }
  const recalled = async (tool: Tool, args: JsonObject, recall: () => Promise<void>): Promise<Decision> => {
    await recall()
    const now = present(tool)
    return now ? decide(toCallable(now), args) : unseen
  }

  const asking: Approve = async (...question) => (await approve?.(...question)) ?? 'no'
  const approving: NonNullable<CallDeps['approve']> = async ({ tool, args, decision }, options) => {
    const { reason } = decision
    const question = { tool, args, reason, ...(conversation !== undefined && { conversation }) }
    // Fixed before anybody is asked: all of it may be another by the time of the answer.
    const callable = toCallable(tool)
    const asked = questionOf(callable, decision, policy)
    const grant = await asking(question, options).catch((error: unknown) => {
      throw options.signal?.aborted ? cancelled(tool) : unasked(tool, decision, error)
    })
    if (!isGrant(grant)) return 'refused'
    await learnAnew(tool, options)
    const now = present(tool)
    const isStill = now?.hash === tool.hash && policy.entryOf?.(toCallable(now)) === asked.entry
    if (!isStill || decide(toCallable(now), args).effect === 'deny') return 'changed'
    const approval = toApproval(grant, asked, new Date(clock.now()).toISOString())
    // One that cannot be kept still counts here and now.
    if (approval) await memory.approvals.add(approval).catch(() => undefined)
    return 'approved'
  }
  return {
    ...(approve && { approve: approving }),
    decideNow(tool, args) {
      const decision = decide(toCallable(tool), args)
      return decision.by === 'approval' && recall ? recalled(tool, args, recall) : decision
    },
    async refuseChanged(tool, args, options) {
      const before = decide(toCallable(tool), args)
      const isApproved = before.by === 'approval'
      if (!isApproved && !policy.guard?.appliesTo(toCallable(tool))) return
      await learnAnew(tool, options)
      if (isApproved) await recall?.()
      const now = present(tool)
      const after = now && decide(toCallable(now), args).effect
      // A yes for once is remembered nowhere: it was to this very definition.
      const isStill = after === 'ask' && before.effect === 'ask' && now?.hash === tool.hash
      if (after === 'allow' || isStill) return
      const known = catalog.byRef(tool.ref)
      throw isApproved ? changed(tool) : withdrawn(tool, known && policy.guard?.refusal(known))
    },
  }
}

/** Who asks again is asked about what is there now. */
function changed(tool: Tool): HostError {
  const reason = 'it changed since a person said yes'
  return denied(
    tool,
    reason,
    'A person said yes to it as it was, and it has changed since: look at it again.',
  )
}

/** What it says of itself is what let it through, and it says something else now. */
function withdrawn(tool: Tool, reason = 'It has changed since it was listed.'): HostError {
  return denied(tool, reason, reason)
}

/** Neither an old yes nor an old word counts for what nobody knows. */
function untold(tool: Tool): HostError {
  const reason = 'its server does not tell what it is now'
  return denied(tool, reason, `It was allowed as it was, and ${reason}.`)
}

/** Whoever should have asked threw: nobody said yes. */
function unasked(tool: Tool, { reason }: Decision, cause: unknown): HostError {
  const why = `It needs a person's yes, and asking for it failed. ${reason}`
  return denied(tool, 'a person could not be asked', why, { cause })
}

function denied(tool: Tool, reason: string, why: string, options?: ErrorOptions): HostError {
  const message = `"${tool.name}" was not called. ${why}`
  return new HostError('call.denied', { ref: tool.ref, reason }, message, options)
}

function cancelled({ server }: Tool): HostError {
  const data = { server, method: 'tools/call', sent: false }
  return new HostError('call.cancelled', data, `"${server}": Cancelled before it was sent.`)
}
