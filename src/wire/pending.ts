import type { Progress } from '../model/event.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { SendOptions } from './channel.ts'

export interface RequestOptions extends SendOptions {
  readonly signal?: AbortSignal | undefined
  /** How long to wait without an answer or progress; 0 is for ever. */
  readonly timeoutMs?: number | undefined
  /** However often progress comes, no longer than this. */
  readonly maxTimeoutMs?: number | undefined
  /** The moment at which `maxTimeoutMs` is over, by the monotonic clock, where it began before this request. */
  readonly deadline?: number | undefined
  /** Asks the server for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Goes out whatever else is under way: the handshake, a subscription. */
  readonly isUnlimited?: boolean | undefined
  /** The tool that is called runs only as a task: one is begun and followed, where the server can (2025-11-25). */
  readonly asTask?: boolean | undefined
}

/** A request that waits for its turn or its answer. */
export class Pending {
  /** Its number, once it is sent. */
  id = 0
  deadline = Infinity
  /** Progress does not move it. */
  hardDeadline: number
  onAbort: (() => void) | undefined
  constructor(
    readonly method: string,
    readonly params: JsonObject | undefined,
    readonly options: RequestOptions,
    hardDeadline: number,
    readonly resolve: (result: Json) => void,
    readonly reject: (error: Error) => void,
  ) {
    this.hardDeadline = hardDeadline
  }

  /** The time in which a person was asked is not the server's: its own begins with the answer. Is there some left? */
  renew(since: number, now: number): boolean {
    const deadline = Math.min(since + (this.options.timeoutMs ?? 0), this.hardDeadline)
    // A timer may come a fraction of a millisecond early.
    if (deadline <= now + 1) return false
    this.deadline = deadline
    return true
  }
}

/** Of what is asked in several parts, each has what is left of the time of all. */
export function withDeadline<Options extends RequestOptions>(
  options: Options,
  clock: Clock,
): Options & Pick<RequestOptions, 'deadline'> {
  const { maxTimeoutMs = 0, deadline } = options
  if (deadline !== undefined || maxTimeoutMs <= 0) return options
  return { ...options, deadline: clock.monotonic() + maxTimeoutMs }
}

/** A listener that throws is its owner's bug; the connection does not pay for it. */
export function tellProgress(
  onProgress: (progress: Progress) => void,
  progress: number,
  { total, message }: JsonObject = {},
): void {
  try {
    onProgress({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    })
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** The number of a request is the token of its progress. */
export function withProgressToken(params: JsonObject | undefined, token: number | string): JsonObject {
  const meta = params?.['_meta']
  return { ...params, _meta: isObject(meta) ? { ...meta, progressToken: token } : { progressToken: token } }
}
