import type { Progress } from '../../model/event.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import { reportProgress, withDeadline, withProgressToken } from '../pending.ts'
import type { RequestOptions } from '../pending.ts'
import { asSent, RpcError } from '../wire-error.ts'
import { followTask, readTask, reportTaskStatus } from './tasks.ts'
import type { TaskPoller, TaskContext } from './tasks.ts'

/** Whether a legacy server (2025-11-25) can run calls as tasks. */
export function runsTasks({ tasks }: JsonObject): boolean {
  const requests = isObject(tasks) ? tasks['requests'] : undefined
  const tools = isObject(requests) ? requests['tools'] : undefined
  return isObject(tools) && isObject(tools['call'])
}

/** Runs calls as legacy tasks: create the task, poll it until it ends, then fetch its result. */
export class LegacyTasks {
  readonly #context: Omit<TaskContext, 'answer'>
  readonly #progressListeners = new Map<Json, (progress: Progress) => void>()
  #count = 0

  constructor(context: Omit<TaskContext, 'answer'>) {
    this.#context = context
  }

  async call(params: JsonObject | undefined, given: RequestOptions): Promise<Json> {
    const { ask, clock } = this.#context
    const { onProgress, ...options } = withDeadline(given, clock)
    const token = `task-${++this.#count}`
    if (onProgress) this.#progressListeners.set(token, onProgress)
    const taskParams = asTask(params, options, clock)
    try {
      const created = await ask(
        'tools/call',
        onProgress ? withProgressToken(taskParams, token) : taskParams,
        options,
      )
      const task = isObject(created) ? created['task'] : undefined
      // The server may answer directly, without creating a task.
      if (!isObject(task)) return created
      return await this.follow(task, { ...options, onProgress })
    } finally {
      this.#progressListeners.delete(token)
    }
  }

  /** Task progress carries the token of the request that created the task, which was answered long before. */
  receiveProgress(progress: number, params: JsonObject): void {
    const onProgress = this.#progressListeners.get(params['progressToken'] ?? null)
    if (onProgress) reportProgress(onProgress, progress, params)
  }

  /** Follows a task that was created before. */
  async follow(task: JsonObject, options: RequestOptions): Promise<Json> {
    try {
      return await followTask(task, options, { ...this.#context, era: 'legacy' }, this.#createPoller(options))
    } catch (error) {
      throw asSent(error)
    }
  }

  #createPoller(options: RequestOptions): TaskPoller {
    const { ask } = this.#context
    return (taskId, pollOptions) => async () => {
      const task = readTask(await ask('tasks/get', { taskId }, pollOptions))
      reportTaskStatus(task, options)
      const { status } = task
      // A legacy task sends its questions only while a `tasks/result` request is open.
      if (status !== 'completed' && status !== 'failed' && status !== 'input_required') return task
      try {
        return { ...task, status: 'completed', result: await ask('tasks/result', { taskId }, pollOptions) }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        // Some servers give no result before the task ends: keep polling.
        return status === 'input_required' ? task : { ...task, status: 'failed', error: toFault(error) }
      }
    }
  }
}

/** How long a server is asked to keep a task that may outlive its call. */
const watchedMs = 24 * 3_600_000

/** Adds the task's lifetime: the result is not needed after the call's deadline. */
function asTask(
  params: JsonObject | undefined,
  { deadline, watchTask, queueTime }: RequestOptions,
  clock: Clock,
): JsonObject {
  const isWatched = watchTask !== undefined && queueTime !== undefined
  const leftMs = deadline === undefined ? undefined : Math.ceil(deadline - clock.monotonic())
  const ttl = isWatched ? watchedMs : leftMs
  return { ...params, task: ttl === undefined ? {} : { ttl } }
}

function toFault({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) }
}
