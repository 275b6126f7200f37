import type { Json, JsonObject } from '../../model/json.ts'
import { modernVersion } from '../message.ts'
import { RpcError } from '../wire-error.ts'

/** The error codes that a server answers with. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Of legacy revisions; the modern one uses `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** The HTTP status of an error in the modern era. Errors of a handler are answers like any other, except these. */
export function httpStatusOf({ code, status }: Pick<RpcError, 'code' | 'status'>): number {
  if (status !== undefined) return status
  if (code === rpcCodes.methodNotFound) return 404
  return statuses400.has(code) ? 400 : 200
}

const statuses400: ReadonlySet<number> = new Set([
  rpcCodes.parse,
  rpcCodes.invalidRequest,
  rpcCodes.headerMismatch,
  rpcCodes.missingCapability,
  rpcCodes.unsupportedVersion,
])

export function methodNotFound(method: string): RpcError {
  return new RpcError(rpcCodes.methodNotFound, `Method not found: ${method.slice(0, 200)}`)
}

export function invalidParams(message: string, data?: Json): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, data)
}

export function headerMismatch(message: string): RpcError {
  return new RpcError(rpcCodes.headerMismatch, `Header mismatch: ${message}`)
}

export function unsupportedVersion(requested: string): RpcError {
  return new RpcError(rpcCodes.unsupportedVersion, 'Unsupported protocol version', {
    supported: [modernVersion],
    requested,
  })
}

/** @param required The capabilities that the client would have to declare. */
export function missingCapability(required: JsonObject): RpcError {
  const names = Object.keys(required).join(', ')
  return new RpcError(
    rpcCodes.missingCapability,
    `This request needs a capability that the client does not declare: ${names}`,
    {
      requiredCapabilities: required,
    },
  )
}
