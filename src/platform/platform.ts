import type { Exit } from '../model/exit.ts'
import type { Browser, Keychain, Listen } from './login-ports.ts'

export type Os = 'linux' | 'darwin' | 'win32'
export type Env = Readonly<Record<string, string | undefined>>

/** The outside world as one injected value. Only `platform/node/` uses the modules of Node for it. */
export interface Platform {
  readonly os: Os
  readonly home: string
  readonly cwd: string
  readonly env: Env
  /** The root of system-wide files: `/`, or a drive. */
  readonly systemRoot: string
  readonly files: Files
  readonly lock: Lock
  readonly run: Run
  readonly spawn: Spawn
  readonly processes: Processes
  readonly http: Http
  readonly clock: Clock
  /** The keychain of the operating system; absent if secrets must not be stored in it. */
  readonly keychain?: Keychain
  readonly browser: Browser
  readonly listen: Listen
  /** The user id of this process; absent on Windows. */
  readonly uid?: number
  /** Asks the system for the account of this process, whatever the environment says. */
  readonly account: () => Account
}

export interface Account {
  /** Absent for an account without an entry, as in a container that runs under any user id. */
  readonly name?: string
  readonly home: string
  /** Whether this process can write into the home directory, or create it. */
  readonly canWrite: boolean
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
  /** Also removes write permission for group and others from an existing directory. To detect that it was there, check before. */
  readonly shutsOut?: boolean
}

/** The text at a path. An absent file is a value, not an error. */
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
  /** Tells the file from another one of the same name; absent where there is no such number. */
  readonly ino?: number
}

export interface Files {
  readText(path: string, options?: { readonly maxBytes?: number }): Promise<FileText>
  /** Reads from the offset `from`, if given. Rejects if there are more than `maxBytes`. */
  readBytes(path: string, options: { readonly maxBytes: number; readonly from?: number }): Promise<Uint8Array>
  stat(path: string): Promise<FileStat | undefined>
  list(path: string): Promise<readonly string[]>
  realPath(path: string): Promise<string>
  /** Replaces a file atomically (temp file, fsync, rename, fsync of the directory): readers see the old text or the new one. */
  replace(path: string, text: string, options?: ReplaceOptions): Promise<void>
  /** Writes a new file and creates missing parent folders as private. Never overwrites an existing file. */
  writeBytes(path: string, bytes: Uint8Array, options: { readonly mode: number }): Promise<void>
  /** Appends to a file; a missing file is created with access for its owner only. */
  append(path: string, text: string, options?: AppendOptions): Promise<void>
  /** Renames a file; an existing file of that name is overwritten. */
  move(from: string, to: string): Promise<void>
  /** Does nothing if the file does not exist. */
  remove(path: string): Promise<void>
  makePrivateDirectory(path: string, options?: PrivateDirectoryOptions): Promise<void>
  /** Renames a folder atomically; returns `false` without moving it if the name is already in use. */
  moveFolder(from: string, to: string): Promise<boolean>
  /** Removes a folder with its content. Links in it are not followed; a missing folder is ignored. */
  removeFolder(path: string): Promise<void>
  /** Calls back on any change in a directory; the caller finds out what changed. */
  watch(directory: string, onChange: () => void): Disposable
}

export interface AppendOptions {
  /** Writes synchronously, before the call returns, and creates a missing folder, private: for rare, short lines. */
  readonly isUrgent?: boolean
}

export interface ReplaceOptions {
  /** `false` skips the fsync, for data that can be obtained again after a crash of the machine. */
  readonly isDurable?: boolean
  readonly mode?: number
  /** The text that the path must still have right before the rename; otherwise nothing is written, and the problem is `changed`. */
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
  /** Runs an argv without a shell, or a string in the person's shell. */
  (command: readonly string[] | string, options: RunOptions): Promise<RunResult>
}

/** An open pair of byte streams. Each listener is set once; a chunk is valid until the listener returns. */
export interface Duplex {
  /** Returns `false` when the other side is slower than the writer; the text is buffered and sent before `onDrain` is called. */
  write(text: string): boolean
  onDrain(listener: () => void): void
  onData(listener: (chunk: Uint8Array) => void): void
  /** Called once, when no more data will arrive or nothing more can be written. */
  onEnd(listener: (error?: Error) => void): void
  /** Signals the end of the data to the other side. */
  end(): void
  destroy(): void
}

export interface SpawnOptions {
  /** A path, or a name that is searched only in the `PATH` of `env` (T04). */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Text that the program reads from file descriptor 3, for what must not be on its command line (not on Windows). */
  readonly handed?: string
}

