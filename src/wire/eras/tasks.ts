import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import { sample } from '../frames/decode.ts'
import type { AnswerRequest } from '../inbox.ts'
import { reportProgress, withDeadline } from '../pending.ts'
import type { RequestOptions, TaskState, TaskWatch } from '../pending.ts'
import { RpcError, WireError } from '../wire-error.ts'
import { answerAll, readRequests, runWithinCall } from './input-required.ts'
import type { CallSignals } from './input-required.ts'

/** Default polling interval, and the bounds for the one that the server names. */
const pollMs = { default: 1000, least: 100, most: 60_000 } as const
/** Polls of many hosts must not coincide: each waits up to this part longer. */
const jitterPart = 0.1

export interface TaskContext {
  /** Sends a request whose answer is a complete result. */
  readonly ask: (method: string, params: JsonObject, options: RequestOptions) => Promise<Json>
  readonly answer: AnswerRequest
  readonly clock: Clock
  /** Aborts when the connection ends; its reason is the `WireError`. */
  readonly ended: AbortSignal
}

/**
 * Answers to a task's questions. A question stays listed until the server has processed its answer: each is asked
 * once, and its answer is resent until the server accepts it.
 */
class TaskAnswers {
  readonly #ask: (questions: Readonly<Record<string, JsonObject>>) => Promise<JsonObject>
  readonly #given = new Map<string, Json>()
  readonly #accepted: Set<string>

  constructor(
    ask: (questions: Readonly<Record<string, JsonObject>>) => Promise<JsonObject>,
    accepted: readonly string[],
  ) {
    this.#ask = ask
    this.#accepted = new Set(accepted)
  }

