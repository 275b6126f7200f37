import type { CallResult } from '../index.ts'
import { untrustedMark } from '../model/finding.ts'

/** The call of a model that may become a task. */
interface StartedCall {
  readonly result: Promise<CallResult>
  /** The id of its task, once there is one. */
  readonly task: Promise<string>
  /** Stops waiting in line for it. */
  release(): void
}

/** A task that the model no longer waits for. */
interface BackgroundTask {
  readonly id: string
  readonly ref: string
  /** What the model is told when it has ended. */
  readonly ended: Promise<string>
}

export type AnsweredInTime =
  | { readonly kind: 'answered'; readonly result: CallResult }
  | { readonly kind: 'running'; readonly id: string }

/**
 * Tasks of one conversation that run beside it. A call that has become a task and takes long is answered with the id of the
 * task, and the model goes on; the end of the task is told with a message before a later step.
 */
export class BackgroundTasks {
  readonly #running = new Set<BackgroundTask>()
  readonly #messages: string[] = []
  #onEnded: (() => void) | undefined

  get isEmpty(): boolean {
    return this.#running.size === 0
  }

  /** The answer to a call, or the id of its task if `late` settles first and there is one. */
  async answer(call: StartedCall, ref: string, late: Promise<void>): Promise<AnsweredInTime> {
    const answered = call.result.then((result) => ({ kind: 'answered', result }) as const)
    const id = await Promise.race([answered, Promise.all([call.task, late]).then(([task]) => task)])
    if (typeof id !== 'string') return id
    call.release()
    this.#add({
      id,
      ref,
      ended: call.result.then(
        (result) => sayEnd(id, ref, result),
        (error) => sayFailure(id, ref, error),
      ),
    })
    return { kind: 'running', id }
  }

  /** What has ended since the last time; the model is told each end once. */
  take(): readonly string[] {
    return this.#messages.splice(0)
  }

  /** Resolves when a task has ended. */
  next(): Promise<void> {
    if (this.#messages.length > 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onEnded = resolve))
  }

  #add(task: BackgroundTask): void {
    this.#running.add(task)
    void task.ended.then((message) => {
      this.#running.delete(task)
      this.#messages.push(message)
      this.#onEnded?.()
    })
  }
}

/** What a model gets in place of the result. */
export function sayRunning(id: string): string {
  return `The server runs this call in the background, as task ${id}. It is not finished. Go on with other work that does not need its result; you are told when it has ended. Do not call the tool again for this.`
}

function sayEnd(id: string, ref: string, result: CallResult): string {
  const how = result.failed ? 'has failed' : 'has ended'
  return `[Task ${id} (${ref}) ${how}. Its result:]\n${untrustedMark(result)}${result.text}`
}

function sayFailure(id: string, ref: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `[Task ${id} (${ref}) has no result: ${why}]`
}
