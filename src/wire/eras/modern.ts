import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { modernVersion } from '../message.ts'
import type { RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError, WireError } from '../wire-error.ts'
import type { Greeting, Self } from './greeting.ts'

const prefix = 'io.modelcontextprotocol/'

/** By this extension a server may answer a call with a task to ask about later. */
const tasksExtension = `${prefix}tasks`

/** Errors from the first of these to the last are sent only by servers of the new era; after one of them there is no way back to `initialize`. */
const headerMismatch = -32020
const unsupportedVersion = -32022

export function isModernError(error: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false
  return error.code <= headerMismatch && error.code >= unsupportedVersion
}

export function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.code === headerMismatch
}

/** The revisions a server offers when it refuses ours. */
export function offeredVersions(error: RpcError): readonly string[] {
  const { data } = error
  const supported = error.code === unsupportedVersion && isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) ? supported.filter((version) => typeof version === 'string') : []
}

/** It refuses our revision and offers the same one: it is asked once more. */
export function offersOurs(error: unknown): boolean {
  return isModernError(error) && offeredVersions(error).includes(modernVersion)
}

/** What every request of the new era carries. */
export function requestMeta(self: Self): JsonObject {
  return {
    [`${prefix}protocolVersion`]: modernVersion,
    [`${prefix}clientInfo`]: { ...self.info },
    [`${prefix}clientCapabilities`]: { ...self.capabilities, extensions: { [tasksExtension]: {} } },
  }
}

export function withMeta(params: JsonObject | undefined, meta: JsonObject): JsonObject {
  const own = params?.['_meta']
  return { ...params, _meta: isObject(own) ? { ...own, ...meta } : meta }
}

export async function askDiscover(rpc: Rpc, self: Self, options: RequestOptions): Promise<Greeting> {
  const params = withMeta(undefined, requestMeta(self))
  const ask = () => rpc.request('server/discover', params, { ...options, isUnlimited: true })
  const answer = await ask().catch((error: unknown) => {
    if (offersOurs(error)) return ask()
    throw error
  })
  return readDiscovered(answer)
}

function readDiscovered(answer: Json): Greeting {
  const versions = isObject(answer) ? answer['supportedVersions'] : undefined
  if (!isObject(answer) || !Array.isArray(versions)) {
    throw new WireError('protocol', 'The answer to server/discover lists no versions.', { sent: true })
  }
  if (!versions.includes(modernVersion)) {
    // A server that is asked in this revision and does not list it cannot be held to it.
    throw new RpcError(unsupportedVersion, 'The server does not list this revision.', { supported: versions })
  }
  const { capabilities, instructions, _meta: meta } = answer
  const serverInfo = isObject(meta) ? meta[`${prefix}serverInfo`] : undefined
  return {
    era: 'modern',
    version: modernVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/** A server taken at its declaration's word: nothing was asked, so anything may be possible. */
export function assumedModern(): Greeting {
  return { era: 'modern', version: modernVersion, capabilities: {}, isAssumed: true }
}
