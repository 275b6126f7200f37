import { HostError, isHostError } from '../../index.ts'
import type { Json, JsonObject } from '../../index.ts'
import { RpcError, rpcCodes } from '../../serving.ts'
import type { RequestId } from '../../serving.ts'
import type { GatewayClient } from './served-request.ts'

/** Of an answer that says: later. In the range that the protocol leaves to servers. */
const tooManyCalls = -32029

/** The error of an answer. Texts of host errors are for people and hold no secrets of others than the caller. */
export function toRpcError(error: unknown, { era }: Pick<GatewayClient, 'era'>): RpcError {
  if (error instanceof RpcError) return error
  if (isHostError(error, 'request.refused')) return passedError(error.data.error)
  if (isHostError(error, 'resource.unknown'))
    return new RpcError(
      era === 'modern' ? rpcCodes.invalidParams : rpcCodes.resourceNotFound,
      'Resource not found',
      { uri: error.data.uri },
    )
  if (isHostError(error, 'call.limited'))
    return new RpcError(tooManyCalls, error.message, { retryAfterMs: error.data.retryAfterMs }, 429)
  if (!(error instanceof HostError)) return new RpcError(rpcCodes.internal, 'Internal error')
  const isOfCaller = callersFaults.has(error.code)
  return new RpcError(isOfCaller ? rpcCodes.invalidParams : rpcCodes.internal, textOf(error))
}

/** Errors about headers and revisions, which each hop has its own of. */
const hopErrors: ReadonlySet<number> = new Set([rpcCodes.headerMismatch, rpcCodes.unsupportedVersion])

/**
 * The error of a server for the client. One about the hop to the server would say something wrong about that of the client. Its
 * status over HTTP is that of an answer: 400 and 404 are of the gateway, and some clients greet it again after them. What the
 * client has to declare is the exception, because that is about the client.
 */
export function passedError({ code, message, data }: Pick<RpcError, 'code' | 'message' | 'data'>): RpcError {
  if (hopErrors.has(code))
    return new RpcError(rpcCodes.internal, `The server refused the request of the gateway: ${message}`)
  return code === rpcCodes.missingCapability
    ? new RpcError(code, message, data)
    : new RpcError(code, message, data, 200)
}

const callersFaults: ReadonlySet<string> = new Set([
  'tool.unknown',
  'prompt.unknown',
  'prompt.held',
  'resource.held',
  'server.unknown',
  'call.invalid-args',
  'usage',
])

const protocolErrors: ReadonlySet<string> = new Set(['request.refused', 'tool.unknown', 'call.limited'])

/**
 * A call that did not run as a result of the tool, which reaches the model: it can correct its arguments, or tell the person
 * what to do. `undefined` for what is an error of the protocol.
 */
export function toFailedResult(error: unknown): JsonObject | undefined {
  if (!(error instanceof HostError) || protocolErrors.has(error.code)) return undefined
  return { content: [{ type: 'text', text: textOf(error) }], isError: true }
}

function textOf({ message, hint }: HostError): string {
  return hint === undefined || message.includes(hint) ? message : `${message}\n${hint}`
}

export function errorText(id: RequestId | null, { code, message, data }: RpcError): string {
  const error: Record<string, Json> = { code, message }
  if (data !== undefined) error['data'] = data
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}
