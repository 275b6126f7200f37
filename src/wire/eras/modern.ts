import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { modernVersion } from '../message.ts'
import type { OnBehalf, RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError, WireError } from '../wire-error.ts'
import type { Greeting, ClientIdentity } from './greeting.ts'

const prefix = 'io.modelcontextprotocol/'

/** Lets a server answer a call with a task that is polled later. */
const tasksExtension = `${prefix}tasks`

/**
 * The range of error codes that only modern servers send. After one of them, falling back to `initialize` is ruled
 * out.
 */
const headerMismatch = -32020
const unsupportedVersion = -32022

export function isModernError(error: unknown): error is RpcError {
  if (!(error instanceof RpcError)) return false
  return error.code <= headerMismatch && error.code >= unsupportedVersion
}

export function isHeaderMismatch(error: unknown): boolean {
  return error instanceof RpcError && error.code === headerMismatch
}

/** The revisions that the server lists when it rejects ours. */
export function offeredVersions(error: RpcError): readonly string[] {
  const { data } = error
  const supported = error.code === unsupportedVersion && isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) ? supported.filter((version) => typeof version === 'string') : []
}

/** The server rejects our revision but lists the same one as supported: retry once. */
export function offersModernVersion(error: unknown): boolean {
  return isModernError(error) && offeredVersions(error).includes(modernVersion)
}

/** The `_meta` of every modern request. */
export function requestMeta(self: ClientIdentity): JsonObject {
  return {
    [`${prefix}protocolVersion`]: modernVersion,
    [`${prefix}clientInfo`]: { ...self.info },
    [`${prefix}clientCapabilities`]: { ...self.capabilities, extensions: { [tasksExtension]: {} } },
  }
}

/** The `_meta` of a request that is passed on for another client: what it declares, and tasks where they are followed here. */
export function metaOnBehalf(
  meta: JsonObject,
  { capabilities, tasks }: Pick<OnBehalf, 'capabilities' | 'tasks'>,
): JsonObject {
  const { extensions } = capabilities
  const declared =
    tasks === 'client'
      ? capabilities
      : { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [tasksExtension]: {} } }
  return { ...meta, [`${prefix}clientCapabilities`]: declared }
}

/** Whether a client declares that it follows tasks by itself. */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isObject(extensions) && extensions[tasksExtension] !== undefined
}

export function withMeta(params: JsonObject | undefined, meta: JsonObject): JsonObject {
  const own = params?.['_meta']
  return { ...params, _meta: isObject(own) ? { ...own, ...meta } : meta }
}

export async function askDiscover(
  rpc: Rpc,
  self: ClientIdentity,
  options: RequestOptions,
): Promise<Greeting> {
  const params = withMeta(undefined, requestMeta(self))
  const ask = () => rpc.request('server/discover', params, { ...options, isUnlimited: true })
  const answer = await ask().catch((error: unknown) => {
    if (offersModernVersion(error)) return ask()
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
    // The server answered in this revision without listing it, so it does not support it.
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

/**
 * The greeting of a server whose entry fixes the modern revision: there was no handshake, so its capabilities are
 * unknown.
 */
export function assumedModern(): Greeting {
  return { era: 'modern', version: modernVersion, capabilities: {}, isAssumed: true }
}
