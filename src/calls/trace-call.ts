import { tracingChannel } from 'node:diagnostics_channel'
import type { TracingChannel } from 'node:diagnostics_channel'
import { HostError } from '../model/error.ts'
import type { CallResult } from '../model/result.ts'
import type { Tool } from '../model/tool.ts'
import type { TraceContext } from './trace-context.ts'

/**
 * What subscribers of the channel `tracing:plugboard:call:*` get: one object for a call, from `start` to `asyncEnd`. A subscriber of
 * `start` may set `traceparent` and `tracestate` to those of its own span; the server gets what is there then.
 */
export interface CallMessage {
  /** The name that was called, as the caller wrote it. */
  readonly name: string
  /** Absent if there is no such tool here. */
  readonly ref?: string
  readonly server?: string
  readonly tool?: string
  readonly conversation?: string
  readonly agent?: string
  traceparent?: string | undefined
  tracestate?: string | undefined
  /** When the call has ended. `refused`: it was not sent, or it is unknown whether it ran. */
  outcome?: 'done' | 'failed' | 'refused'
  /** The code of the error, if it was refused. */
  code?: string
}

const calls: TracingChannel<unknown, CallMessage> = tracingChannel('plugboard:call')

export function isTraced(): boolean {
  return calls.hasSubscribers
}

interface TracedCall {
  readonly name: string
  readonly tool: Tool | undefined
  readonly conversation: string | undefined
  readonly agent: string | undefined
  readonly options: TraceContext
}

/** Runs a call between the messages of the channel, with the trace that a subscriber has put in. */
export function traceCall(
  { name, tool, conversation, agent, options }: TracedCall,
  run: (trace: TraceContext) => Promise<CallResult>,
): Promise<CallResult> {
  const { traceparent, tracestate } = options
  const message: CallMessage = {
    name: name.slice(0, 200),
    ...(tool && { ref: tool.ref, server: tool.server, tool: tool.tool }),
    ...(conversation !== undefined && { conversation }),
    ...(agent !== undefined && { agent }),
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  }
  return calls.tracePromise(async () => {
    try {
      const result = await run({ traceparent: message.traceparent, tracestate: message.tracestate })
      message.outcome = result.failed ? 'failed' : 'done'
      return result
    } catch (error) {
      message.outcome = 'refused'
      message.code = error instanceof HostError ? error.code : 'error'
      throw error
    }
  }, message)
}
