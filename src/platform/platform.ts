import type { Exit } from '../model/exit.ts'
import type { Browser, Keychain, Listen } from './login-ports.ts'

/** The outside world as one injected value. Only `platform/node/` touches Node's own modules for it. */
export type Os = 'linux' | 'darwin' | 'win32'
export type Env = Readonly<Record<string, string | undefined>>

export interface Platform {
  readonly os: Os
  readonly home: string
  readonly cwd: string
  readonly env: Env
  /** Where system-wide files begin: `/`, or a drive. */
  readonly systemRoot: string
  readonly files: Files
  readonly lock: Lock
  readonly run: Run
  readonly spawn: Spawn
  readonly processes: Processes
  readonly http: Http
  readonly clock: Clock
  /** Where the person's own system keeps secrets; absent where nothing of ours may be in it. */
  readonly keychain?: Keychain
  readonly browser: Browser
  readonly listen: Listen
  /** Who we are, where the system knows users by number. */
  readonly uid?: number
}

export type FileProblem =
  | 'not-a-file'
  | 'too-large'
  | 'not-utf8'
  | 'no-permission'
  | 'no-space'
  | 'read-only'
  | 'changed'
  | 'io'

export interface PrivateDirectoryOptions {
  /** Also takes others' right to write from one that is there. Whoever must know that they had it looks first. */
  readonly shutsOut?: boolean
}

/** What was found at a path. Absence is an answer, not an error. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly bom: boolean; readonly stat: FileStat }
  | { readonly kind: 'absent' }
  | { readonly kind: 'problem'; readonly problem: FileProblem; readonly message: string }

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other'
  readonly mode: number
  readonly uid: number
  readonly size: number
  readonly mtimeMs: number
}

export interface Files {
  readText(path: string, options?: { readonly maxBytes?: number }): Promise<FileText>
  /** From the byte `from` on, if given. */
  readBytes(path: string, options: { readonly maxBytes: number; readonly from?: number }): Promise<Uint8Array>
  stat(path: string): Promise<FileStat | undefined>
  list(path: string): Promise<readonly string[]>
  realPath(path: string): Promise<string>
  /** Temp file, fsync, rename, fsync of the directory: afterwards the path holds the old text or the new one. */
  replace(path: string, text: string, options?: ReplaceOptions): Promise<void>
  /** A new file, with the folders above it made private; one that is already there is never overwritten. */
  writeBytes(path: string, bytes: Uint8Array, options: { readonly mode: number }): Promise<void>
  /** To the end of a file that only its owner may read, which is made if it is not there. */
  append(path: string, text: string, options?: AppendOptions): Promise<void>
  /** Gives a file another name, over a file that has it already. */
  move(from: string, to: string): Promise<void>
  /** One that is not there is fine. */
  remove(path: string): Promise<void>
  makePrivateDirectory(path: string, options?: PrivateDirectoryOptions): Promise<void>
  /** Gives a folder its final name in one step; `false`, and nothing moved, where something has that name already. */
  moveFolder(from: string, to: string): Promise<boolean>
  /** A folder of ours with all it holds. Links in it are not followed; one that is not there is fine. */
  removeFolder(path: string): Promise<void>
  /** Calls back on any change in a directory; the caller decides what changed. */
  watch(directory: string, onChange: () => void): Disposable
}

export interface AppendOptions {
  /** Written before anything else happens: for a line now and then, on a disk that is surely there. */
  readonly isUrgent?: boolean
}

export interface ReplaceOptions {
  /** `false` for what can be found out again: it need not survive a crash of the machine. */
  readonly isDurable?: boolean
  readonly mode?: number
  /** What the path must still hold right before the rename; else nothing is written and the problem is `changed`. */
  readonly over?: FileText
}

export interface Lock {
  /** Runs `work` while no other process holds the lock of this path. The kernel releases it when a process dies. */
  <T>(path: string, work: () => Promise<T>): Promise<T>
}

