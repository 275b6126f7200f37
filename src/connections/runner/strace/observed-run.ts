import { resolve } from 'node:path'
import { readDnsAnswer } from './dns-answers.ts'
import { bytesIn, createStraceReader, descriptorPaths, textsIn } from './strace-calls.ts'
import type { SystemCall } from './strace-calls.ts'

/** A place that a program connected to. */
export interface ReachedHost {
  /** The name that was asked for, if DNS gave this address. */
  readonly name?: string
  readonly address: string
  readonly port: number
}

/** What a run of a program used of this machine. */
export interface ObservedRun {
  /** Every file that was opened or changed, by its path. */
  readonly files: ReadonlyMap<string, 'read' | 'written'>
  readonly programs: readonly string[]
  readonly hosts: readonly ReachedHost[]
  /** Sockets of other programs that it connected to. */
  readonly sockets: readonly string[]
  /** It used more than is kept. */
  readonly isCut: boolean
}

interface ObserveOptions {
  readonly cwd: string
  /**
   * What the first program is. `launcher`: it fetches and starts the server; what it does itself is left out. `box`: it becomes
   * the server in a process of its own; what comes before is left out.
   */
  readonly first: 'server' | 'launcher' | 'box'
}

const mostEntries = 20_000

/** Collects what a trace shows. Only calls that succeeded count: a search for files tries many places. */
export function createObserver({ cwd, first }: ObserveOptions) {
  const files = new Map<string, 'read' | 'written'>()
  const programs = new Set<string>()
  const hosts = new Map<string, ReachedHost>()
  const sockets = new Set<string>()
  const names = new Map<string, string>()
  const processes = new ProcessTree(cwd)
  let isCut = false
  let started = 0

  const addFile = (path: string, use: 'read' | 'written') => {
    if (files.size >= mostEntries && !files.has(path)) isCut = true
    else if (files.get(path) !== 'written') files.set(path, use)
  }
  const addHost = (host: ReachedHost) => {
    if (hosts.size < mostEntries) hosts.set(`${host.address} ${host.port}`, host)
    else isCut = true
  }
  const line = createStraceReader((call) => {
    processes.note(call)
    if (call.name === 'recvfrom') {
      if (/^\d+<UDP(?:v6)?:\[\S*:53\]>/.test(call.args) && names.size < mostEntries)
        for (const [address, name] of readDnsAnswer(bytesIn(call.args))) names.set(address, name)
      return
    }
    if (call.name.startsWith('execve') && call.result.startsWith('0')) started += 1
    if (first === 'box' && started < 2) return
    if (first === 'launcher' && processes.isFirst(call.thread)) return
    const folder = processes.folderOf(call.thread)
    if (call.name === 'connect') {
      const place = connectedPlace(call)
      if (typeof place === 'string') sockets.add(place)
      else if (place) addHost(place)
      return
    }
    if (call.result.startsWith('-1')) return
    for (const { path, use } of filesOf(call, folder)) addFile(path, use)
    const [program] = call.name.startsWith('execve') ? textsIn(call.args) : []
    if (program !== undefined) programs.add(resolve(folder, program))
  })
  return {
    line,
    finish: (): ObservedRun => ({
      files,
      programs: [...programs],
      hosts: [...hosts.values()].map((host) => {
        const name = names.get(host.address)
        return name === undefined ? host : { name, ...host }
      }),
      sockets: [...sockets],
      isCut,
    }),
  }
}

/** Which threads are one process, and the working directory of each. */
class ProcessTree {
  readonly #leaders = new Map<number, number>()
  readonly #folders = new Map<number, string>()
  #first: number | undefined

  constructor(readonly cwd: string) {}

  note({ thread, name, args, result }: SystemCall): void {
    this.#first ??= thread
    const leader = this.#leaderOf(thread)
    if (/^(?:clone3?|v?fork)$/.test(name)) {
      // In a box the number is that of the box; ours follows in a comment.
      const child = Number.parseInt(/\/\* (\d+) in strace/.exec(result)?.[1] ?? result, 10)
      if (!(child > 0)) return
      if (args.includes('CLONE_THREAD')) this.#leaders.set(child, leader)
      else this.#folders.set(child, this.folderOf(thread))
    } else if (name === 'chdir' && result.startsWith('0')) {
      this.#folders.set(leader, resolve(this.folderOf(thread), textsIn(args)[0] ?? ''))
    } else if (args.startsWith('AT_FDCWD<')) {
      const [folder] = descriptorPaths(args)
      if (folder !== undefined && folder.startsWith('/')) this.#folders.set(leader, folder)
    }
  }

  isFirst(thread: number): boolean {
    return this.#leaderOf(thread) === this.#first
  }

  folderOf(thread: number): string {
    return this.#folders.get(this.#leaderOf(thread)) ?? this.cwd
  }

  #leaderOf(thread: number): number {
    return this.#leaders.get(thread) ?? thread
  }
}

interface FileUse {
  readonly path: string
  readonly use: 'read' | 'written'
}

function filesOf({ name, args, result }: SystemCall, folder: string): readonly FileUse[] {
  const texts = textsIn(args)
  if (/^(?:open|openat|openat2|creat)$/.test(name)) {
    // The path of the descriptor is the file itself; a link that led to it is not needed in a box.
    const path = descriptorPaths(result)[0] ?? ''
    const isWritten = name === 'creat' || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(args)
    return path.startsWith('/') ? [{ path, use: isWritten ? 'written' : 'read' }] : []
  }
  if (name.startsWith('execve'))
    return texts.slice(0, 1).map((text) => ({ path: resolve(folder, text), use: 'read' }))
  if (!/^(?:mkdir|rename|unlink|rmdir|link|symlink|truncate)/.test(name)) return []
  const bases = descriptorPaths(args)
  const named = name.startsWith('symlink') ? texts.slice(1) : texts
  return named.map((text, index) => ({
    path: resolve(bases[index] ?? bases[0] ?? folder, text),
    use: 'written',
  }))
}

/** The host of a connection, or the path of a socket. Lookups and failed connections to sockets are neither. */
function connectedPlace({ args, result }: SystemCall): ReachedHost | string | undefined {
  const isRefused =
    result.startsWith('-1') &&
    !/^-1 E(?:INPROGRESS|CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT|INTR)/.test(result)
  if (isRefused) return undefined
  if (args.includes('sa_family=AF_UNIX')) {
    if (!result.startsWith('0')) return undefined
    const [path = ''] = textsIn(args)
    return args.includes('sun_path=@') ? `@${path}` : path || undefined
  }
  const port = Number(/sin6?_port=htons\((\d+)\)/.exec(args)?.[1] ?? 0)
  const address = textsIn(args).find((text) => /^[\d.]+$|^[\da-f:.]+$/i.test(text))
  // A datagram to port 0 or 53 asks which way an address goes, or for a name.
  const isLookup = /^\d+<UDP/.test(args) && (port === 0 || port === 53)
  return address === undefined || isLookup ? undefined : { address, port }
}
