import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import { sample } from '../frames/decode.ts'
import type { AnswerRequest } from '../inbox.ts'
import { tellProgress, withDeadline } from '../pending.ts'
import type { RequestOptions } from '../pending.ts'
import { RpcError, WireError } from '../wire-error.ts'
import { answerAll, readRequests, withinCall } from './input-required.ts'
import type { CallEnds } from './input-required.ts'

/** How often we ask when the server names no interval, and the limits on the one it names. */
const pollMs = { default: 1000, least: 100, most: 60_000 } as const

export interface TaskContext {
  /** Sends a plain request; the answer is a complete result. */
  readonly ask: (method: string, params: JsonObject, options: RequestOptions) => Promise<Json>
  readonly answer: AnswerRequest
  readonly clock: Clock
  /** Aborts with the connection, and with the `WireError` it ended with. */
  readonly ended: AbortSignal
}

/** A question stays in the list until the server has seen its answer: each is put once, and answered until it is taken. */
class Answers {
  readonly #put: (questions: Readonly<Record<string, JsonObject>>) => Promise<JsonObject>
  readonly #given = new Map<string, Json>()
  readonly #taken = new Set<string>()

  constructor(put: (questions: Readonly<Record<string, JsonObject>>) => Promise<JsonObject>) {
    this.#put = put
  }

  /** The answers that are still to be sent. */
  async to(questions: Readonly<Record<string, JsonObject>>): Promise<JsonObject | undefined> {
    const open = Object.keys(questions).filter((key) => !this.#taken.has(key))
    if (open.length === 0) return undefined
    const fresh = Object.entries(questions).filter(([key]) => open.includes(key) && !this.#given.has(key))
    for (const [key, given] of Object.entries(await this.#put(Object.fromEntries(fresh))))
      this.#given.set(key, given)
    return Object.fromEntries(open.map((key) => [key, this.#given.get(key) ?? null]))
  }

  taken(answers: JsonObject): void {
    for (const key of Object.keys(answers)) {
      this.#taken.add(key)
      this.#given.delete(key)
    }
  }
}

/** Follows a task of the new era until it ends, and gives back what the call would have. */
export async function awaitTask(
  created: JsonObject,
  options: RequestOptions,
  context: TaskContext,
): Promise<Json> {
  const { ask, answer } = context
  return followTask(created, options, context, (taskId, each, ends) => {
    const answers = new Answers((questions) => withinCall(ends, (over) => answerAll(questions, answer, over)))
    return async () => {
      const task = readTask(await ask('tasks/get', { taskId }, each))
      report(task, options)
      if (task['status'] !== 'input_required') return task
      const inputResponses = await answers.to(readRequests(task['inputRequests']))
      if (!inputResponses) return task
      await ask('tasks/update', { taskId, inputResponses }, each)
      answers.taken(inputResponses)
      return task
    }
  })
}

/** Makes what looks at a task once, and gives back how it is: with its result or its error, where it is over. */
export type LookAtTask = (taskId: string, each: RequestOptions, ends: CallEnds) => () => Promise<JsonObject>

/** Looks at a task until it is over. One that nobody follows any more is cancelled. */
export async function followTask(
  created: JsonObject,
  options: RequestOptions,
  { ask, clock, ended }: Omit<TaskContext, 'answer'>,
  looking: LookAtTask,
): Promise<Json> {
  const taskId = created['taskId']
  if (typeof taskId !== 'string') throw broken('it has no taskId')
  const { signal, timeoutMs, maxTimeoutMs, deadline = Infinity } = withDeadline(options, clock)
  const ends = { signal, ended }
  const look = looking(taskId, { signal, timeoutMs, maxTimeoutMs, deadline }, ends)
  let waitMs = pollMsOf(created)
  let isOver = false
  try {
    for (;;) {
      await pause(waitMs, ends, deadline, clock)
      const task = await look().catch(passing)
      if (task instanceof WireError) {
        waitMs = Math.max(waitMs, task.facts.retryAfterMs ?? 0)
        continue
      }
      const { status } = task
      isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
      if (isOver) return resultOf(task)
      if (status !== 'working' && status !== 'input_required')
        throw broken(`its status is ${sample(JSON.stringify(status) ?? 'undefined')}`)
      waitMs = pollMsOf(task)
    }
  } catch (error) {
    // Nobody follows it any more, so nobody would get what it gives.
    if (!isOver) ask('tasks/cancel', { taskId }, { timeoutMs: 5000 }).catch(() => undefined)
    throw error
  }
}

function resultOf({ status, result = {}, error }: JsonObject): Json {
  if (status === 'completed') return result
  if (status === 'failed') throw toError(error)
  throw new WireError('cancelled', 'The server cancelled the task.', { sent: true })
}

export function readTask(answer: Json): JsonObject {
  if (!isObject(answer)) throw broken('the answer to tasks/get is no object')
  return answer
}

/** A task runs on, whether it can be asked about just now or not. */
function passing(error: unknown): WireError {
  const passes: readonly string[] = ['rate', 'upstream', 'network', 'dns', 'timeout', 'closed', 'busy']
  if (error instanceof WireError && passes.includes(error.code)) return error
  throw error
}

/** The old era calls it by another name. */
function pollMsOf({ pollInterval, pollIntervalMs: wanted = pollInterval }: JsonObject): number {
  if (typeof wanted !== 'number') return pollMs.default
  return Math.min(Math.max(wanted, pollMs.least), pollMs.most)
}

/** Progress resets the wait of a plain call; a task has only the hard limit. */
async function pause(ms: number, ends: CallEnds, deadline: number, clock: Clock): Promise<void> {
  if (clock.monotonic() + ms > deadline) {
    throw new WireError('timeout', 'The task took too long.', { sent: true })
  }
  await withinCall(ends, (over) => clock.sleep(ms, over))
}

export function report({ statusMessage }: JsonObject, { onProgress }: RequestOptions): void {
  if (onProgress && typeof statusMessage === 'string') tellProgress(onProgress, 0, { message: statusMessage })
}

function toError(error: Json | undefined): Error {
  if (!isObject(error) || typeof error['code'] !== 'number') return broken('it failed without an error')
  const { code, message, data } = error
  return new RpcError(code, typeof message === 'string' ? message : 'The task failed.', data)
}

function broken(what: string): WireError {
  return new WireError('protocol', `The server’s task cannot be followed: ${what}.`, { sent: true })
}