export interface RunOptions {
  readonly cwd: string
  readonly env: Env
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export type RunResult =
  | { readonly kind: 'done'; readonly stdout: string }
  | {
      readonly kind: 'failed'
      readonly reason: 'not-found' | 'exit' | 'timeout' | 'too-large' | 'cancelled'
      readonly message: string
    }

export interface Run {
  /** An argv runs as it is; a string runs in the person's shell. */
  (command: readonly string[] | string, options: RunOptions): Promise<RunResult>
}

/** An open pair of byte streams. Each listener is set once; a chunk is its own until it returns. */
export interface Duplex {
  /** `false` when the other side does not keep up; what was given is kept and goes out before `onDrain` is called. */
  write(text: string): boolean
  onDrain(listener: () => void): void
  onData(listener: (chunk: Uint8Array) => void): void
  /** Nothing more will come, or nothing can be written any more; called once. */
  onEnd(listener: (error?: Error) => void): void
  /** Tells the other side that nothing more follows. */
  end(): void
  destroy(): void
}

export interface SpawnOptions {
  /** A path, or a name that is looked for in the `PATH` of `env` and nowhere else (T04). */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export interface Spawn {
  /** Starts a program in a process group of its own, without a shell. Rejects with a `SpawnError`. */
  (options: SpawnOptions): Promise<Child>
}

export interface Child {
  /** Also the number of its group. */
  readonly pid: number
  /** The kernel's mark of when it began: with the pid it names one process for good. */
  readonly startMark: string
  readonly command: string
  readonly io: Duplex
  /** Always drained, whether anybody listens or not. A chunk is the listener's own until it returns. */
  onStderr(listener: (chunk: Uint8Array) => void): void
  /** Settles when the program itself is gone, even while a grandchild still holds its pipes. */
  readonly exited: Promise<Exit>
  /** Settles when its pipes have ended as well, or were let go: 500 ms after its exit at the latest. */
  readonly drained: Promise<void>
  /** To the whole group, also when the program itself is gone; `false` when nobody is left in it. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): boolean
  /** Lets go of the pipes, so that nothing of it keeps us alive. */
  release(): void
}

/** What the system tells about processes that need not be ours. */
export interface Processes {
  /** `machine` says where process numbers mean what they mean here. */
  self(): Promise<ProcessMark & { readonly machine: string }>
  /** `undefined` when there is no such process, or when the system does not tell. */
  startMarkOf(pid: number): Promise<string | undefined>
  /** What a process started, and what that started, as far as the system tells. */
  descendants(pid: number): Promise<readonly Descendant[]>
  isGroupAlive(pid: number): Promise<boolean>
  /** To that very process; `false` when it is gone, whoever has its number now. */
  kill(target: ProcessMark, signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean>
  /** To the group that this process began, also when it is gone itself; not when another one has its number. */
  killGroup(leader: ProcessMark, signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean>
}

/** The number and the moment name one process for good. */
export interface ProcessMark {
  readonly pid: number
  readonly startMark: string
}

export interface Descendant extends ProcessMark {
  readonly group: number
}

export class SpawnError extends Error {
  override readonly name = 'SpawnError'
  readonly reason: 'not-found' | 'no-permission' | 'bad-cwd' | 'bad-argument' | 'no-resources' | 'other'
  /** Where a command without a path was looked for. */
  readonly searched: readonly string[]
  constructor(
    reason: SpawnError['reason'],
    message: string,
    options: ErrorOptions & { readonly searched?: readonly string[] } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.searched = options.searched ?? []
  }
}

export interface Http {
  /** A client for one server, with connections of its own. What it needs is loaded now. */
  (options: HttpOptions): Promise<HttpClient>
}

export interface HttpOptions {
  readonly url: URL
  readonly socketPath?: string
  readonly tls?: { readonly verify?: boolean; readonly ca?: string }
  /** Where proxies are named: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` in either case. */
  readonly env: Env
  readonly maxConnections: number
  /**
   * Which addresses may be connected to, whatever name led there: what a name stands for is looked up once, checked as
   * a whole and connected to (T29). A proxy looks names up by itself.
   */
  readonly allows?: (address: string) => boolean
}

export interface HttpClient {
  send(request: HttpRequest, listener: HttpListener): HttpExchange
  close(): Promise<void>
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** How long the headers of the answer may take; 0 is no limit. */
  readonly headersTimeoutMs: number
  /** How long the body may be silent; 0 is no limit. */
  readonly idleTimeoutMs: number
}

export type HttpHeaders = Readonly<Record<string, string>>

/** Called in this order: `onHeaders`, `onData` any number of times (unpacked), then `onEnd` or `onError`, once. */
export interface HttpListener {
  onHeaders(status: number, headers: HttpHeaders): void
  onData(chunk: Uint8Array): void
  onEnd(): void
  onError(error: HttpError): void
}

export interface HttpExchange {
  /** Ends the exchange; the listener hears nothing more. */
  abort(): void
}

export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly reason:
    | 'dns'
    | 'tls'
    | 'refused'
    | 'reset'
    | 'timeout'
    | 'too-large'
    | 'malformed'
    | 'network'
    | 'blocked'
  /** Whether any byte of the request may have reached the server. */
  readonly sent: boolean
  constructor(reason: HttpError['reason'], sent: boolean, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.sent = sent
  }
}

export interface Clock {
  /** The time of day. */
  now(): number
  /** Only ever forward, whatever happens to the time of day. */
  monotonic(): number
  /** Calls back once, unless disposed before. A timer in the background does not keep the process alive. */
  timer(ms: number, onDue: () => void, options?: { readonly background?: boolean }): Disposable
  /** Rejects when the signal aborts. A sleep in the background does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>
}

export class FileError extends Error {
  override readonly name = 'FileError'
  readonly problem: FileProblem
  constructor(problem: FileProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
