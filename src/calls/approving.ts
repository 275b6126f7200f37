import type { CallDeps } from './call.ts'
import { cancelled, changed, unasked, untold, withdrawn } from './permission.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import { isGrant, toApproval } from '../policy/approvals.ts'
import { questionOf } from '../policy/call-rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/call-rules.ts'
import type { ViewContext } from './view/view-context.ts'
import type { Approve, CallOptions } from './view/view.ts'
import { isOwn, toCallable } from './view/own-tools.ts'

interface Scope {
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
      if (!isApproved && !policy.guard?.judges(toCallable(tool))) return
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
