import type { CallAudit } from '../../calls/audit-call.ts'
import { auditRefused, auditRequest } from '../../calls/audit-request.ts'
import { isHostError } from '../../model/error.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import type { HostTools } from '../host-tools.ts'

interface GuardedRequest {
  readonly server: string
  readonly method: string
  readonly params: JsonObject | undefined
}

interface RequestGuards {
  /** Absent where nothing is held. */
  readonly tools: Pick<HostTools, 'refuseHeldRequest' | 'judgeAnswer' | 'withoutHeld'> | undefined
  /** Absent if nothing is recorded. */
  readonly record: CallAudit | undefined
  readonly clock: Pick<Clock, 'monotonic'>
}

/**
 * Sends a bare request unless it names something that is held, and takes what is held out of a list (T12). Calls and
 * refusals are recorded.
 */
export async function sendGuarded(
  { server, method, params }: GuardedRequest,
  send: () => Promise<Json>,
  { tools, record, clock }: RequestGuards,
): Promise<Json> {
  const run = async (onJudged?: () => void) => {
    await tools?.refuseHeldRequest(server, method, params)
    const answer = await send()
    const judged = method === 'tools/call' && tools?.judgeAnswer(server, params?.['name'])
    if (judged) await judged.then(onJudged)
    return tools ? tools.withoutHeld(answer, { server, method }) : answer
  }
  if (record && method === 'tools/call')
    return auditRequest(record, { server, params: params ?? {}, clock }, run)
  return run().catch(async (error: unknown) => {
    const isHeld = isHostError(error, 'resource.held') || isHostError(error, 'prompt.held')
    if (record && isHeld) await auditRefused(record, { tool: method, args: params, error })
    throw error
  })
}
