import type { DiscoverOptions, Host } from '../../index.ts'
import type { OwnStore } from '../../store.ts'
import type { FeedChange, Snapshot } from '../api/feed.ts'
import type { AppFrames } from '../../internal.ts'
import type { RunningServers } from './running-servers.ts'
import type { WireLog } from './offers/wire-log.ts'
import type { ServeDesk } from './talk/serve-desk.ts'

/** What all handlers share: one host for the folder of `serve`, the person's store, the events, the codes. */
export interface ServeContext {
  /** The folder that `serve` was started in. */
  readonly cwd: string
  /** The person's home directory, for shown paths; the demo has one of its own. */
  readonly home: string
  readonly isDemo: boolean
  /** How servers and files are found, with `cwd`: for everything that reads the configuration again. */
  readonly discover: DiscoverOptions
  /** Connects on demand; asks by the question desk of the store. */
  readonly host: Host
  /** Opened at the first use. Without a driver it has no `store`, and `problems` say why. */
  readonly store: () => Promise<OwnStore>
  /** Questions that wait for a person, and what tells of changes in the store. */
  readonly desk: ServeDesk
  readonly feed: Feed
  /** The messages of the last calls of `host`. */
  readonly wire: WireLog
  readonly running: RunningServers
  /** Where documents of apps are answered; absent if no port for them can be used. */
  readonly frames?: AppFrames
  /** The origin of the page. */
  readonly origin: string
  /** An address without the token that opens a path of the page once. */
  readonly linkTo: (path: string) => string
  readonly codes: Codes
  /** The variable by which an agent shows that it started `serve`: it has the token, so a yes may be its own (T48). */
  readonly agent?: string
  /** What people typed for inputs of declarations, by the id of the server and their own, until `serve` ends; the host reads it. */
  readonly inputs: Map<string, Map<string, string>>
  /** The numbers that the page shows everywhere. */
  readonly counts: () => Promise<Snapshot['counts']>
  /** Prints a line in the terminal of `serve`. */
  readonly print: (text: string) => void
  /** Aborted when `serve` ends. */
  readonly signal: AbortSignal
}

/** The events that pages receive. */
export interface Feed {
  publish(change: FeedChange): void
  /** Calls the listener with every change, for parts that depend on those of others; dispose the result to stop. */
  onChange(listener: (change: FeedChange) => void): Disposable
  /** Whether a page or program reads the events now. */
  readonly hasReaders: boolean
  /** Calls the listener when the first reader comes, and when the last one leaves. */
  onReaders(listener: (hasReaders: boolean) => void): Disposable
}

/** Codes that the terminal shows, so that a page alone cannot let a program run (T37). */
export interface Codes {
  /**
   * Prints the code with `lines`, which say what it allows, and beside the code in short by `summary`. Bound to `about`:
   * another request does not fit it. Throws `code.needed` if a person cannot see the terminal of `serve`, or not all lines.
   */
  show(request: {
    readonly about: unknown
    readonly lines: readonly string[]
    readonly summary: string
    readonly command?: string
  }): { readonly request: string; readonly expiresAt: number }
  /**
   * Throws `code.needed` without a code, and `code.wrong` if it is wrong, used, too old, or was shown for something else.
   * `command` does the same in a terminal, without a code.
   */
  use(given: {
    readonly request?: string | undefined
    readonly code?: string | undefined
    readonly about: unknown
    readonly command?: string
  }): void
}
