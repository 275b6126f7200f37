import { onAbort, raceAbort } from '../../model/abort.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { sample } from '../frames/decode.ts'
import type { AnswerRequest } from '../inbox.ts'
import { asSent, WireError } from '../wire-error.ts'

/** T24: how often a server may ask back in one call, and how much it may make us carry. */
export const maxRounds = 8
const maxStateLength = 64 * 1024
const maxQuestions = 64

/** What a server may ask in the middle of a call. */
const askable = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

export interface InputRequired {
  readonly requests: Readonly<Record<string, JsonObject>>
  /** Goes back exactly as it came. */
  readonly state: string | undefined
}

/** Reads a result of the kind `input_required`. */
export function readInputRequired(result: JsonObject): InputRequired {
  const { inputRequests, requestState } = result
  if (requestState !== undefined && typeof requestState !== 'string')
    throw broken('its requestState is no text')
  if (requestState !== undefined && requestState.length > maxStateLength) {
    throw new WireError('too-large', `The server’s requestState has ${requestState.length} characters.`, {
      sent: true,
    })
  }
  return { requests: readRequests(inputRequests), state: requestState }
}

export function readRequests(requests: Json | undefined): Readonly<Record<string, JsonObject>> {
  if (requests === undefined) return {}
  if (!isObject(requests)) throw broken('its inputRequests are no object')
  if (Object.keys(requests).length > maxQuestions)
    throw broken(`it asks more than ${maxQuestions} questions at once`)
  for (const request of Object.values(requests)) {
    if (!isObject(request) || typeof request['method'] !== 'string')
      throw broken('one of its questions has no method')
  }
  return requests as Readonly<Record<string, JsonObject>> // each was just checked
}

/** Asks whoever can answer; the answers carry the keys of their questions. */
export async function answerAll(
  requests: Readonly<Record<string, JsonObject>>,
  answer: AnswerRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answers = Object.entries(requests).map(async ([key, request]) => {
    const { method } = request
    if (typeof method !== 'string' || !askable.has(method))
      throw broken(`it asks for ${sample(JSON.stringify(method) ?? 'nothing')}, which nobody may answer`)
    const params = isObject(request['params']) ? request['params'] : undefined
    return [key, await answer({ method, params }, signal)] as const
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

/** The same request once more, with the answers and the state of this round only. */
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

/** What a call hangs on while nothing of it is on the wire. */
export interface CallEnds {
  readonly signal?: AbortSignal | undefined
  /** Aborts with the connection, and with the `WireError` it ended with. */
  readonly ended: AbortSignal
}

/**
 * Work of ours in the middle of a call: a person is asked, or time passes. It is over when the call is cancelled or
 * the connection ends, whether those who do it listen to their signal or not.
 */
export async function withinCall<T>(
  { signal, ended }: CallEnds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ended.aborted) throw asSent(ended.reason)
  if (signal?.aborted) throw cancelled(signal)
  const over = new AbortController()
  let why: Error | undefined
  const stop = (error: Error) => {
    why = error
    over.abort()
  }
  const listening = [
    onAbort(signal, () => signal && stop(cancelled(signal))),
    onAbort(ended, () => stop(asSent(ended.reason))),
  ]
  try {
    return await raceAbort(work(over.signal), over.signal, () => why)
  } finally {
    for (const each of listening) each[Symbol.dispose]()
    over.abort()
  }
}

function cancelled({ reason }: AbortSignal): WireError {
  return new WireError('cancelled', 'The call was cancelled.', { sent: true, cause: reason })
}

function broken(what: string): WireError {
  return new WireError('protocol', `The server asked for input in a way that cannot be read: ${what}.`, {
    sent: true,
  })
}
