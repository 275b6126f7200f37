import type { RpcFault } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'

export type RequestId = string | number

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject
}

export type Response =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: Json }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly error: RpcFault }

/** A message to the server. */
export type OutgoingMessage = Request | Notification | Response

/** The id if the message is a request; other messages get no answer. */
export function requestIdOf(message: OutgoingMessage): RequestId | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined
}

/** Supported protocol revisions, newest first. */
export const modernVersion = '2026-07-28'
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
