import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { AnswerRequest } from './inbox.ts'
import { answerAll, readRequests } from './input-required.ts'
import { tellProgress } from './pending.ts'
import type { RequestOptions } from './pending.ts'
import { RpcError, WireError } from './wire-error.ts'
import { withinCall } from './within-call.ts'
import type { CallEnds } from './within-call.ts'

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

/** Follows a task until it ends, and gives back what the call would have. */
export async function awaitTask(
  created: JsonObject,
  options: RequestOptions,
  { ask, answer, clock, ended }: TaskContext,
): Promise<Json> {
  const taskId = created['taskId']
  if (typeof taskId !== 'string') throw broken('it has no taskId')
  const { signal, timeoutMs } = options
  const ends = { signal, ended }
  const answered = new Set<string>()
  const deadline = deadlineOf(options, clock)
  const reply = async ({ inputRequests }: JsonObject): Promise<void> => {
    // A question stays in the list until the server has seen its answer: each is put once.
    const open = Object.entries(readRequests(inputRequests)).filter(([key]) => !answered.has(key))
    if (open.length === 0) return
    const put = (over: AbortSignal) => answerAll(Object.fromEntries(open), answer, over)
    const inputResponses = await withinCall(ends, put)
    for (const [key] of open) answered.add(key)
    await ask('tasks/update', { taskId, inputResponses }, { signal, timeoutMs })
  }
  let task: JsonObject = created
  let isOver = false
  try {
    for (;;) {
      await pause(task, ends, deadline, clock)
      task = readTask(await ask('tasks/get', { taskId }, { signal, timeoutMs }))
      report(task, options)
      const { status } = task
      isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
      if (isOver) return resultOf(task)
      if (status === 'input_required') await reply(task)
      else if (status !== 'working') throw broken(`its status is ${JSON.stringify(status)}`)
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

function readTask(answer: Json): JsonObject {
  if (!isObject(answer)) throw broken('the answer to tasks/get is no object')
  return answer
}

/** Progress resets the wait of a plain call; a task has only the hard limit. */
function deadlineOf({ maxTimeoutMs = 0 }: RequestOptions, clock: Clock): number {
  return maxTimeoutMs > 0 ? clock.monotonic() + maxTimeoutMs : Infinity
}

async function pause(task: JsonObject, ends: CallEnds, deadline: number, clock: Clock): Promise<void> {
  const wanted = task['pollIntervalMs']
  const ms =
    typeof wanted === 'number' ? Math.min(Math.max(wanted, pollMs.least), pollMs.most) : pollMs.default
  if (clock.monotonic() + ms > deadline) {
    throw new WireError('timeout', 'The task took too long.', { sent: true })
  }
  await withinCall(ends, (over) => clock.sleep(ms, over))
}

function report({ statusMessage }: JsonObject, { onProgress }: RequestOptions): void {
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
