import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { RequestId } from '../message.ts'

/** A message of a client, checked as far as JSON-RPC goes. */
export type IncomingMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: RequestId; readonly result?: Json; readonly error?: Json }
  /** `id` if it can be read, so that the refusal reaches its request. */
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly message: string }

export function readIncoming(value: Json): IncomingMessage {
  if (!isObject(value)) return invalid(null, 'A message has to be an object; batches are not supported.')
  const { jsonrpc, id, method, params, result, error } = value
  const known = isId(id) ? id : null
  if (jsonrpc !== '2.0') return invalid(known, 'A message needs "jsonrpc": "2.0".')
  if (id !== undefined && known === null)
    return invalid(null, 'An id has to be a string or a number below 2^53.')
  if (method === undefined) {
    if (known === null || (result === undefined) === (error === undefined))
      return invalid(known, 'The message is neither a request nor a notification nor a response.')
    return { kind: 'response', id: known, ...(error === undefined ? { result: result ?? null } : { error }) }
  }
  if (typeof method !== 'string') return invalid(known, 'A method has to be a string.')
  if (params !== undefined && !isObject(params)) return invalid(known, 'Parameters have to be an object.')
  const body = { method, params: params ?? noParams }
  return known === null ? { kind: 'notification', ...body } : { kind: 'request', id: known, ...body }
}

const noParams: JsonObject = {}

function isId(id: Json | undefined): id is RequestId {
  // A larger number is read as another one, so its answer would name another request.
  return typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER)
}

function invalid(id: RequestId | null, message: string): IncomingMessage {
  return { kind: 'invalid', id, message }
}
