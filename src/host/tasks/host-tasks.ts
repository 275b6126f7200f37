import { describeAsker, isAskerGone, leftAsker } from '../../store/asker.ts'
import { readOutput } from '../../calls/tool-output.ts'
import { createRender } from '../../calls/render/render.ts'
import { accountInUse } from '../../login/account-in-use.ts'
import { raceAbort } from '../../model/abort.ts'
import { hashOf } from '../../model/canonical.ts'
import { HostError, isHostError } from '../../model/error.ts'
import type { Json } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { isEnded } from '../../model/tasks/task.ts'
import type { Task, TaskStatus } from '../../model/tasks/task.ts'
import type { TaskState, TaskWatch } from '../../wire/pending.ts'
import type { Connection } from '../../connections/connection.ts'
import type { BegunTask } from '../../calls/view/view-context.ts'
import type { HostContext } from '../host-context.ts'
import type { Tasks } from '../host-options.ts'
import { createTaskFiles, createTaskMemory } from './task-files.ts'
import type { StoredTask, TaskStore } from './task-files.ts'

interface TaskDeps {
  readonly serverOf: (name: string) => Server | undefined
  readonly connectionOf: (name: string) => Connection | Promise<Connection>
  /** Throws once the host is closed. */
  readonly refuseClosed: () => void
}

/** A task that this host follows. */
interface FollowedTask {
  stored: StoredTask
  /** Resolves when nothing more is known here: it has ended, its server does not say how it goes, or the host was closed. */
  readonly settled: Promise<{ readonly problem?: HostError }>
  /** Resolves when its server has said that it still runs. */
  readonly running: Promise<void>
  readonly onRunning: () => void
  isCancelSent: boolean
  /** Failures in a row to ask its server. */
  failures: number
}

const maxText = 64 * 1024
/** How often the file of a task is read that another process follows. */
const lookMs = 500
/** A server that fails to say how a task goes is asked this often in a row, with pauses that double. */
const patience = { attempts: 5, pauseMs: 500, laterMs: 60_000 } as const
/** Shorter ids would mask parts of other texts. */
const secretLength = 16

/** The tasks of a person, followed by this host or kept for later. */
export class HostTasks implements Tasks {
  readonly #context: HostContext
  readonly #deps: TaskDeps
  readonly #store: TaskStore
  readonly #followed = new Map<string, FollowedTask>()
  readonly #render
  readonly #closing = new AbortController()
  /** Writes of one host, in order. */
  #writing: Promise<void> = Promise.resolve()

  constructor(context: HostContext, deps: TaskDeps) {
    this.#context = context
    this.#deps = deps
    const { platform, preset, directories } = context
    this.#render = createRender(preset.calling.render)
    this.#store = preset.keepsNothing ? createTaskMemory() : createTaskFiles(directories.tasks, platform)
  }

