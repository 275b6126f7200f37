import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { askWritesOf } from '../../policy/ask-writes.ts'
import { decideCall } from '../../policy/call-rules.ts'
import type { CallPolicy, Decision } from '../../policy/call-rules.ts'
import type { SkillCall } from './skill-call.ts'

const loaded: Decision = {
  effect: 'allow',
  by: 'default',
  reason: 'Its skill was loaded here, with exactly this content.',
}

const notLoaded: Decision = {
  effect: 'deny',
  by: 'default',
  reason: 'Its skill is not loaded in this conversation: load it first, without "file".',
}

/** What an approval of a dynamic skill covers: one load. */
const dynamicCondition = 'dynamic'

/**
 * Loading asks, unless a rule of the person allows it or an approval covers exactly this content. A dynamic skill asks each
 * time: its content is not known before, so nothing can be bound to it.
 */
export function decideSkill(
  call: SkillCall,
  args: Json,
  policy: CallPolicy,
  { isLoaded, settingsFile }: { readonly isLoaded: boolean; readonly settingsFile: string | undefined },
): Decision {
  // The files of a skill belong to its load: a person who agreed to that has agreed to them.
  if (isObject(args) && args['file'] !== undefined) return isLoaded ? loaded : notLoaded
  const { rules, approvals, conversation, entryOf } = policy
  const decision = decideCall(call, args, {
    rules,
    asksWrites: askWritesOf([], settingsFile),
    conversation,
    ...(approvals && !call.isDynamic && { approvals }),
    ...(entryOf && { entryOf }),
  })
  if (decision.effect === 'deny') return decision
  if (call.isDynamic) {
    const asks = [...(decision.asks ?? []), dynamicCondition]
    return { effect: 'ask', by: 'default', reason: reasonOf(call, policy), asks }
  }
  return decision.effect === 'ask' && decision.by === 'default'
    ? { ...decision, reason: reasonOf(call, policy) }
    : decision
}

function reasonOf({ skill, ref, hash, isDynamic }: SkillCall, { approvals = [] }: CallPolicy): string {
  const { name, server, files, bytes } = skill
  const what = `The skill "${name}" of "${server}" is about to be loaded: its text instructs the model.`
  if (isDynamic || files === 'dynamic')
    return `${what} Its server does not say which files it has, so each load is asked.`
  const size = `It has ${files.length} ${files.length === 1 ? 'file' : 'files'}, ${bytes} bytes.`
  const earlier = approvals.findLast((approval) => approval.ref === ref && approval.definition !== hash)
  const change = earlier ? ` It has changed since it was approved on ${earlier.at.slice(0, 10)}.` : ''
  return `${what} ${size}${change}`
}
