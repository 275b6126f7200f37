import { raceAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import type { JsonObject } from '../model/json.ts'
import type { Tool } from '../model/tool.ts'
import type { Decision } from '../policy/call-rules.ts'

/** A call that a person is asked about. */
export interface ApprovalRequest {
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

/** Who asks again is asked about what is there now. */
export function changed(tool: Tool): HostError {
  const reason = 'it changed since a person said yes'
  return denied(
    tool,
    reason,
    'A person said yes to it as it was, and it has changed since: look at it again.',
  )
}

/** What it says of itself is what let it through, and it says something else now. */
export function withdrawn(tool: Tool, reason = 'It has changed since it was listed.'): HostError {
  return denied(tool, reason, reason)
}

/** Neither an old yes nor an old word counts for what nobody knows. */
export function untold(tool: Tool): HostError {
  const reason = 'its server does not tell what it is now'
  return denied(tool, reason, `It was allowed as it was, and ${reason}.`)
}

/** Whoever should have asked threw: nobody said yes. */
export function unasked(tool: Tool, { reason }: Decision, cause: unknown): HostError {
  const why = `It needs a person's yes, and asking for it failed. ${reason}`
  return denied(tool, 'a person could not be asked', why, { cause })
}

function denied(tool: Tool, reason: string, why: string, options?: ErrorOptions): HostError {
  const message = `"${tool.name}" was not called. ${why}`
  return new HostError('call.denied', { ref: tool.ref, reason }, message, options)
}

export function cancelled({ server }: Tool): HostError {
  const data = { server, method: 'tools/call', sent: false }
  return new HostError('call.cancelled', data, `"${server}": Cancelled before it was sent.`)
}
