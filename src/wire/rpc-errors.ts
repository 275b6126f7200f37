import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { sample } from './frames/decode.ts'
import { RpcError, WireError } from './wire-error.ts'

/** Converts the `error` member of an answer. */
export function toAnswerError(fault: unknown, status?: number): Error {
  if (!isObject(fault) || typeof fault['code'] !== 'number') {
    return new WireError('protocol', 'The server answered with an error that has no code.', { sent: true })
  }
  const { code, message, data } = fault
  return new RpcError(code, typeof message === 'string' ? message : `error ${code}`, data, status)
}

export function queueFull({
  maxInFlight,
  maxQueued,
}: Readonly<Record<'maxInFlight' | 'maxQueued', number>>): WireError {
  return new WireError('busy', `${maxInFlight} requests are running and ${maxQueued} are queued.`)
}

export function queueBytesFull({ maxQueuedBytes }: Readonly<Record<'maxQueuedBytes', number>>): WireError {
  const limit = `${Math.floor(maxQueuedBytes / 1_000_000)} MB`
  return new WireError('busy', `The arguments of the queued requests would exceed ${limit}.`)
}

/** Earlier requests of the same operation used up the total time. */
export function timeUsedUp(method: string, maxTimeoutMs: number): WireError {
  return new WireError(
    'timeout',
    `The time limit of ${maxTimeoutMs} ms was used up before ${method} could be sent.`,
  )
}

/** An answer that violates JSON-RPC. */
export function invalidAnswer(value: JsonObject, what: string): WireError {
  return new WireError('protocol', `The answer ${what}: ${sample(JSON.stringify(value))}`, { sent: true })
}

/** Sample text for an answer that matches no open request. */
export function describeUnmatched(id: unknown, isString: boolean): string {
  const hint = isString ? ', a string where the request had a number' : ''
  return `an answer to ${sample(JSON.stringify(id ?? null), 100)}${hint}`
}
