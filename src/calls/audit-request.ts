import type { AuditCall, AuditCaller, AuditDecision } from '../audit/audit-row.ts'
import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import { aboutRefusal, argumentFields, failureOf, isWithheld, jsonText } from './audit-call.ts'
import type { CallAudit } from './audit-call.ts'

interface AuditedRequest {
  readonly server: string
  readonly params: unknown
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Runs a `tools/call` that was sent as a bare request, to which no policy applies, and records it. */
export async function auditRequest<T>(
  record: CallAudit,
  { server, params, clock }: AuditedRequest,
  run: (onJudged: () => void) => Promise<T>,
): Promise<T> {
  const startedAt = clock.monotonic()
  const { name, arguments: args = {} } = isObject(params) ? params : {}
  const tool = typeof name === 'string' ? name.slice(0, 200) : ''
  let judged: AuditDecision['judged']
  const end = (
    how: Pick<AuditCall, 'outcome' | 'error' | 'resultBytes'>,
    decision: AuditDecision = { effect: 'allow', by: 'request', ...(judged && { judged }) },
  ) =>
    record(
      {
        kind: 'call',
        ref: `${server}/${tool}`,
        server,
        tool,
        decision,
        ...how,
        ms: Math.round(clock.monotonic() - startedAt),
        ...argumentFields(args),
      },
      args,
    )
  try {
    const result = await run(() => (judged = 'passed'))
    const isFailed = isObject(result) && result['isError'] === true
    await end({ outcome: isFailed ? 'failed' : 'done', resultBytes: Buffer.byteLength(jsonText(result)) })
    return result
  } catch (error) {
    if (isWithheld(error)) judged = 'withheld'
    await end({ ...failureOf(error), resultBytes: 0 }, aboutRefusal('', error).decision)
    throw error
  }
}

/** A call that a program did not make, because it found no such tool, or one that is held. */
export interface RefusedCall {
  /** The name or ref that was asked for. */
  readonly tool: string
  readonly args?: Json | undefined
  readonly error: unknown
  readonly agent?: string | undefined
  /** The caller behind this host. */
  readonly caller?: Partial<AuditCaller> | undefined
}

/** Records a call that never reached a view. */
export function auditRefused(
  record: CallAudit,
  { tool, args = {}, error, agent, caller }: RefusedCall,
): void | Promise<void> {
  return record(
    {
      kind: 'call',
      ...(caller && { by: caller }),
      ...(agent !== undefined && { agent }),
      ...aboutRefusal(tool, error),
      ...failureOf(error),
      ms: 0,
      resultBytes: 0,
      ...argumentFields(args),
    },
    args,
  )
}
