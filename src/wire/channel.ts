import type { Outgoing, RequestId } from './message.ts'
import type { WireError } from './wire-error.ts'

/** Carries messages to one server and back. It is open once, and never again after it closed. */
export interface Channel {
  readonly kind: 'stdio' | 'http' | 'sse' | 'memory'
  /** A request that cannot be delivered comes back through `Receiver.failed`. */
  send(message: Outgoing, options?: SendOptions): void
  /**
   * Nobody waits for this answer any more. `told` when the server learns it by that, as from a closed stream; `unsent`
   * when the request had not left yet and never will.
   */
  abandon(id: RequestId): 'told' | 'untold' | 'unsent'
  /** The revision both sides agreed on: from now on messages are sent in its way. */
  speak(version: string): void
  /** Says goodbye as the transport does, and lets go of everything. */
  close(): Promise<void>
}

export interface SendOptions {
  /** Headers that mirror arguments (`Mcp-Param-*`); only HTTP has use for them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The side of a channel that hears. */
export interface Receiver {
  /** A message as it was parsed; nothing about it is checked. `status` is the one of HTTP, where it is no success. */
  message(value: unknown, status?: number): void
  /** This request will not be answered, or its answer cannot be used. */
  failed(id: RequestId, error: WireError): void
  /** Something came that belongs to no request, or does not leave; it is counted. */
  dropped(what: Dropped, sample?: string): void
  /** The channel is gone; called once. Every open request fails with it. */
  closed(error: WireError): void
}

/**
 * `noise` is no message, `malformed` a message nobody can read, `oversize` one beyond the cap whose request is known;
 * `untaken` is what we had to say to a server that does not take what it was told before.
 */
export type Dropped = 'noise' | 'malformed' | 'oversize' | 'late' | 'duplicate' | 'unmatched' | 'untaken'

export type OpenChannel = (receiver: Receiver) => Channel
