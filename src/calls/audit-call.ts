import { shapeOf } from '../audit/argument-shape.ts'
import type { AuditCall, AuditCaller, AuditDecision } from '../audit/audit-row.ts'
import { HostError, isHostError } from '../model/error.ts'
import type { Json } from '../model/json.ts'
import { bytesOfResult } from '../model/result.ts'
import type { CallResult } from '../model/result.ts'
import { fromRef, toRef } from '../model/tool.ts'
import type { Tool } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import type { Decision } from '../policy/call-rules.ts'
import type { JudgedAnswer } from './call.ts'

/** A call of a host, as far as its arguments and its host do not matter. */
type HostCall = Omit<AuditCall, 'by' | 'args'> & { readonly by?: Partial<AuditCaller> }

/**
 * Records a call of a host. It gets the arguments too, and keeps them only if the person asked for that. A promise is waited for
 * before the answer is given.
 */
export type CallAudit = (call: HostCall, args: Json) => void | Promise<void>

/** A call of several requests: one asks the client, and another one brings the answer. The trail has one row of them. */
export interface ApprovalRounds {
  /** The question that this request asked, or answered. */
  question(): string | undefined
  /** Takes the row of a request that asked, to be recorded if no answer comes; `false` if this one asked nothing. */
  hold(record: () => void): boolean
}

interface AuditedCall {
  readonly name: string
  /** Absent if there is no such tool here. */
  readonly tool: Tool | undefined
  readonly args: Json | undefined
  readonly conversation: string | undefined
  readonly agent: string | undefined
  readonly clock: Pick<Clock, 'monotonic'>
  /** Of a call that is passed on: the caller behind this host. */
  readonly by?: Partial<AuditCaller> | undefined
  readonly rounds?: ApprovalRounds | undefined
}

/** Runs a call and records it when it has ended, however it ended. */
export async function auditCall(
  record: CallAudit,
  { name, tool, args, conversation, agent, clock, by, rounds }: AuditedCall,
  run: (onDecided: (decision: Decision | JudgedAnswer) => void) => Promise<CallResult>,
): Promise<CallResult> {
  const startedAt = clock.monotonic()
  let decision: Decision | undefined
  let judged: AuditDecision['judged']
  // Fields are assigned one by one: spreads of parts that are absent cost more than the rest of the record.
  const end = (
    how: Pick<AuditCall, 'outcome' | 'error' | 'resultBytes'>,
    about: AboutCall,
    result?: CallResult,
  ) => {
    const sent = result?.editedArgs ?? args ?? {}
    const call: RecordedCall = {
      kind: 'call',
      ref: tool ? tool.ref : about.ref,
      outcome: how.outcome,
      ms: Math.round(clock.monotonic() - startedAt),
      argsBytes: Buffer.byteLength(jsonText(sent)),
      resultBytes: how.resultBytes,
      shape: shapeOf(sent),
    }
    if (by) call.by = by
    if (conversation !== undefined) call.conversation = conversation
    if (agent !== undefined) call.agent = agent
    const { server = about.server } = tool ?? {}
    const name = tool ? tool.tool : about.tool
    if (server !== undefined) call.server = server
    if (name !== undefined) call.tool = name
    if (tool) call.definition = tool.hash
    if (about.decision) call.decision = about.decision
    else if (decision) call.decision = toDecision(decision, how, result, rounds?.question())
    if (judged && call.decision) call.decision = { ...call.decision, judged }
    if (how.error !== undefined) call.error = how.error
    if (how.outcome === 'cancelled' && rounds?.hold(recordLater(record, call, sent))) return undefined
    return record(call, sent)
  }
  try {
    const result = await run((decided) => {
      if ('judged' in decided) ({ judged } = decided)
      else decision = decided
    })
    const outcome = result.failed ? 'failed' : 'done'
    const written = end({ outcome, resultBytes: bytesOfResult(result) }, refFields(name), result)
    // Only with `sync` there is something to wait for.
    if (written) await written
    return result
  } catch (error) {
    if (isWithheld(error)) judged = 'withheld'
    await end({ ...failureOf(error), resultBytes: 0 }, aboutRefusal(name, error))
    throw error
  }
}

/** The call ran; what decided on it is not why its answer was not passed on. */
export function isWithheld(error: unknown): boolean {
  return isHostError(error, 'tool.held') && error.data.sent === true
}

/** Outside of `auditCall`: a function made there would keep the whole request alive, which may be large. */
function recordLater(record: CallAudit, call: HostCall, args: Json): () => void {
  return () => void record(call, args)
}

type RecordedCall = { -readonly [K in keyof HostCall]: HostCall[K] }

type AboutCall = Pick<AuditCall, 'ref' | 'server' | 'tool' | 'decision'>

function refFields(ref: string): AboutCall {
  return { ref: ref.slice(0, 200) }
}

/** What is held is in no catalog; its error says what it is, and that it is held is what decided. */
export function aboutRefusal(name: string, error: unknown): AboutCall {
  const decision = { effect: 'deny', by: 'acceptance' } as const
  if (isHostError(error, 'tool.held')) {
    const { ref } = error.data
    return { ...refFields(ref), ...fromRef(ref), ...(!isWithheld(error) && { decision }) }
  }
  if (!isHostError(error, 'resource.held') && !isHostError(error, 'prompt.held')) return refFields(name)
  const { server } = error.data
  return {
    ...refFields(toRef(server, 'uri' in error.data ? error.data.uri : error.data.prompt)),
    server,
    decision,
  }
}

export function argumentFields(args: Json): Pick<AuditCall, 'argsBytes' | 'shape'> {
  return { argsBytes: Buffer.byteLength(jsonText(args)), shape: shapeOf(args) }
}

const outcomes: Readonly<Record<string, AuditCall['outcome']>> = {
  'call.denied': 'denied',
  'tool.held': 'denied',
  'prompt.held': 'denied',
  'resource.held': 'denied',
  'call.cancelled': 'cancelled',
  'call.invalid-args': 'refused',
  'call.limited': 'refused',
  'tool.unknown': 'refused',
}

export function failureOf(error: unknown): Pick<AuditCall, 'outcome' | 'error'> {
  const code = error instanceof HostError ? error.code : 'error'
  if (isWithheld(error)) return { outcome: 'failed', error: code }
  return { outcome: outcomes[code] ?? 'failed', error: code }
}

/** What was decided, and what a person said if one was asked. */
function toDecision(
  { effect, by, layer }: Decision,
  { error }: Pick<AuditCall, 'error'>,
  result: CallResult | undefined,
  question: string | undefined,
): AuditDecision {
  const answer = effect !== 'ask' ? undefined : answerOf(error, result)
  return {
    effect,
    by,
    ...(layer && { layer }),
    ...(answer && { answer }),
    ...(question !== undefined && { question }),
  }
}

/** A call that was sent has been approved, whatever came of it; one that was cancelled may not have been answered. */
function answerOf(error: string | undefined, result: CallResult | undefined): AuditDecision['answer'] {
  if (error === 'call.denied') return 'refused'
  if (error === 'call.cancelled') return undefined
  return result?.editedArgs ? 'edited' : 'approved'
}

/** An argument that has no JSON was refused before it was sent. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
