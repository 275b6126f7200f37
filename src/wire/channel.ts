import type { Json } from '../model/json.ts'
import type { OutgoingMessage, RequestId } from './message.ts'
import type { WireError } from './wire-error.ts'

/** Carries messages to one server and back. A closed channel is never reopened. */
export interface Channel {
  readonly kind: 'stdio' | 'http' | 'sse' | 'memory'
  /** A request that cannot be delivered is reported through `Receiver.failed`. */
  send(message: OutgoingMessage, options?: SendOptions): void
  /**
   * Stops waiting for the answer to this request. `told`: the transport itself informs the server, for example by
   * closing the stream. `untold`: the server has to be sent a cancellation. `unsent`: the request had not left yet
   * and is dropped.
   */
  abandon(id: RequestId): 'told' | 'untold' | 'unsent'
  /** Sets the agreed protocol revision; it applies to every later message. */
  speak(version: string): void
  /** Ends the session as the transport requires and releases all resources. */
  close(): Promise<void>
}

export interface SendOptions {
  /** Headers that mirror tool arguments (`Mcp-Param-*`). Used over HTTP only. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Receives what a channel delivers. */
export interface Receiver {
  /**
   * A parsed message, not validated. `status` is the HTTP status of an unsuccessful response; `of` is the request on whose own
   * stream it came.
   */
  message(value: unknown, status?: number, of?: RequestId): void
  /**
   * Called before a message is parsed, where it arrives as text. A message that is returned is delivered instead, without
   * parsing: its text is known from before.
   */
  readText?(text: string): Json | undefined
  /** The request will get no answer, or its answer cannot be used. */
  failed(id: RequestId, error: WireError): void
  /** A message was discarded, incoming or outgoing. It is counted. */
  dropped(what: DropReason, sample?: string): void
  /** The channel is closed; called once. Every open request fails with this error. */
  closed(error: WireError): void
}

/**
 * Why a message was discarded. `noise`: not a message. `malformed`: a message that cannot be read. `oversize`: above
 * the size limit, with a known request. `late`, `duplicate`, `unmatched`: an answer that no open request waits for.
 * `untaken`: an outgoing message to a server that has not accepted the earlier ones.
 */
export type DropReason = 'noise' | 'malformed' | 'oversize' | 'late' | 'duplicate' | 'unmatched' | 'untaken'

export type OpenChannel = (receiver: Receiver) => Channel
