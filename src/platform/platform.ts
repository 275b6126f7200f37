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
  readonly clock: Clock
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
  readBytes(path: string, options: { readonly maxBytes: number }): Promise<Uint8Array>
  stat(path: string): Promise<FileStat | undefined>
  list(path: string): Promise<readonly string[]>
  realPath(path: string): Promise<string>
  /** Temp file, fsync, rename, fsync of the directory: afterwards the path holds the old text or the new one. */
  replace(path: string, text: string, options?: ReplaceOptions): Promise<void>
  /** A new file, with the folders above it made private; one that is already there is never overwritten. */
  writeBytes(path: string, bytes: Uint8Array, options: { readonly mode: number }): Promise<void>
  makePrivateDirectory(path: string): Promise<void>
  /** Gives a folder its final name in one step; `false`, and nothing moved, where something has that name already. */
  moveFolder(from: string, to: string): Promise<boolean>
  /** A folder of ours with all it holds. Links in it are not followed; one that is not there is fine. */
  removeFolder(path: string): Promise<void>
  /** Calls back on any change in a directory; the caller decides what changed. */
  watch(directory: string, onChange: () => void): Disposable
}

export interface ReplaceOptions {
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

export interface Clock {
  now(): number
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
