import type { Json } from './json.ts'
import type { Status } from './status.ts'

/** What happened in a host: plain JSON, past tense, in order, redacted (D-13). */
export type HostEvent = { readonly at: number } & (
  | { readonly type: 'server.changed'; readonly id: string; readonly server: string; readonly status: Status }
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
