import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { modernVersion } from '../message.ts'
import { RpcError } from '../wire-error.ts'
import { rpcCodes, unsupportedVersion } from './served-errors.ts'

const prefix = 'io.modelcontextprotocol/'
export const subscriptionIdKey = `${prefix}subscriptionId`
export const serverInfoKey = `${prefix}serverInfo`
export const logLevelKey = `${prefix}logLevel`

/** What a modern client says about itself with every request. */
export interface ModernClient {
  readonly capabilities: JsonObject
  readonly info?: JsonObject
  /** Without it, the client gets no log messages. */
  readonly logLevel?: string
}

/** The revision that a request names in its `_meta`; `undefined` if it names none. */
export function versionOf({ _meta: meta }: JsonObject): string | undefined {
  const version = isObject(meta) ? meta[`${prefix}protocolVersion`] : undefined
  return typeof version === 'string' ? version : undefined
}

/** Reads the required `_meta` of a modern request. Throws the error that the specification names. */
export function readModernClient(params: JsonObject): ModernClient {
  const { _meta: meta } = params
  if (!isObject(meta)) throw badMeta('The request has no _meta.')
  const version = versionOf(params)
  if (version === undefined) throw badMeta(`_meta has no ${prefix}protocolVersion.`)
  if (version !== modernVersion) throw unsupportedVersion(version)
  const capabilities = meta[`${prefix}clientCapabilities`]
  if (!isObject(capabilities)) throw badMeta(`_meta has no ${prefix}clientCapabilities.`)
  const info = meta[`${prefix}clientInfo`]
  const logLevel = meta[logLevelKey]
  return {
    capabilities,
    ...(isObject(info) && { info }),
    ...(typeof logLevel === 'string' && { logLevel }),
  }
}

function badMeta(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, undefined, 400)
}

/** The `_meta` of a client without the keys that describe a hop: those are set by each sender itself. */
export function withoutReserved(meta: JsonObject): JsonObject {
  const entries = Object.entries(meta).filter(([key]) => !key.startsWith(prefix) && key !== 'progressToken')
  return Object.fromEntries(entries)
}

/** An answer of a server without the reserved keys of its `_meta`; most have none, and are returned as they are. */
export function withoutReservedMeta(result: JsonObject): JsonObject {
  const { _meta: meta } = result
  if (!isObject(meta) || !Object.keys(meta).some((key) => key.startsWith(prefix))) return result
  return { ...result, _meta: withoutReserved(meta) }
}
