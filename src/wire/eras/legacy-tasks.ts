import type { Progress } from '../../model/event.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import { tellProgress, withDeadline, withProgressToken } from '../pending.ts'
import type { RequestOptions } from '../pending.ts'
import { asSent, RpcError } from '../wire-error.ts'
import { followTask, readTask, report } from './tasks.ts'
import type { LookAtTask, TaskContext } from './tasks.ts'

/** Whether a server of the old era (2025-11-25) runs calls as tasks when it is asked to. */
export function runsTasks({ tasks }: JsonObject): boolean {
  const requests = isObject(tasks) ? tasks['requests'] : undefined
  const tools = isObject(requests) ? requests['tools'] : undefined
  return isObject(tools) && isObject(tools['call'])
}

/** Calls that run as tasks of the old era: each is begun, looked at until it is over, and then asked for its result. */
export class LegacyTasks {
  readonly #context: Omit<TaskContext, 'answer'>
  readonly #hearers = new Map<Json, (progress: Progress) => void>()
  #count = 0

  constructor(context: Omit<TaskContext, 'answer'>) {
    this.#context = context
  }

  async call(params: JsonObject | undefined, given: RequestOptions): Promise<Json> {
    const { ask, clock } = this.#context
    const { onProgress, ...options } = withDeadline(given, clock)
    const token = `task-${++this.#count}`
    if (onProgress) this.#hearers.set(token, onProgress)
    const asked = asTask(params, options, clock)
    try {
      const begun = await ask('tools/call', onProgress ? withProgressToken(asked, token) : asked, options)
      const task = isObject(begun) ? begun['task'] : undefined
      // It may have been quick enough without one.
      if (!isObject(task)) return begun
      return await this.#follow(task, { ...options, onProgress })
    } finally {
      this.#hearers.delete(token)
    }
  }

  /** Progress comes with the token of the request that began the task, long after that was answered. */
  progressed(progress: number, params: JsonObject): void {
    const onProgress = this.#hearers.get(params['progressToken'] ?? null)
    if (onProgress) tellProgress(onProgress, progress, params)
  }

  async #follow(task: JsonObject, options: RequestOptions): Promise<Json> {
    try {
      return await followTask(task, options, this.#context, this.#looking(options))
    } catch (error) {
      throw asSent(error)
    }
  }

  #looking(options: RequestOptions): LookAtTask {
    const { ask } = this.#context
    return (taskId, each) => async () => {
      const task = readTask(await ask('tasks/get', { taskId }, each))
      report(task, options)
      const { status } = task
      // What a task wants to know is asked while somebody waits for its result.
      if (status !== 'completed' && status !== 'failed' && status !== 'input_required') return task
      try {
        return { ...task, status: 'completed', result: await ask('tasks/result', { taskId }, each) }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        // A server that gives no result before the end is looked at until then.
        return status === 'input_required' ? task : { ...task, status: 'failed', error: toFault(error) }
      }
    }
  }
}

/** A result that nobody has fetched when the time of the call is over, nobody will. */
function asTask(params: JsonObject | undefined, { deadline }: RequestOptions, clock: Clock): JsonObject {
  const ttl = deadline === undefined ? undefined : Math.ceil(deadline - clock.monotonic())
  return { ...params, task: ttl === undefined ? {} : { ttl } }
}

function toFault({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) }
}
