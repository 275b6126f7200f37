import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { RpcError, WireError } from './wire-error.ts'

/** The error the server answered with. */
export function toError(fault: unknown): Error {
  if (!isObject(fault) || typeof fault['code'] !== 'number') {
    return new WireError('protocol', 'The answer is an error without a code.', { sent: true })
  }
  const { code, message, data } = fault
  return new RpcError(code, typeof message === 'string' ? message : `error ${code}`, data)
}

export function tooMany({
  maxInFlight,
  maxQueued,
}: Readonly<Record<'maxInFlight' | 'maxQueued', number>>): WireError {
  return new WireError('busy', `${maxInFlight} requests are under way and ${maxQueued} wait.`)
}

/** An answer that breaks the rules of JSON-RPC. */
export function misshapen(value: JsonObject, what: string): WireError {
  return new WireError('protocol', `The answer ${what}: ${JSON.stringify(value).slice(0, 200)}`, {
    sent: true,
  })
}

/** The channel was gone before the request could leave. */
export function unsent(error: WireError): WireError {
  return new WireError(error.code, error.message, { cause: error, facts: error.facts })
}