export interface Spawn {
  /** Starts a program in a process group of its own, without a shell. Rejects with a `SpawnError`. */
  (options: SpawnOptions): Promise<Child>
}

export interface Child {
  /** Also the id of its process group. */
  readonly pid: number
  /** The start time as the kernel reports it: together with the pid it identifies a process, even if the pid is reused. */
  readonly startMark: string
  readonly command: string
  readonly io: Duplex
  /** Stderr is always drained, with or without a listener. A chunk is valid until the listener returns. */
  onStderr(listener: (chunk: Uint8Array) => void): void
  /** Settles when the program itself has exited, even if a grandchild still holds its pipes. */
  readonly exited: Promise<Exit>
  /** Settles when its pipes have ended too, or were released: 500 ms after its exit at the latest. */
  readonly drained: Promise<void>
  /** Signals the whole group, also after the program itself has exited; `false` if the group is empty. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): boolean
  /** Releases the pipes, so that they do not keep this process alive. */
  release(): void
}

/** Information on processes of the system, also those that this host did not start. */
export interface Processes {
  /** `machine` identifies the machine and pid namespace in which the pid is valid. */
  self(): Promise<ProcessMark & { readonly machine: string }>
  /** `undefined` if there is no such process, or the system does not provide it. */
  startMarkOf(pid: number): Promise<string | undefined>
  /** All descendants of a process, as far as the system provides them. */
  descendants(pid: number): Promise<readonly Descendant[]>
  /**
   * Processes with a start tag in their environment (Linux). `orphans`: only among those that have lost their parents,
   * which is fast, and also those that were started with an empty environment; `all`: among all processes of this user.
   */
  tagged(where: 'orphans' | 'all'): Promise<readonly TaggedProcess[]>
  isGroupAlive(pid: number): Promise<boolean>
  /** Signals exactly this process; `false` if it has exited, even if its pid was reused. */
  kill(target: ProcessMark, signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean>
  /** Signals the group that this process leads, also after the leader has exited; not if its pid was reused. */
  killGroup(leader: ProcessMark, signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean>
}

/** Pid and start time: they identify a process even if the pid is reused. */
export interface ProcessMark {
  readonly pid: number
  readonly startMark: string
}

export interface Descendant extends ProcessMark {
  readonly group: number
}

export interface TaggedProcess extends Descendant {
  /** One for each host that it runs in: the last one belongs to the innermost. None if it has no environment. */
  readonly tags: readonly string[]
  readonly program: string
}

export class SpawnError extends Error {
  override readonly name = 'SpawnError'
  readonly reason: 'not-found' | 'no-permission' | 'bad-cwd' | 'bad-argument' | 'no-resources' | 'other'
  /** The folders that were searched for a command without a path. */
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
  /** Creates a client for one server, with its own connections. The HTTP implementation is loaded now. */
  (options: HttpOptions): Promise<HttpClient>
}

export interface HttpOptions {
  readonly url: URL
  readonly socketPath?: string
  readonly tls?: { readonly verify?: boolean; readonly ca?: string }
  /** Provides the proxies: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in upper or lower case. */
  readonly env: Env
  readonly maxConnections: number
  /**
   * Which IP addresses may be connected to, whatever the host name: a name is resolved once, all of its addresses are
   * checked, and the connection uses one of them (T29). A proxy resolves names itself.
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
  /** Time limit for the headers of the response; 0 means none. */
  readonly headersTimeoutMs: number
  /** Time limit between two chunks of the body; 0 means none. */
  readonly idleTimeoutMs: number
}

export type HttpHeaders = Readonly<Record<string, string>>

/** Called in this order: `onHeaders`, `onData` any number of times (decompressed), then `onEnd` or `onError`, once. */
export interface HttpListener {
  onHeaders(status: number, headers: HttpHeaders): void
  onData(chunk: Uint8Array): void
  onEnd(): void
  onError(error: HttpError): void
}

export interface HttpExchange {
  /** Ends the exchange; the listener is not called again. */
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
  /** The wall-clock time, in milliseconds since 1970. */
  now(): number
  /** A time that never goes backwards, even if the wall clock is changed. */
  monotonic(): number
  /** Calls back once, unless disposed before. A background timer does not keep the process alive. */
  timer(ms: number, onDue: () => void, options?: { readonly background?: boolean }): Disposable
  /** Rejects when the signal aborts. A background sleep does not keep the process alive. */
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
