import type { Progress } from '../model/event.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { SendOptions } from './channel.ts'
import type { AnswerRequest } from './inbox.ts'
import type { QueuedItem } from '../model/queue/fair-queue.ts'

export interface RequestOptions extends SendOptions {
  readonly signal?: AbortSignal | undefined
  /** Time to wait without an answer or progress; 0 means no limit. */
  readonly timeoutMs?: number | undefined
  /** Total time limit; progress does not extend it. */
  readonly maxTimeoutMs?: number | undefined
  /** The time on the monotonic clock, if the caller has just read it. */
  readonly now?: number | undefined
  /** When `maxTimeoutMs` ends (monotonic clock), if it started before this request. */
  readonly deadline?: number | undefined
  /** The time spent in the queue, by which the deadline is later. Absent if `maxTimeoutMs` includes it. */
  readonly queueTime?: QueueTime | undefined
  /** Requests in the queue take turns by lane. */
  readonly lane?: unknown
  /** Requests progress notifications from the server. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Bypasses the limit on concurrent requests: the handshake, a subscription. */
  readonly isUnlimited?: boolean | undefined
  /** The called tool runs only as a task: create and follow one if the server supports tasks (2025-11-25). */
  readonly asTask?: boolean | undefined
  /**
   * Called with the text of the answer without its id, where it arrives as text. A value that is returned is the result, and
   * the text is not parsed.
   */
  readonly readText?: ((rest: string) => Json | undefined) | undefined
  /** The request of another client, which is passed on. */
  readonly onBehalf?: OnBehalf | undefined
  /** Called when the server makes a task of the call; the result follows the task from then on. */
  readonly watchTask?: WatchTask | undefined
}

/** What a server says about a task. */
export interface TaskState {
  readonly era: 'modern' | 'legacy'
  /** May be all that guards the task: a secret. */
  readonly taskId: string
  readonly status: string
  readonly statusMessage?: string
  /** How long the server keeps it; absent without a limit. */
  readonly ttlMs?: number
  readonly pollMs?: number
}

/**
 * Follows a task beside the call that waits for it. A task with a watch is not cancelled when the connection ends or its
 * server fails to say how it goes, and the usual time limit of calls does not end it: it can be followed again later.
 */
export interface TaskWatch {
  /** The watcher asks again by itself: a failure that may pass is thrown instead of waited for. */
  readonly throwsOutages?: boolean
  /** The keys of questions that were answered before. */
  readonly answered: readonly string[]
  onState(state: TaskState): void
  onAnswered(keys: readonly string[]): void
}

export type WatchTask = (state: TaskState) => TaskWatch

/** The client that a request is passed on for. Only modern servers are told about it: legacy ones have greeted us. */
export interface OnBehalf {
  /** What that client declares; sent to the server instead of our own capabilities. */
  readonly capabilities: JsonObject
  /** Answers questions of the server in the middle of the call. Without it, a result that asks is returned as it came. */
  readonly answer?: AnswerRequest | undefined
  /**
   * Which side deals with tasks. `client`: the server learns whether the client declares them, and a client that does gets a
   * task as it came. `here` (default): they are declared for a client whose protocol has none, and followed until the result.
   */
  readonly tasks?: 'client' | 'here' | undefined
  /** Tells the request from others: a notification that a modern server sends in its course has it as `request`. */
  readonly number?: number | undefined
}

/** Shared by all requests of one operation, each of which adds its own time. */
export interface QueueTime {
  ms: number
}

/** A request in the queue, or sent and not answered yet. */
export class PendingRequest {
  /** Assigned when it is sent. */
  id = 0
  deadline = Infinity
  /** Not extended by progress. */
  hardDeadline: number
  onAbort: (() => void) | undefined
  /** Its place while it is in the queue, and since when. */
  queued: QueuedItem<PendingRequest> | undefined
  queuedAt = 0
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

  /**
   * Time spent answering a question of the server does not count: the wait restarts at `since`, when the server got
   * its last answer. Returns false if the restarted wait is over as well.
   */
  renew(since: number, now: number): boolean {
    const deadline = Math.min(since + (this.options.timeoutMs ?? 0), this.hardDeadline)
    // Timers may fire a fraction of a millisecond early.
    if (deadline <= now + 1) return false
    this.deadline = deadline
    return true
  }
}

/** Fixes the deadline of an operation that takes several requests, so that all of them share `maxTimeoutMs`. */
export function withDeadline<Options extends RequestOptions>(
  options: Options,
  clock: Clock,
): Options & Pick<RequestOptions, 'deadline'> {
  const { maxTimeoutMs = 0, deadline } = options
  if (deadline !== undefined || maxTimeoutMs <= 0) return options
  return { ...options, deadline: clock.monotonic() + maxTimeoutMs }
}

/**
 * Calls the listener. An exception is rethrown outside the connection's call stack: it must not break the connection.
 */
export function reportProgress(
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

/** Adds a progress token; a request uses its id. */
export function withProgressToken(params: JsonObject | undefined, token: number | string): JsonObject {
  const meta = params?.['_meta']
  return { ...params, _meta: isObject(meta) ? { ...meta, progressToken: token } : { progressToken: token } }
}
