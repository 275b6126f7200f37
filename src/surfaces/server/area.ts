import type { Snapshot } from '../api/feed.ts'
import type { Handlers } from './handler.ts'
import type { ServeContext } from './serve-context.ts'

/** What an area adds to the snapshot. */
export type SnapshotPart = Partial<Pick<Snapshot, 'servers' | 'questions' | 'logins' | 'clients' | 'notices'>>

/** A part of the API that is loaded with its first request: its routes, its numbers and its events. */
export interface Area {
  readonly handlers: Partial<Handlers>
  readonly counts?: (context: ServeContext) => Promise<Partial<Snapshot['counts']>>
  readonly snapshot?: (context: ServeContext) => Promise<SnapshotPart>
  /** Publishes changes from now on; disposed when `serve` ends. */
  readonly follow?: (context: ServeContext) => Disposable
}
