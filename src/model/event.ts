import type { Finding } from './finding.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { OfferKind } from './definition/canonical-definition.ts'
import type { ErrorCode } from './error.ts'
import type { Json } from './json.ts'
import type { Status } from './status.ts'
import type { TaskStatus } from './tasks/task.ts'

/** An event of a host: plain JSON, named in the past tense, delivered in order, with secrets masked (D-13). */
export type HostEvent = { readonly at: number } & (
  | { readonly type: 'server.changed'; readonly id: string; readonly server: string; readonly status: Status }
  /** The server's program was started; `command` is the absolute path that the entry's command resolved to. */
  | {
      readonly type: 'server.started'
      readonly id: string
      readonly server: string
      readonly pid: number
      readonly command: string
    }
  /** A line of the server's stderr, or a line of its stdout that is not a message. */
  | {
      readonly type: 'server.said'
      readonly id: string
      readonly server: string
      readonly stream: 'stderr' | 'stdout'
      readonly line: string
    }
  /** A notification from the server. */
  | {
      readonly type: 'server.notified'
      readonly id: string
      readonly server: string
      readonly method: string
      readonly params?: Json
      /** From a connection that is not shared: its key. */
      readonly own?: string
      /** The number of the request that was passed on and that it belongs to, where the server says so. */
      readonly request?: number
    }
  /** The configuration was reloaded; `diagnostics` are all problems in it. */
  | { readonly type: 'config.changed'; readonly diagnostics: readonly Diagnostic[] }
  /** The start, progress and end of a call. Its arguments and result are not part of the events. */
  | ({ readonly type: 'call.started'; readonly conversation?: string } & CallIdentity)
  | ({ readonly type: 'call.progressed' } & Progress & CallIdentity)
  /** A call that could carry private data to strangers; `path` names the three tools (T15). */
  | ({
      readonly type: 'call.warned'
      readonly message: string
      readonly path: { readonly untrusted: string; readonly private: string; readonly out: string }
    } & CallIdentity)
  /** The text of a result contains instructions or hides something; it was passed on, with its findings (T16). */
  | ({
      readonly type: 'call.marked'
      readonly message: string
      readonly findings: readonly Finding[]
    } & CallIdentity)
  /** `error` is the code of the thrown error: the call did not run, or its outcome is unknown. */
  | ({
      readonly type: 'call.finished'
      readonly ms: number
      readonly failed: boolean
      readonly error?: ErrorCode
    } & CallIdentity)
  /** A server runs a call in the background; `id` is that of `host.tasks`. */
  | {
      readonly type: 'task.changed'
      readonly id: string
      readonly ref: string
      readonly server: string
      readonly status: TaskStatus
      readonly message?: string
    }
  /** The catalog changed; the lists hold tool refs, in the order of the catalog. All are empty if only resources or prompts changed. */
  | {
      readonly type: 'catalog.changed'
      readonly server: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
      readonly changed: readonly string[]
    }
  /** Offers of a server were accepted without a person: at first sight, or as an addition. */
  | {
      readonly type: 'offer.accepted'
      readonly id: string
      readonly server: string
      readonly how: 'first-sight' | 'added'
      readonly offers: readonly EventOffer[]
    }
  /** Offers of a server are held: a model does not get them until a person has reviewed them. */
  | {
      readonly type: 'offer.held'
      readonly id: string
      readonly server: string
      readonly offers: readonly (EventOffer & { readonly reason: string })[]
    }
  /** One of the server's lists changed. */
  | {
      readonly type: 'list.changed'
      readonly id: string
      readonly server: string
      readonly list: 'tools' | 'resources' | 'prompts' | 'resourceTemplates' | 'skills'
    }
  /** Rows of the person's audit trail cannot be written; they are kept in memory and tried again. */
  | { readonly type: 'audit.failed'; readonly message: string }
  /** A warning about the server for a person; no operation failed because of it. */
  | {
      readonly type: 'server.warned'
      readonly id: string
      readonly server: string
      readonly message: string
      /** Its tools could not be listed. */
      readonly about?: 'tools'
    }
)

/** A tool, prompt, resource template or the instructions of a server; `ref` is that of a tool. */
export interface EventOffer {
  readonly kind: OfferKind
  readonly name: string
  readonly ref?: string
}

/** How far a request has got, as its server reports it. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Identifies one call of a host. */
export interface CallIdentity {
  readonly id: string
  readonly ref: string
}

/** An event without its time, which `HostEvents` adds when it emits the event. */
export type UntimedEvent = HostEvent extends infer Event
  ? Event extends HostEvent
    ? Omit<Event, 'at'>
    : never
  : never
