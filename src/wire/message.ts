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

/** What we send. */
export type Outgoing = Request | Notification | Response

/** The id of a request. Nothing is expected back for anything else. */
export function requestIdOf(message: Outgoing): RequestId | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined
}

/** The revisions we speak, newest first. */
export const modernVersion = '2026-07-28'
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
