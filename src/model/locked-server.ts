/** The file beside a project's config that holds what its team agreed on (D-11). */
export const lockFileName = 'mcp.lock.json'

/** What a team agreed on for one server. Hashes are `sha256:` and 64 hexadecimal digits. */
export interface LockedServer {
  /** The hash that `trust --hash` takes, the same on every machine. */
  readonly declaration: string
  /** The name of a program outside of the project, or `./path` for one in it. Absent for a server that is only an address. */
  readonly command?: string
  /** The package or image that the command runs. */
  readonly package?: string
  /** The version or digest that ran; absent if it was not known. */
  readonly version?: string
  /** Files of the project that are run, by their path in it. */
  readonly scripts: ReadonlyMap<string, string>
  /** Of what runs now: the scripts that lock files of earlier versions do not have (T133). In no file. */
  readonly resolved?: ReadonlySet<string>
  readonly instructions?: string
  /** By the server's own names; templates by their pattern. Maps: a server may call a tool `__proto__`. */
  readonly tools: ReadonlyMap<string, string>
  readonly prompts: ReadonlyMap<string, string>
  readonly templates: ReadonlyMap<string, string>
  /** Documents of apps by their address; absent if none was read when the file was written. */
  readonly apps?: ReadonlyMap<string, string>
  /** By their addresses. A hash covers the set of files with their digests. */
  readonly skills: ReadonlyMap<string, string>
}

export interface LockFile {
  readonly servers: ReadonlyMap<string, LockedServer>
}

/** What the lock file of a project says about a server that the project declares. */
export type LockState =
  | {
      readonly kind: 'locked'
      readonly file: string
      readonly declaration: string
      readonly locked: LockedServer
    }
  /** The file does not have the server. */
  | { readonly kind: 'missing'; readonly file: string; readonly declaration: string }
  | ({ readonly kind: 'broken'; readonly file: string } & LockProblem)

/** Why a lock file cannot be used, as a sentence without its file. */
export interface LockProblem {
  readonly problem: string
  readonly line: number
  readonly column: number
  readonly hint: string
}
