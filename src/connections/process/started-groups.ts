import { join } from 'node:path'
import type { Json } from '../../model/json.ts'
import type { Clock, Files, ProcessMark, Processes, TaggedProcess } from '../../platform/platform.ts'

/** A server's process group, as recorded by a host. */
export interface StartedGroup extends ProcessMark {
  /** The server's id and name. */
  readonly id: string
  readonly name: string
  /** In the environment of everything that it started; empty where the system does not show environments. */
  readonly tag: string
  readonly command: string
  /** The command line of its entry, without secrets, to tell servers of one runner apart; empty in records of before. */
  readonly line: string
}

/** A process that still ran after its server was stopped. */
export interface LeftProcess extends ProcessMark {
  /** `false`: it may have been started by the server, which cannot be proven. It is never signaled. */
  readonly isCertain: boolean
  readonly id: string
  /** The server's name. */
  readonly name: string
}

export interface StartedFile {
  /** Neither this nor `stopped` rejects or waits for the disk: a server runs even if it cannot be recorded. */
  started(group: StartedGroup): void
  stopped(group: ProcessMark): void
  /** Records processes that could not be ended. The file then stays, for `status` and the next sweep. */
  left(processes: readonly LeftProcess[]): void
  /** The error of the last write, if it failed. */
  readonly problem: Error | undefined
  /** Resolves when all records so far are written, or cannot be. */
  settled(): Promise<void>
  /** Removes the file, unless a process of this host could not be ended. */
  close(): Promise<void>
}

interface StartedOptions {
  /** `<state directory>/started` */
  readonly directory: string
  readonly cwd: string
  readonly files: Files
  readonly processes: Processes
  readonly clock: Pick<Clock, 'now'>
}

/** Records the process groups that this host has started, for `status` and for the sweep of orphans (T40). */
export function createStartedFile({ directory, cwd, files, processes, clock }: StartedOptions): StartedFile {
  let lines: string[] = []
  let path: string | undefined
  /** The host's own record; goes out with the first write. */
  let head = ''
  let problem: Error | undefined
  let hasLeft = false
  let writing: Promise<void> | undefined

  const add = (record: Json) => {
    lines.push(`${JSON.stringify(record)}\n`)
    writing ??= write()
  }
  const write = async () => {
    // Records of programs that start in the same tick share one write.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    problem = undefined
    while (lines.length > 0 && !problem) {
      const batch = lines
      lines = []
      try {
        path ??= await createFile()
        await files.append(path, head + batch.join(''), { isUrgent: true })
        head = ''
      } catch (error) {
        problem = error instanceof Error ? error : new Error(String(error))
        // Retried with the next record.
        lines = [...batch, ...lines]
      }
    }
    writing = undefined
  }
  const createFile = async () => {
    const { pid, startMark, machine } = await processes.self()
    head = `${JSON.stringify({ host: { pid, startMark, machine, cwd, at: clock.now() } })}\n`
    // The random part only distinguishes hosts in one process; the directory is private.
    return join(directory, `${pid}-${Math.random().toString(16).slice(2, 10)}.jsonl`)
  }
  return {
    started: ({ pid, startMark, id, name, tag, command, line }) =>
      add({ started: { pid, startMark, id, name, tag, command, line, at: clock.now() } }),
    stopped: ({ pid, startMark }) => add({ stopped: { pid, startMark } }),
    left(left) {
      hasLeft = true
      for (const { pid, startMark, id, name, isCertain } of left)
        add({ left: { pid, startMark, id, name, isCertain } })
    },
    get problem() {
      return problem
    },
    async settled() {
      await writing
    },
    async close() {
      await writing
      if (path !== undefined && !hasLeft) await files.remove(path).catch(() => undefined)
      path = undefined
    },
  }
}

/** A host with running servers, or one that has exited and left them behind. */
export interface StartedHost extends Omit<HostRecord, 'stopped'> {
  readonly isGone: boolean
  /** Processes of servers that have ended. */
  readonly left: readonly RunningLeft[]
}

/** A process that still runs though its server has ended. */
export interface RunningLeft extends LeftProcess {
  /** Unknown if only its pid was recorded. */
  readonly program?: string
}

/** A host as recorded in its file. */
export interface HostRecord {
  readonly file: string
  readonly pid: number
  readonly startMark: string
  readonly machine: string
  readonly cwd: string
  readonly at: number
  /** Groups that it started and did not stop, as far as recorded. */
  readonly groups: readonly RecordedGroup[]
  /** Groups that it started and that have ended. They may have left processes behind. */
  readonly stopped: readonly RecordedGroup[]
  readonly left: readonly LeftProcess[]
}

