import type { RouteAnswer, RouteInput, RouteKey } from '../api/api.ts'
import type { ServeContext } from './serve-context.ts'

export interface HandlerOptions {
  /** Aborted when the client leaves or `serve` ends. */
  readonly signal: AbortSignal
}

/** Answers one route. A thrown `HostError` becomes `{ "error": … }` with the status of its code. */
export type Handler<Key extends RouteKey> = (
  context: ServeContext,
  input: RouteInput<Key>,
  options: HandlerOptions,
) => Promise<RouteAnswer<Key>>

export type Handlers = { readonly [Key in RouteKey]: Handler<Key> }
