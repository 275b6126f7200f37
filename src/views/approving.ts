import type { CallDeps, CallOptions } from '../execution/call.ts'
import { cancelled, changed, unasked, untold } from '../execution/permit.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import { isGrant, toApproval } from '../policy/approvals.ts'
import { questionOf } from '../policy/rules.ts'
import type { Callable, CallPolicy, Decision } from '../policy/rules.ts'
import type { ViewContext } from './context.ts'
import type { Approve } from './options.ts'
import { isOwn, toCallable } from './own-tools.ts'

interface Scope {
  readonly find: (nameOrRef: string) => Tool | undefined
  readonly policy: CallPolicy
  readonly decide: (tool: Callable, args: Json) => Decision
}

type Waiting = Pick<CallOptions, 'signal' | 'timeoutMs'>

interface Approving extends Pick<CallDeps, 'approve'> {
  /** Throws unless what a person said yes to some other day is what would run now. */
  readonly refuseChanged: (tool: Tool, args: JsonObject, options: Waiting) => Promise<void>
}

/** A person's yes is to what they were shown: it does not count for what has taken its place since. */
export function createApproving(context: ViewContext, scope: Scope): Approving {
  const { catalog, memory, clock, approve } = context
  const { find, policy, decide } = scope
  const { conversation } = policy
  const present = (tool: Tool) => find(isOwn(tool) ? tool.name : tool.ref)
  const isUp = ({ server }: Tool) => context.statusOf(server)?.state === 'ready'
  /** What is known of a server that is not up is what it said some other day. */
  const learnAnew = async (tool: Tool, options: Waiting): Promise<void> => {
    if (isOwn(tool) || isUp(tool)) return
    const before = catalog.snapshotOf(tool.server)
    await context.learn(tool.server, options)
    if (isUp(tool) && catalog.snapshotOf(tool.server) === before) throw untold(tool)
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
    async refuseChanged(tool, args, options) {
      if (isUp(tool) || decide(toCallable(tool), args).by !== 'approval') return
      await learnAnew(tool, options)
      const now = present(tool)
      if (!now || decide(toCallable(now), args).effect !== 'allow') throw changed(tool)
    },
  }
}
