import type { Diagnostic } from './diagnostic.ts'
import type { ErrorCode } from './error.ts'
import type { Json } from './json.ts'
import type { Status } from './status.ts'

/** What happened in a host: plain JSON, past tense, in order, redacted (D-13). */
export type HostEvent = { readonly at: number } & (
  | { readonly type: 'server.changed'; readonly id: string; readonly server: string; readonly status: Status }
  /** Its program runs; `command` is the absolute path that its entry's command came to. */
  | {
      readonly type: 'server.started'
      readonly id: string
      readonly server: string
      readonly pid: number
      readonly command: string
    }
  /** A line of the server's stderr, or of its stdout that is no message. */
  | {
      readonly type: 'server.said'
      readonly id: string
      readonly server: string
      readonly stream: 'stderr' | 'stdout'
      readonly line: string
    }
  /** A notification of the server. */
  | {
      readonly type: 'server.notified'
      readonly id: string
      readonly server: string
      readonly method: string
      readonly params?: Json
    }
  /** The configuration was read anew, with everything that is wrong with it. */
  | { readonly type: 'config.changed'; readonly diagnostics: readonly Diagnostic[] }
  /** A call was made, told how far it is, and came to an end; its arguments and result stay between the two. */
  | ({ readonly type: 'call.started'; readonly conversation?: string } & CallIdentity)
  | ({ readonly type: 'call.progressed' } & Progress & CallIdentity)
  /** `error` is the code of what was thrown: the call did not run, or nobody knows whether it did. */
  | ({
      readonly type: 'call.finished'
      readonly ms: number
      readonly failed: boolean
      readonly error?: ErrorCode
    } & CallIdentity)
  /** What servers offer is another; refs, in the order of the catalog. */
  | {
      readonly type: 'catalog.changed'
      readonly server: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly changed: readonly string[]
    }
  /** One of its lists is no longer what it was. */
  | {
      readonly type: 'list.changed'
      readonly id: string
      readonly server: string
      readonly list: 'tools' | 'resources' | 'prompts' | 'resourceTemplates'
    }
  /** Something about the server that a person should know, and that stopped nothing. */
  | { readonly type: 'server.warned'; readonly id: string; readonly server: string; readonly message: string }
)

/** How far a request has got, as its server reports it. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** One call among all of a host. */
interface CallIdentity {
  readonly id: string
  readonly ref: string
}

/** An event without its time, which is added when it is told. */
export type UntimedEvent = HostEvent extends infer Event
  ? Event extends HostEvent
    ? Omit<Event, 'at'>
    : never
  : never