  async list(): Promise<readonly Task[]> {
    const stored = await this.#store.list()
    return Promise.all(stored.map((task) => this.#look(task)))
  }

  async wait(id: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Task> {
    const { clock } = this.#context.platform
    for (;;) {
      const stored = await this.#find(id)
      const task = await this.#look(stored)
      if (isEnded(task)) return task
      const followed = this.#followed.get(task.id)
      if (followed) {
        const { problem } = await raceAbort(followed.settled, signal)
        if (problem) throw problem
      } else if (task.isFollowed) await clock.sleep(lookMs, signal)
      else await this.#resume(stored)
      this.#deps.refuseClosed()
    }
  }

  async cancel(id: string): Promise<Task> {
    const stored = await this.#find(id)
    const task = await this.#look(stored)
    if (isEnded(task)) return task
    const followed = this.#followed.get(task.id)
    const marked = await this.#change(stored, { isCancelRequested: true })
    // The program of another process runs it: that process reads the request from the file.
    if (stored.isProgram && !followed) return this.#look(await this.#find(id))
    if (followed) followed.isCancelSent = true
    try {
      await this.#sendCancel(stored)
    } catch (error) {
      if (followed) followed.isCancelSent = false
      await this.#change(await this.#find(id), { isCancelRequested: false })
      throw error
    }
    if (!followed && !task.isFollowed) {
      await this.#resume(marked)
      // A short program ends after this: it learns whether the task has ended, or goes on for now.
      const { settled, running } = this.#followed.get(task.id) ?? {}
      await Promise.race([settled, running])
    }
    return this.#look(await this.#find(id))
  }

  async resume(): Promise<readonly Task[]> {
    const stored = await this.#store.list()
    const resumed: Task[] = []
    for (const each of stored) {
      const task = await this.#look(each)
      if (isEnded(task) || task.isFollowed || !this.#deps.serverOf(task.server)) continue
      const isOurs = await this.#resume(each).then(
        () => true,
        (error: unknown) => {
          if (isHostError(error)) return false
          throw error
        },
      )
      if (isOurs) resumed.push(await this.#look(await this.#find(each.id)))
    }
    return resumed
  }

  /** Begins to follow a task that a call of this host has become. */
  async begin(id: string, state: TaskState, begun: BegunTask): Promise<void> {
    const { tool, args, conversation, agent } = begun
    const server = this.#deps.serverOf(tool.server)
    const now = this.#now()
    await this.#follow(
      {
        id,
        ref: tool.ref,
        server: tool.server,
        status: statusOf(state),
        startedAt: now,
        updatedAt: now,
        ...(conversation !== undefined && { conversation }),
        ...(agent !== undefined && { agent }),
        taskId: state.taskId,
        era: state.era,
        entry: server?.entryHash ?? '',
        identity: server ? await this.#identityOf(server) : '',
        isProgram: isProgram(server),
        argsHash: hashOf(args),
        answered: [],
        asker: await describeAsker(this.#context.platform.processes),
        ...factsOf(state),
      },
      begun.result(),
    )
  }

  onState(id: string, state: TaskState): void {
    const followed = this.#followed.get(id)
    if (!followed) return
    followed.failures = 0
    const { stored, onRunning } = followed
    const next = { status: statusOf(state), ...factsOf(state) }
    const message = state.statusMessage && this.#mask(state.statusMessage)
    const isNews = message !== undefined && message !== stored.message
    if (!isEnded(next) && (next.status !== stored.status || isNews))
      void this.#change(stored, { ...next, ...(message !== undefined && { message }) })
    if (isEnded(next)) followed.stored = { ...followed.stored, status: next.status }
    else {
      onRunning()
      void this.#heedRequest(followed)
    }
  }

  onAnswered(id: string, keys: readonly string[]): void {
    const { stored } = this.#followed.get(id) ?? {}
    if (stored) void this.#change(stored, { answered: [...new Set([...stored.answered, ...keys])] })
  }

  /** Leaves what remote servers still run to a later host; what programs run ends with them. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#followed.values()].map(({ settled }) => settled))
    await this.#writing
  }

  /** Follows a kept task again. */
  async #resume(stored: StoredTask): Promise<void> {
    const asker = await describeAsker(this.#context.platform.processes)
    const { result } = await this.#ask(stored)
    await this.#follow({ ...stored, asker }, result)
  }

  /** Asks for a kept task. The tool is never called again: a task that its server does not know is lost. */
  async #ask(stored: StoredTask): Promise<{ readonly result: Promise<Json> }> {
    const server = this.#deps.serverOf(stored.server)
    if (!server) throw unreachable(stored, `The server "${stored.server}" is not declared here any more.`)
    if (server.entryHash !== stored.entry || (await this.#identityOf(server)) !== stored.identity)
      throw unreachable(stored, `"${stored.server}" has another entry or login than when the task began.`)
    const connection = await this.#deps.connectionOf(stored.server)
    const { id, taskId } = stored
    const watch: TaskWatch = {
      throwsOutages: true,
      answered: stored.answered,
      onState: (state) => this.onState(id, state),
      onAnswered: (keys) => this.onAnswered(id, keys),
    }
    const legacy = stored.era === 'legacy' ? { pollInterval: 0 } : { pollIntervalMs: 0 }
    const task = { taskId, status: stored.status, ...legacy }
    return { result: connection.resumeTask(task, { watchTask: () => watch }) }
  }

  async #follow(stored: StoredTask, result: Promise<Json>): Promise<void> {
    const { redactor } = this.#context
    if (stored.taskId.length >= secretLength) redactor.register(stored.taskId)
    const settled = this.#untilSettled(stored.id, result)
    let onRunning = () => {}
    const running = new Promise<void>((resolve) => (onRunning = resolve))
    this.#followed.set(stored.id, { stored, settled, running, onRunning, isCancelSent: false, failures: 0 })
    await this.#write(stored)
  }

  /** Where only asking failed, the task goes on at its server: it is asked again, and left to a later wait in the end. */
  async #untilSettled(id: string, first: Promise<Json>): Promise<{ readonly problem?: HostError }> {
    for (let result = first; ;) {
      let reason: unknown
      const change = await result.then(
        (raw) => this.#ended(raw),
        (error: unknown) => {
          reason = error
          return this.#failed(id, error)
        },
      )
      const followed = this.#followed.get(id)
      if (!followed) throw new Error(`The task ${id} is not followed.`)
      try {
        if (change.asker !== leftAsker || this.#isClosed()) {
          await this.#settle(followed, change)
          return {}
        }
        await this.#pauseAfter(followed, reason)
        ;({ result } = await this.#ask(followed.stored))
      } catch (error) {
        await this.#settle(followed, change)
        if (!isHostError(error)) return {}
        this.#lookLater(id)
        return { problem: error }
      }
    }
  }

  async #pauseAfter(followed: FollowedTask, reason: unknown): Promise<void> {
    const { attempts, pauseMs } = patience
    followed.failures++
    if (followed.failures < attempts)
      return this.#context.platform.clock.sleep(pauseMs * 2 ** (followed.failures - 1), this.#closing.signal)
    const { server } = followed.stored
    const said = this.#mask(reason instanceof Error ? reason.message : String(reason))
    const why = `"${server}" was asked ${attempts} times in vain. ${said}${/[.!?]$/.test(said) ? '' : '.'} The task may still run there.`
    throw unreachable(followed.stored, why, reason)
  }

  /** A host that lives on asks again from time to time, unless another process follows the task by then. */
  #lookLater(id: string): void {
    const { clock } = this.#context.platform
    const look = async () => {
      await clock.sleep(patience.laterMs, this.#closing.signal, { background: true })
      const stored = await this.#find(id)
      const task = await this.#look(stored)
      if (!isEnded(task) && !task.isFollowed) await this.#resume(stored)
    }
    // Closed, or not to be followed from here any more.
    look().catch(() => undefined)
  }

  #ended(raw: Json): Partial<StoredTask> {
    const output = readOutput(raw)
    const text = this.#mask(this.#render(output)).slice(0, maxText)
    return { status: output.failed ? 'failed' : 'completed', text }
  }

  #failed(id: string, error: unknown): Partial<StoredTask> {
    const { stored } = this.#followed.get(id) ?? {}
    const text = this.#mask(error instanceof Error ? error.message : String(error))
    // What the server said last says more than how the request ended.
    if (stored && isEnded(stored)) return { message: text }
    if (isHostError(error, 'request.refused') && error.data.error.code === unknownTask)
      return { status: 'lost', message: 'The server does not know it any more: it was lost or has expired.' }
    if (stored?.isProgram === false && (this.#isClosed() || !isHostError(error, 'call.cancelled')))
      return { asker: leftAsker }
    if (isHostError(error, 'call.cancelled') && !this.#isClosed()) return { status: 'cancelled' }
    return stored?.isProgram ? { status: 'lost', message: programEnded } : { status: 'failed', message: text }
  }

  async #settle({ stored }: FollowedTask, change: Partial<StoredTask>): Promise<void> {
    await this.#change(stored, change)
    this.#followed.delete(stored.id)
  }

  async #change(stored: StoredTask, change: Partial<StoredTask>): Promise<StoredTask> {
    const followed = this.#followed.get(stored.id)
    const changed = { ...(followed?.stored ?? stored), ...change, updatedAt: this.#now() }
    if (followed) followed.stored = changed
    await this.#write(changed)
    return changed
  }

  async #write(task: StoredTask): Promise<void> {
    const { id, ref, server, status, message } = task
    this.#context.events.emit({
      type: 'task.changed',
      id,
      ref,
      server,
      status,
      ...(message !== undefined && { message }),
    })
    this.#writing = this.#writing
      .then(() => this.#store.write(task))
      // A task that cannot be kept goes on as long as this host.
      .catch(() => undefined)
    await this.#writing
  }

  /** Another process may have asked for the end of a task that only this one reaches. */
  async #heedRequest(followed: FollowedTask): Promise<void> {
    if (followed.isCancelSent || !followed.stored.isProgram) return
    const kept = await this.#store.read(followed.stored.id)
    if (!kept?.isCancelRequested || followed.isCancelSent) return
    followed.isCancelSent = true
    followed.stored = { ...followed.stored, isCancelRequested: true }
    await this.#sendCancel(followed.stored).catch(async (error: unknown) => {
      const message = this.#mask(error instanceof Error ? error.message : String(error))
      await this.#change(followed.stored, { isCancelRequested: false, message })
    })
  }

  async #sendCancel({ server, taskId }: StoredTask): Promise<void> {
    const connection = await this.#deps.connectionOf(server)
    await connection.request('tasks/cancel', { taskId }, { timeoutMs: 5000 }).catch((error: unknown) => {
      if (!isHostError(error, 'request.refused')) throw error
      const { code } = error.data.error
      // It may have ended meanwhile; the next look says how.
      if (code === unknownTask) return
      if (code !== unknownMethod) throw error
      throw new HostError('request.refused', error.data, `"${server}" cannot cancel tasks.`, {
        hint: 'The task runs on until it ends by itself.',
        cause: error,
      })
    })
  }

  async #find(id: string): Promise<StoredTask> {
    const found = (await this.#store.list()).filter((task) => task.id.startsWith(id))
    const [task] = found
    if (task && id !== '' && found.length === 1) return task
    throw new HostError('task.unknown', { task: id }, `There is no task "${id}".`, {
      hint: 'See the tasks: plugboard tasks',
    })
  }

  /** The task as it is shown. One of a program that ended with its host is lost from then on. */
  async #look(stored: StoredTask): Promise<Task> {
    if (isEnded(stored)) return shown(stored, false)
    const { stored: current } = this.#followed.get(stored.id) ?? {}
    if (current) return shown(current, true)
    const { processes, clock } = this.#context.platform
    const asked = { asker: stored.asker, asked_at: stored.updatedAt }
    if (!(await isAskerGone(asked, { processes, clock }))) return shown(stored, true)
    if (!stored.isProgram) return shown(stored, false)
    const lost = { ...stored, status: 'lost' as const, message: programEnded, updatedAt: this.#now() }
    await this.#write(lost)
    return shown(lost, false)
  }

  #isClosed(): boolean {
    try {
      this.#deps.refuseClosed()
      return false
    } catch {
      return true
    }
  }

  #identityOf(server: Server): Promise<string> {
    const { platform, directories } = this.#context
    return accountInUse(server, { platform, directory: directories.logins })
  }

  #mask(text: string): string {
    return this.#context.redactor.maskKnown(text)
  }

  #now(): string {
    return new Date(this.#context.platform.clock.now()).toISOString()
  }
}

