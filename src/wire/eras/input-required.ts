import { onAbort, raceAbort } from '../../model/abort.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { sample } from '../frames/decode.ts'
import type { AnswerRequest } from '../inbox.ts'
import { asSent, WireError } from '../wire-error.ts'

/** T24: limits on the questions of one call and on the state that we echo back. */
export const maxRounds = 8
const maxStateLength = 64 * 1024
const maxQuestions = 64

/** Requests that a server may make in the middle of a call. */
const allowedMethods = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

export interface InputRequiredResult {
  readonly requests: Readonly<Record<string, JsonObject>>
  /** Echoed back unchanged. */
  readonly state: string | undefined
}

/** Reads a result of type `input_required`. */
export function readInputRequired(result: JsonObject): InputRequiredResult {
  const { inputRequests, requestState } = result
  if (requestState !== undefined && typeof requestState !== 'string')
    throw invalidInput('requestState is not a string')
  if (requestState !== undefined && requestState.length > maxStateLength) {
    throw new WireError('too-large', `The server’s requestState has ${requestState.length} characters.`, {
      sent: true,
    })
  }
  return { requests: readRequests(inputRequests), state: requestState }
}

export function readRequests(requests: Json | undefined): Readonly<Record<string, JsonObject>> {
  if (requests === undefined) return {}
  if (!isObject(requests)) throw invalidInput('inputRequests is not an object')
  if (Object.keys(requests).length > maxQuestions)
    throw invalidInput(`there are more than ${maxQuestions} questions`)
  for (const request of Object.values(requests)) {
    if (!isObject(request) || typeof request['method'] !== 'string')
      throw invalidInput('a question has no method')
  }
  return requests as Readonly<Record<string, JsonObject>> // listener was just checked
}

/** Answers all questions; each answer has the key of its question. */
export async function answerAll(
  requests: Readonly<Record<string, JsonObject>>,
  answer: AnswerRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answers = Object.entries(requests).map(async ([key, request]) => {
    const { method } = request
    if (typeof method !== 'string' || !allowedMethods.has(method))
      throw invalidInput(`${sample(JSON.stringify(method) ?? 'undefined')} is not allowed during a call`)
    const params = isObject(request['params']) ? request['params'] : undefined
    return [key, await answer({ method, params, canWait: true }, signal)] as const
  })
  try {
    return Object.fromEntries(await Promise.all(answers))
  } catch (error) {
    if (error instanceof WireError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The server’s question could not be answered: ${reason}`
    throw new WireError('protocol', message, { sent: true, cause: error })
  }
}

/** The params of the next round: the original ones plus the answers and the state of this round only. */
export function nextRound(
  params: JsonObject | undefined,
  responses: JsonObject,
  state: string | undefined,
): JsonObject {
  const { inputResponses: _old, requestState: _before, ...same } = params ?? {}
  return {
    ...same,
    ...(Object.keys(responses).length > 0 && { inputResponses: responses }),
    ...(state !== undefined && { requestState: state }),
  }
}

/** The signals that end a call while none of its requests is in flight. */
export interface CallSignals {
  readonly signal?: AbortSignal | undefined
  /** Aborts when the connection ends; its reason is the `WireError`. */
  readonly ended: AbortSignal
}

/**
 * Runs work in the middle of a call, such as asking a person or sleeping. Ends when the call is cancelled or the
 * connection closes, even if `work` ignores its signal.
 */
export async function runWithinCall<T>(
  { signal, ended }: CallSignals,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ended.aborted) throw asSent(ended.reason)
  if (signal?.aborted) throw cancelled(signal)
  const over = new AbortController()
  let endReason: Error | undefined
  const end = (error: Error) => {
    endReason = error
    over.abort()
  }
  const listeners = [
    onAbort(signal, () => signal && end(cancelled(signal))),
    onAbort(ended, () => end(asSent(ended.reason))),
  ]
  try {
    return await raceAbort(work(over.signal), over.signal, () => endReason)
  } finally {
    for (const listener of listeners) listener[Symbol.dispose]()
    over.abort()
  }
}

function cancelled({ reason }: AbortSignal): WireError {
  return new WireError('cancelled', 'The call was cancelled.', { sent: true, cause: reason })
}

function invalidInput(what: string): WireError {
  return new WireError('protocol', `The server’s request for input is invalid: ${what}.`, {
    sent: true,
  })
}
