import { join } from 'node:path'
import { isObject, isStringArray, parseObject } from '../../model/json.ts'
import { isEnded } from '../../model/tasks/task.ts'
import type { Task } from '../../model/tasks/task.ts'
import type { Platform } from '../../platform/platform.ts'

/** A task as it is kept: enough to follow it again from another process, as the same person. */
export interface StoredTask extends Omit<Task, 'isFollowed'> {
  /** The server's id, which may be all that guards the task: readable by this user only, and never shown. */
  readonly taskId: string
  readonly era: 'modern' | 'legacy'
  /** The declaration of the server, and the login in use: the task belongs to both. */
  readonly entry: string
  readonly identity: string
  /** A program on this machine, whose tasks end with it. */
  readonly isProgram: boolean
  readonly argsHash: string
  readonly ttlMs?: number
  readonly pollMs?: number
  /** The keys of its questions that were answered. */
  readonly answered: readonly string[]
  /** The process that follows it. */
  readonly asker: string
}

/** Where tasks are kept. */
export interface TaskStore {
  list(): Promise<readonly StoredTask[]>
  read(id: string): Promise<StoredTask | undefined>
  write(task: StoredTask): Promise<void>
}

/** Ended tasks are kept for a week, and not more than this many. */
const kept = { ms: 7 * 24 * 3_600_000, count: 200 } as const
const fileName = /^[0-9a-f]{10}\.json$/

/** One private file for each task, which is replaced as a whole: another process sees the task before or after a change. */
export function createTaskFiles(
  directory: string,
  { files, uid, clock }: Pick<Platform, 'files' | 'uid' | 'clock'>,
): TaskStore {
  const pathOf = (id: string) => join(directory, `${id}.json`)
  const readFile = async (path: string): Promise<StoredTask | undefined> => {
    const found = await files.readText(path)
    if (found.kind !== 'text') return undefined
    // Another user could have us cancel or answer something.
    const isForeign = uid !== undefined && (found.stat.uid !== uid || (found.stat.mode & 0o022) !== 0)
    return isForeign ? undefined : parseTask(found.text)
  }
  const list = async () => {
    const names = await files.list(directory).catch(() => [])
    const found = await Promise.all(
      names.filter((name) => fileName.test(name)).map((name) => readFile(join(directory, name))),
    )
    return found
      .filter((task) => task !== undefined)
      .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
  }
  return {
    list,
    read: (id) => readFile(pathOf(id)),
    async write(task) {
      await files.makePrivateDirectory(directory, { shutsOut: true })
      await files.replace(pathOf(task.id), `${JSON.stringify(task)}\n`, { mode: 0o600 })
      if (!isEnded(task)) return
      const ended = (await list()).filter(isEnded)
      const before = new Date(clock.now() - kept.ms).toISOString()
      const old = ended.filter(({ updatedAt }, at) => at >= kept.count || updatedAt < before)
      for (const { id } of old) await files.remove(pathOf(id))
    },
  }
}

/** For hosts that keep nothing. */
export function createTaskMemory(): TaskStore {
  const tasks = new Map<string, StoredTask>()
  return {
    list: async () => [...tasks.values()].reverse(),
    read: async (id) => tasks.get(id),
    write: async (task) => void tasks.set(task.id, task),
  }
}

function parseTask(text: string): StoredTask | undefined {
  const value = parseObject(text)
  const texts = ['id', 'ref', 'server', 'status', 'taskId', 'era', 'entry', 'identity', 'startedAt', 'asker']
  if (!isObject(value) || !texts.every((key) => typeof value[key] === 'string')) return undefined
  return isStringArray(value['answered']) ? (value as unknown as StoredTask) : undefined // the fields were checked above
}
