import type { JsonObject } from '../../index.ts'
import { isObject } from '../../internal.ts'
import {
  ClientRequests,
  invalidParams,
  legacyVersions,
  modernVersion,
  readModernClient,
} from '../../serving.ts'
import type { RequestId } from '../../serving.ts'
import { defaultLevel } from './active-calls.ts'
import { ClientSubscriptions } from './changes/client-subscriptions.ts'
import { serverInfo } from './gateway.ts'
import type { Gateway } from './gateway.ts'
import type { ClientInfo, GatewayClient, ServedRequest } from './served-request.ts'

/** A legacy client that stays: on a pipe, or in a session. It can be asked, and is told what changes. */
export interface StayingClient {
  readonly client: GatewayClient
  readonly requests: ClientRequests
  /** Its requests that are not answered yet, by its own ids. */
  readonly inFlight: Map<RequestId, Pick<AbortController, 'abort'>>
  close(): void
}

/** Of what a client says about itself, which is kept as long as it is shown. */
const maxName = 60
const maxVersion = 40
/** Of the capabilities of a client that stays, as JSON. */
const maxCapabilities = 64 * 1024

/** The revision to speak with a client: the one that it asks for, if there is such one, else the newest. */
export function agreeOn({ protocolVersion }: JsonObject): string {
  return legacyVersions.find((known) => known === protocolVersion) ?? legacyVersions[0]
}

/** A client as `initialize` describes it. */
export function createStayingClient(params: JsonObject): StayingClient {
  const requests = new ClientRequests()
  const inFlight = new Map<RequestId, Pick<AbortController, 'abort'>>()
  const subscriptions = new ClientSubscriptions()
  const leaving = new AbortController()
  const { capabilities, clientInfo } = params
  if (JSON.stringify(capabilities ?? null).length > maxCapabilities)
    throw invalidParams('The capabilities of the client are too long.')
  const client: GatewayClient = {
    identity: requests,
    era: 'legacy',
    version: agreeOn(params),
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(clientInfo) && { info: infoOf(clientInfo) }),
    logLevel: defaultLevel,
    leaving: leaving.signal,
    subscriptions,
    ask(method, asked, { signal, during }) {
      const send = during.send ?? (() => undefined)
      const { id, answer } = requests.ask(method, asked, { send, signal })
      const cancel = () =>
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
      signal.addEventListener('abort', cancel, { once: true })
      return answer.finally(() => signal.removeEventListener('abort', cancel))
    },
  }
  return {
    client,
    requests,
    inFlight,
    close() {
      requests.close()
      for (const each of inFlight.values()) each.abort()
      subscriptions.close()
      leaving.abort()
    },
  }
}

/** A legacy client of which only this request is known: it declares nothing, so it is never asked. */
export function createPassingClient(version: string): GatewayClient {
  return { identity: '', era: 'legacy', version, capabilities: {}, logLevel: defaultLevel }
}

/** A modern client, as its request describes it. */
export function createModernClient(params: JsonObject): GatewayClient {
  const { info: said, ...client } = readModernClient(params)
  const info = said && infoOf(said)
  const identity = JSON.stringify(info ?? null)
  return { identity, era: 'modern', version: modernVersion, ...client, ...(info && { info }) }
}

function infoOf({ name, version }: JsonObject): ClientInfo {
  const info: { name?: string; version?: string } = {}
  if (typeof name === 'string') info.name = cut(name, maxName)
  if (typeof version === 'string') info.version = cut(version, maxVersion)
  return info
}

/** A copy: a slice would keep the whole text alive. */
function cut(text: string, length: number): string {
  return text.length > length ? Buffer.from(text.slice(0, length)).toString() : text
}

/** The result of `initialize`. */
export async function initializeResult(
  gateway: Gateway,
  { address, client, params }: Pick<ServedRequest, 'address' | 'client' | 'params'>,
): Promise<JsonObject> {
  return { protocolVersion: agreeOn(params), serverInfo, ...(await gateway.describe(address, client)) }
}