  /** The answers that still have to be sent. */
  async unsentFor(questions: Readonly<Record<string, JsonObject>>): Promise<JsonObject | undefined> {
    const open = Object.keys(questions).filter((key) => !this.#accepted.has(key))
    if (open.length === 0) return undefined
    const fresh = Object.entries(questions).filter(([key]) => open.includes(key) && !this.#given.has(key))
    for (const [key, given] of Object.entries(await this.#ask(Object.fromEntries(fresh))))
      this.#given.set(key, given)
    return Object.fromEntries(open.map((key) => [key, this.#given.get(key) ?? null]))
  }

  markAccepted(answers: JsonObject): void {
    for (const key of Object.keys(answers)) {
      this.#accepted.add(key)
      this.#given.delete(key)
    }
  }
}

/** Polls a modern task until it ends, and returns the result of the call. */
export async function awaitTask(
  created: JsonObject,
  options: RequestOptions,
  context: TaskContext,
): Promise<Json> {
  const { ask, answer } = context
  return followTask(created, options, { ...context, era: 'modern' }, (taskId, pollOptions, following) => {
    const { callSignals, watch } = following
    const answers = new TaskAnswers(
      (questions) => runWithinCall(callSignals, (over) => answerAll(questions, answer, over)),
      watch?.answered ?? [],
    )
    return async () => {
      const task = readTask(await ask('tasks/get', { taskId }, pollOptions))
      reportTaskStatus(task, options)
      if (task['status'] !== 'input_required') return task
      const inputResponses = await answers.unsentFor(readRequests(task['inputRequests']))
      if (!inputResponses) return task
      await ask('tasks/update', { taskId, inputResponses }, pollOptions)
      answers.markAccepted(inputResponses)
      watch?.onAnswered(Object.keys(inputResponses))
      return task
    }
  })
}

/** Creates a function that polls a task once and returns its state, with its result or error if it has ended. */
export type TaskPoller = (
  taskId: string,
  pollOptions: RequestOptions,
  following: FollowedTask,
) => () => Promise<JsonObject>

/** What belongs to one task that is followed. */
interface FollowedTask {
  readonly callSignals: CallSignals
  readonly watch: TaskWatch | undefined
}

/**
 * Polls a task until it ends. If polling fails for good, the task is cancelled; one that is watched only if the caller or
 * its time limit ends it.
 */
export async function followTask(
  created: JsonObject,
  options: RequestOptions,
  { ask, clock, ended, era }: Omit<TaskContext, 'answer'> & Pick<TaskState, 'era'>,
  createPoller: TaskPoller,
): Promise<Json> {
  const taskId = created['taskId']
  if (typeof taskId !== 'string') throw invalidTask('it has no taskId')
  const timed = withDeadline(options, clock)
  const { signal, timeoutMs, maxTimeoutMs, queueTime, lane } = timed
  const watch = options.watchTask?.(stateOf(created, taskId, era))
  // Only a limit that the caller set ends a task that is watched.
  const isUnlimited = watch !== undefined && queueTime !== undefined
  const deadline = isUnlimited ? Infinity : (timed.deadline ?? Infinity) + (queueTime?.ms ?? 0)
  const callSignals = { signal, ended }
  const limits = isUnlimited ? { maxTimeoutMs: 0 } : { maxTimeoutMs, deadline }
  const poll = createPoller(taskId, { signal, timeoutMs, ...limits, lane }, { callSignals, watch })
  let waitMs = pollMsOf(created)
  let failures = 0
  let isOver = false
  try {
    for (;;) {
      await pause(withJitter(waitMs, clock), callSignals, deadline, clock)
      const task = await poll().catch(returnTransient)
      if (task instanceof WireError) {
        if (watch?.throwsOutages) throw task
        failures++
        waitMs = Math.max(waitMs, task.facts.retryAfterMs ?? 0, backOffMs(failures))
        continue
      }
      failures = 0
      watch?.onState(stateOf(task, taskId, era))
      const { status } = task
      isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
      if (isOver) return resultOf(task)
      if (status !== 'working' && status !== 'input_required')
        throw invalidTask(`its status is ${sample(JSON.stringify(status) ?? 'undefined')}`)
      waitMs = pollMsOf(task)
    }
  } catch (error) {
    // The result would be lost: cancel the task.
    const isOverdue = !ended.aborted && !isUnlimited && error instanceof WireError && error.code === 'timeout'
    const isKept = watch !== undefined && signal?.aborted !== true && !isOverdue
    if (!isOver && !isKept) ask('tasks/cancel', { taskId }, { timeoutMs: 5000 }).catch(() => undefined)
    throw error
  }
}

/** The fraction of a millisecond on the clock is as good as random here, and needs no other source of it. */
function withJitter(ms: number, clock: Clock): number {
  return ms * (1 + (clock.monotonic() % 1) * jitterPart)
}

/** Doubles with each failure in a row, up to the longest interval. */
function backOffMs(failures: number): number {
  return Math.min(pollMs.most, pollMs.default * 2 ** Math.min(failures - 1, 10))
}

function stateOf(task: JsonObject, taskId: string, era: TaskState['era']): TaskState {
  const { status, statusMessage, ttl, ttlMs = ttl, pollInterval, pollIntervalMs = pollInterval } = task
  return {
    era,
    taskId,
    status: typeof status === 'string' ? sample(status) : 'working',
    ...(typeof statusMessage === 'string' && { statusMessage }),
    ...(typeof ttlMs === 'number' && { ttlMs }),
    ...(typeof pollIntervalMs === 'number' && { pollMs: pollIntervalMs }),
  }
}

function resultOf({ status, result = {}, error }: JsonObject): Json {
  if (status === 'completed') return result
  if (status === 'failed') throw toError(error)
  throw new WireError('cancelled', 'The server cancelled the task.', { sent: true })
}

export function readTask(answer: Json): JsonObject {
  if (!isObject(answer)) throw invalidTask('the answer to tasks/get is not an object')
  return answer
}

/** Returns a transient error, throws any other: the task keeps running while it cannot be polled. */
function returnTransient(error: unknown): WireError {
  const passes: readonly string[] = ['rate', 'upstream', 'network', 'dns', 'timeout', 'closed', 'busy']
  if (error instanceof WireError && passes.includes(error.code)) return error
  throw error
}

/** The legacy name is `pollInterval`. */
function pollMsOf({ pollInterval, pollIntervalMs: wanted = pollInterval }: JsonObject): number {
  if (typeof wanted !== 'number') return pollMs.default
  return Math.min(Math.max(wanted, pollMs.least), pollMs.most)
}

/** A task has only the hard limit: there is no wait that progress could reset. */
async function pause(ms: number, callSignals: CallSignals, deadline: number, clock: Clock): Promise<void> {
  if (clock.monotonic() + ms > deadline) {
    throw new WireError('timeout', 'The task exceeded the time limit of the call.', { sent: true })
  }
  await runWithinCall(callSignals, (over) => clock.sleep(ms, over))
}

export function reportTaskStatus({ statusMessage }: JsonObject, { onProgress }: RequestOptions): void {
  if (onProgress && typeof statusMessage === 'string')
    reportProgress(onProgress, 0, { message: statusMessage })
}

function toError(error: Json | undefined): Error {
  if (!isObject(error) || typeof error['code'] !== 'number') return invalidTask('it failed without an error')
  const { code, message, data } = error
  return new RpcError(code, typeof message === 'string' ? message : 'The task failed.', data)
}

function invalidTask(what: string): WireError {
  return new WireError('protocol', `The server’s task cannot be followed: ${what}.`, { sent: true })
}