/** Invalid params: the answer of a server that does not know a task, in both generations. */
const unknownTask = -32602
const unknownMethod = -32601
const programEnded = 'The program that ran it has ended.'

function shown(stored: StoredTask, isFollowed: boolean): Task {
  const { id, ref, server, status, message, conversation, agent, startedAt, updatedAt, text } = stored
  return {
    id,
    ref,
    server,
    status,
    ...(message !== undefined && { message }),
    ...(conversation !== undefined && { conversation }),
    ...(agent !== undefined && { agent }),
    startedAt,
    updatedAt,
    ...(stored.isCancelRequested === true && { isCancelRequested: true }),
    isFollowed,
    ...(text !== undefined && { text }),
  }
}

const statuses: readonly string[] = ['input_required', 'completed', 'failed', 'cancelled']

function statusOf({ status }: TaskState): TaskStatus {
  return statuses.includes(status) ? (status as TaskStatus) : 'working' // one of the list above
}

function factsOf({ ttlMs, pollMs }: TaskState): Pick<StoredTask, 'ttlMs' | 'pollMs'> {
  return { ...(ttlMs !== undefined && { ttlMs }), ...(pollMs !== undefined && { pollMs }) }
}

function isProgram(server: Server | undefined): boolean {
  return server === undefined || server.transport.kind === 'stdio' || server.transport.kind === 'channel'
}

function unreachable(
  { id, server }: StoredTask,
  why: string,
  cause?: unknown,
): HostError<'task.unreachable'> {
  return new HostError(
    'task.unreachable',
    { task: id, server },
    `The task ${id} cannot be followed: ${why}`,
    cause === undefined ? {} : { cause, hint: `Wait for it again later: plugboard tasks wait ${id}` },
  )
}
