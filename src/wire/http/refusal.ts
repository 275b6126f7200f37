import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { decodeMessage } from '../frames/decode.ts'
import type { RequestId } from '../message.ts'

/** `null` is for whoever asked: the server could not tell the id. */
export function isAnswerTo(id: RequestId | null, value: Json): boolean {
  if (!isObject(value) || 'method' in value) return false
  if (id !== null) return value['id'] === id
  return (value['id'] ?? null) === null && isObject(value['error'])
}

export interface Refused {
  readonly id: RequestId
  readonly status: number
  readonly hasSession: boolean
}

/** What a status of 400 or more means for the request: its answer, a lost session, or neither. */
export function readRefusal(
  bytes: Uint8Array,
  { id, status, hasSession }: Refused,
): JsonObject | 'session' | undefined {
  // These say all there is to say by themselves.
  if (status === 401 || status === 403 || status === 429) return undefined
  const answer = readAnswer(bytes, id)
  const code = answer && isObject(answer['error']) ? answer['error']['code'] : undefined
  if (hasSession && status === 404 && code !== -32601) return 'session'
  // Real servers answer 400 to a session they do not know, some with an error for the right id.
  if (hasSession && status === 400 && !isStandard(code)) return 'session'
  if (!answer) return undefined
  // An address that takes no POST answers no request, unless it does so in the words of the new era.
  if (status === 405 && !isModern(code)) return undefined
  // An error without an id says no more than a status of 500 does.
  return answer['id'] === id || status < 500 ? { ...answer, id } : undefined
}

function readAnswer(bytes: Uint8Array, id: RequestId): JsonObject | undefined {
  try {
    const value = decodeMessage(bytes)
    // Many an API says {"error": …} with its 404; only what calls itself JSON-RPC answers the request.
    if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined
    return isAnswerTo(id, value) || isAnswerTo(null, value) ? value : undefined
  } catch {
    // A page, a proxy's words: the status alone counts.
    return undefined
  }
}

/** The codes of JSON-RPC itself: the server read the request and knows what is wrong with it. */
function isStandard(code: unknown): boolean {
  return typeof code === 'number' && code >= -32700 && code <= -32600
}

function isModern(code: unknown): boolean {
  return typeof code === 'number' && code >= -32022 && code <= -32020
}
