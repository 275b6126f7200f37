import type { Json, JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { OpenChannel } from '../wire/channel.ts'
import { legacyVersions, modernVersion } from '../wire/message.ts'
import type { RpcFault } from '../model/error.ts'
import type { OutgoingMessage, Request, Response } from '../wire/message.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { createMemoryChannel } from './memory-channel.ts'

/** Returns the result. A thrown `RpcError` becomes the response, a thrown `WireError` fails the request without one. */
export type Handler = (params: JsonObject, request: Request) => Json | Promise<Json>

export interface ScriptedServerOptions {
  readonly era?: 'legacy' | 'modern'
  readonly capabilities?: JsonObject
  readonly tools?: readonly Json[]
  /** Handlers by method; they replace the built-in ones. */
  readonly on?: Readonly<Record<string, Handler>>
}

export interface ScriptedServer {
  readonly open: OpenChannel
  /** All messages of the client, in order, over all connections. */
  readonly received: readonly OutgoingMessage[]
  notify(method: string, params?: JsonObject): void
  /** Sends a request to the client. Throws an `RpcError` if the client responds with an error. */
  request(method: string, params?: JsonObject): Promise<Json>
  /** Sends any value. */
  send(message: unknown): void
  /** Closes the channel, as a crashed server does. */
  close(error?: WireError): void
}

/** A small in-process server, for tests that do not concern the transport. */
export function createScriptedServer(options: ScriptedServerOptions = {}): ScriptedServer {
  const received: OutgoingMessage[] = []
  const pendingRequests = new Map<string, (response: Response) => void>()
  const answerOne = async (request: Request): Promise<Json> => {
    const handle = options.on?.[request.method] ?? ownHandlers(options)[request.method]
    if (!handle) throw new RpcError(-32601, `Method not found: ${request.method}`)
    return handle(request.params ?? {}, request)
  }
  const memory = createMemoryChannel({
    message(message, server) {
      received.push(message)
      if (!('method' in message)) return pendingRequests.get(String(message.id))?.(message)
      if (!('id' in message)) return
      const { id } = message
      const refuse = (error: unknown) => server.send({ jsonrpc: '2.0', id, error: toFault(error) })
      answerOne(message)
        // A result that cannot be cloned is reported as an error.
        .then((result) => server.send({ jsonrpc: '2.0', id, result }))
        .catch((error: unknown) => (error instanceof WireError ? server.fail(id, error) : refuse(error)))
        .catch(refuse)
    },
  })
  const send = (message: unknown) => memory.server.send(message)
  return {
    open: memory.open,
    received,
    send,
    notify: (method, params) => send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) }),
    request(method, params) {
      const id = `server-${pendingRequests.size + 1}`
      return new Promise((resolve, reject) => {
        pendingRequests.set(id, (response) => {
          if ('result' in response) return resolve(response.result)
          reject(new RpcError(response.error.code, response.error.message, response.error.data))
        })
        send({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })
      })
    },
    close: (error) => memory.server.close(error),
  }
}

function toFault(error: unknown): RpcFault {
  if (!(error instanceof RpcError)) return { code: -32603, message: String(error) }
  const { code, message, data } = error
  return { code, message, ...(data === undefined ? {} : { data }) }
}

function ownHandlers({
  era = 'legacy',
  capabilities,
  tools = [],
}: ScriptedServerOptions): Record<string, Handler> {
  const about = { capabilities: capabilities ?? { tools: { listChanged: true } } }
  const serverInfo = { name: 'scripted-server', version: '1.0.0' }
  const shared: Record<string, Handler> = {
    'tools/list': () => complete(era, { tools }),
    'tools/call': (params) =>
      complete(era, { content: [{ type: 'text', text: JSON.stringify(toCallRecord(params)) }] }),
  }
  if (era === 'modern') {
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
    const discover = () => complete(era, { supportedVersions: [modernVersion], ...about, _meta })
    return { ...shared, 'server/discover': discover }
  }
  const initialize: Handler = ({ protocolVersion }) => {
    const known = legacyVersions.find((version) => version === protocolVersion)
    return { protocolVersion: known ?? legacyVersions[0], serverInfo, ...about }
  }
  return { ...shared, initialize, ping: () => ({}) }
}

function complete(era: 'legacy' | 'modern', result: JsonObject): Json {
  return era === 'modern' ? { resultType: 'complete', ...result } : result
}

function toCallRecord({ name, arguments: given }: JsonObject): JsonObject {
  return { name: name ?? null, arguments: isObject(given) ? given : {} }
}