type RecordedGroup = StartedGroup & { readonly at: number }

interface ReadDependencies {
  readonly files: Files
  readonly processes: Processes
}

/** The running hosts of this user, and their servers. */
export async function readStarted(
  directory: string,
  { files, processes }: ReadDependencies,
): Promise<readonly StartedHost[]> {
  const { machine } = await processes.self()
  const running: StartedHost[] = []
  const hosts = (await readHosts(directory, files)).filter((host) => host.machine === machine)
  const tagged = hosts.length > 0 ? await processes.tagged('all') : []
  for (const { stopped, ...host } of hosts) {
    const isGone = !(await isRunning(host, processes))
    const alive = await Promise.all(host.groups.map((group) => isRunning(group, processes)))
    const groups = host.groups.filter((_, index) => alive[index])
    const ended = [...stopped, ...host.groups.filter((_, index) => !alive[index])]
    const left = await readLeft({ ...host, stopped: ended }, tagged, processes)
    if (groups.length + left.length > 0) running.push({ ...host, groups, left, isGone })
  }
  return running
}

/** What runs of servers that have ended: by the tag, and as the host recorded it. */
async function readLeft(
  { stopped, left }: Pick<HostRecord, 'stopped' | 'left'>,
  tagged: readonly TaggedProcess[],
  processes: Processes,
): Promise<readonly RunningLeft[]> {
  const found = new Map<number, RunningLeft>()
  for (const each of left) if (await isRunning(each, processes)) found.set(each.pid, each)
  for (const { id, name, tag } of stopped)
    for (const { pid, startMark, program } of withTag(tagged, tag))
      found.set(pid, { pid, startMark, id, name, program, isCertain: true })
  return [...found.values()]
}

export function withTag(tagged: readonly TaggedProcess[], tag: string): readonly TaggedProcess[] {
  return tag === '' ? [] : tagged.filter(({ tags }) => tags.includes(tag))
}

/** Whether it is the same process, and not another one with a reused pid. */
export async function isRunning({ pid, startMark }: ProcessMark, processes: Processes): Promise<boolean> {
  const now = await processes.startMarkOf(pid)
  return now !== undefined && now === startMark
}

export async function readHosts(directory: string, files: Files): Promise<readonly HostRecord[]> {
  const names = (await files.list(directory)).filter((name) => name.endsWith('.jsonl'))
  const hosts = await Promise.all(names.map((name) => readHost(join(directory, name), files)))
  return hosts.filter((host) => host !== undefined)
}

async function readHost(file: string, files: Files): Promise<HostRecord | undefined> {
  const found = await files.readText(file)
  if (found.kind !== 'text') return undefined
  let host: Omit<HostRecord, 'groups' | 'stopped' | 'left'> | undefined
  const groups = new Map<string, RecordedGroup>()
  const over: RecordedGroup[] = []
  const left: LeftProcess[] = []
  for (const line of found.text.split('\n')) {
    const { host: hostFields, started, stopped, left: leftFields } = parseRecord(line)
    if (isMark(hostFields) && !host) {
      const { pid, startMark, machine, cwd, at } = hostFields
      host = { file, pid, startMark, machine: textOf(machine), cwd: textOf(cwd), at: numberOf(at) }
    }
    if (isMark(started)) {
      const { pid, startMark, id, name, tag, command, line: shown, at } = started
      const texts = {
        id: textOf(id),
        name: textOf(name),
        tag: textOf(tag),
        command: textOf(command),
        line: textOf(shown),
      }
      groups.set(`${pid} ${startMark}`, { pid, startMark, ...texts, at: numberOf(at) })
    }
    const ended = isMark(stopped) ? `${stopped.pid} ${stopped.startMark}` : ''
    const group = groups.get(ended)
    if (group) over.push(group)
    groups.delete(ended)
    if (isMark(leftFields)) {
      const { pid, startMark, id, name, isCertain } = leftFields
      left.push({ pid, startMark, id: textOf(id), name: textOf(name), isCertain: isCertain === true })
    }
  }
  return host && { ...host, groups: [...groups.values()], stopped: over, left }
}

type Fields = Readonly<Record<string, unknown>>

/** A line that was cut off when its host exited is ignored. */
function parseRecord(line: string): Fields {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

/** Signals must never go to pids 0 and 1. */
function isMark(value: unknown): value is ProcessMark & Fields {
  return isFields(value) && Number(value['pid']) > 1 && typeof value['startMark'] === 'string'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
