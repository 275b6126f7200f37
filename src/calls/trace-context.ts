import type { JsonObject } from '../model/json.ts'

/** The trace that a call belongs to, in the words of W3C Trace Context. */
export interface TraceContext {
  /** `00-` trace id `-` id of the calling span `-` flags. */
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

const parentForm = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/
/** What every participant has to pass on. */
const maxStateLength = 512
const stateForm = /^[\x20-\x7e]+$/

/**
 * The `_meta` that passes a trace to a server; `undefined` without a trace. A malformed one is left out, as the standard wants:
 * tracing never fails a call.
 */
export function toTraceMeta({ traceparent, tracestate }: TraceContext): JsonObject | undefined {
  if (traceparent === undefined || !parentForm.test(traceparent)) return undefined
  const hasState =
    tracestate !== undefined && tracestate.length <= maxStateLength && stateForm.test(tracestate)
  return { traceparent, ...(hasState && { tracestate }) }
}
