import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { AnswerRequest } from './inbox.ts'
import { answerAll, readRequests } from './input-required.ts'
import type { RequestOptions } from './pending.ts'
import { RpcError, WireError } from './wire-error.ts'

/** How often we ask when the server names no interval, and the limits on the one it names. */
const pollMs = { default: 1000, least: 100, most: 60_000 } as const

export interface TaskContext {
  /** Sends a plain request; the answer is a complete result. */
  readonly ask: (method: string, params: JsonObject, options: RequestOptions) => Promise<Json>
  readonly answer: AnswerRequest
  readonly clock: Clock
}

/** Follows a task until it ends, and gives back what the call would have. */
export async function awaitTask(
  created: JsonObject,
  options: RequestOptions,
  { ask, answer, clock }: TaskContext,
): Promise<Json> {
  const taskId = created['taskId']
  if (typeof taskId !== 'string') throw broken('it has no taskId')
  const signal = options.signal ?? new AbortController().signal
  const answered = new Set<string>()
  const deadline = deadlineOf(options, clock)
  let task: JsonObject = created
  try {
    for (;;) {
      await pause(task, signal, deadline, clock)
      task = readTask(await ask('tasks/get', { taskId }, { signal, timeoutMs: options.timeoutMs }))
      report(task, options)
      switch (task['status']) {
        case 'completed':
          return task['result'] ?? {}
        case 'failed':
          throw toError(task['error'])
        case 'cancelled':
          throw new WireError('cancelled', 'The server cancelled the task.', { sent: true })
        case 'input_required': {
          // A question stays in the list until the server has seen its answer: each is put once.
          const open = Object.entries(readRequests(task['inputRequests'])).filter(
            ([key]) => !answered.has(key),
          )
          if (open.length === 0) break
          const inputResponses = await answerAll(Object.fromEntries(open), answer, signal)
          for (const [key] of open) answered.add(key)
          await ask('tasks/update', { taskId, inputResponses }, { signal, timeoutMs: options.timeoutMs })
          break
        }
        case 'working':
          break
        default:
          throw broken(`its status is ${JSON.stringify(task['status'])}`)
      }
    }
  } catch (error) {
    if (isGivenUp(error)) ask('tasks/cancel', { taskId }, { timeoutMs: 5000 }).catch(() => undefined)
    throw error
  }
}

function readTask(answer: Json): JsonObject {
  if (!isObject(answer)) throw broken('the answer to tasks/get is no object')
  return answer
}

/** Progress resets the wait of a plain call; a task has only the hard limit. */
function deadlineOf({ maxTimeoutMs = 0 }: RequestOptions, clock: Clock): number {
  return maxTimeoutMs > 0 ? clock.monotonic() + maxTimeoutMs : Infinity
}

async function pause(task: JsonObject, signal: AbortSignal, deadline: number, clock: Clock): Promise<void> {
  const wanted = task['pollIntervalMs']
  const ms =
    typeof wanted === 'number' ? Math.min(Math.max(wanted, pollMs.least), pollMs.most) : pollMs.default
  if (clock.monotonic() + ms > deadline) {
    throw new WireError('timeout', 'The task took too long.', { sent: true })
  }
  await clock.sleep(ms, signal).catch((cause: unknown) => {
    throw new WireError('cancelled', 'The call was cancelled.', { sent: true, cause })
  })
}

function report(task: JsonObject, { onProgress }: RequestOptions): void {
  const message = task['statusMessage']
  if (onProgress && typeof message === 'string') onProgress({ progress: 0, message })
}

function isGivenUp(error: unknown): boolean {
  return error instanceof WireError && (error.code === 'cancelled' || error.code === 'timeout')
}

function toError(error: Json | undefined): Error {
  if (!isObject(error) || typeof error['code'] !== 'number') return broken('it failed without an error')
  return new RpcError(error['code'], String(error['message'] ?? 'The task failed.'), error['data'])
}

function broken(what: string): WireError {
  return new WireError('protocol', `The server’s task cannot be followed: ${what}.`, { sent: true })
}
