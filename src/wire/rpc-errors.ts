import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { sample } from './frames/decode.ts'
import { RpcError, WireError } from './wire-error.ts'

/** The error the server answered with. */
export function toError(fault: unknown, status?: number): Error {
  if (!isObject(fault) || typeof fault['code'] !== 'number') {
    return new WireError('protocol', 'The answer is an error without a code.', { sent: true })
  }
  const { code, message, data } = fault
  return new RpcError(code, typeof message === 'string' ? message : `error ${code}`, data, status)
}

export function tooMany({
  maxInFlight,
  maxQueued,
}: Readonly<Record<'maxInFlight' | 'maxQueued', number>>): WireError {
  return new WireError('busy', `${maxInFlight} requests are under way and ${maxQueued} wait.`)
}

/** The parts before this one took all the time there was. */
export function noTimeLeft(method: string, maxTimeoutMs: number): WireError {
  return new WireError('timeout', `Nothing was left for ${method} of the ${maxTimeoutMs} ms there were.`)
}

/** An answer that breaks the rules of JSON-RPC. */
export function misshapen(value: JsonObject, what: string): WireError {
  return new WireError('protocol', `The answer ${what}: ${sample(JSON.stringify(value))}`, { sent: true })
}

/** What is said of an answer to nothing of ours. */
export function foreignAnswer(id: unknown, isText: boolean): string {
  const hint = isText ? ', a text where the request had a number' : ''
  return `an answer to ${sample(JSON.stringify(id ?? null), 100)}${hint}`
}
