/** What a client of the gateway asks for: the folder, and the flags of its command line. */
export interface DeskRequest {
  readonly cwd: string
  readonly preset?: string
  readonly config?: string
  readonly source?: readonly string[]
  readonly trust?: boolean
  readonly view?: string
  readonly search?: boolean
}

/** The first line on a connection to the gateway of a user. What follows `hello` is MCP, with control lines in it. */
export type DeskOpening =
  | {
      readonly plugboard: 1
      readonly hello: DeskRequest
      readonly version: string
      readonly pid: number
      /** The variables of `asked` that are set. */
      readonly values: Readonly<Record<string, string>>
      readonly asked: readonly string[]
    }
  | { readonly plugboard: 1; readonly command: 'status' | 'watch' | 'stop' | 'retire' }

/** What the gateway sends as control lines. */
export type DeskReply =
  /** Names of variables whose values it needs; a name that ends with `*` is a prefix. */
  | { readonly need: readonly string[]; readonly version: string }
  /** The client may begin. */
  | { readonly ready: true; readonly version: string }
  /** It was stopped by a person, and ends now: its clients end too. */
  | { readonly stopped: true; readonly version: string }
  /** It cannot serve this client, which then serves itself. */
  | { readonly refused: string; readonly version: string }

/** The control line with which the shim answers `need`. */
export interface DeskValues {
  readonly values: Readonly<Record<string, string>>
}
