import type { Readable, Writable } from 'node:stream'
import type { JsonObject } from '../../index.ts'
import {
  RpcError,
  createFrameReader,
  legacyVersions,
  parseMessage,
  readIncoming,
  rpcCodes,
  versionOf,
} from '../../serving.ts'
import type { IncomingMessage, RequestId } from '../../serving.ts'
import { defaultLevel } from './active-calls.ts'
import { errorText, toRpcError } from './gateway-errors.ts'
import type { Gateway } from './gateway.ts'
import {
  createModernClient,
  createPassingClient,
  createStayingClient,
  initializeResult,
} from './legacy-client.ts'
import type { StayingClient } from './legacy-client.ts'
import { resultText } from './served-request.ts'
import type { GatewayAddress, GatewayClient, ServedRequest } from './served-request.ts'

type IncomingRequest = Extract<IncomingMessage, { readonly kind: 'request' }>

export interface StdioFrontOptions {
  readonly input: Readable
  readonly output: Writable
  readonly address: GatewayAddress
  /** Opens the gateway with the first request: by then it is known what the client can be asked. */
  readonly openGateway: () => Promise<Gateway>
  /** The client in the status of the gateway. */
  readonly from?: string
  /** A request has begun or ended. */
  readonly onRequests?: () => void
}

/** A request that is not answered yet. */
interface OpenRequest {
  readonly method: string
  readonly controller: AbortController
  readonly answered: Promise<void>
}

const maxBytes = 16 * 1024 * 1024
/** Why a subscription ends: it belongs to the gateway that was used before. */
const reopened = new Error('Another gateway is used.')
/** A client that does not read what it asked for is dropped: on one desk it would cost the others their gateway. */
const maxUnread = 128 * 1024 * 1024

/** Serves the one client at the other end of a pipe or socket. Both eras may be used, also in turn: each message shows its own. */
export class StdioFront {
  readonly #options: StdioFrontOptions
  readonly #ended: Promise<void>
  #end: () => void = () => undefined
  readonly #inFlight = new Map<RequestId, OpenRequest>()
  #gateway: Promise<Gateway> | undefined
  #staying: StayingClient | undefined
  /** Of the first modern request: legacy servers are greeted once. */
  #modernCapabilities: JsonObject = {}
  #modern: GatewayClient | undefined
  #lists: Promise<Disposable> | undefined

  constructor(options: StdioFrontOptions) {
    this.#options = options
    this.#ended = new Promise((resolve) => (this.#end = resolve))
  }

  /** What the client declared; nothing before its first message. */
  get capabilities(): JsonObject {
    return this.#staying?.client.capabilities ?? this.#modernCapabilities
  }

  /** The client as it described itself last; nothing before its first message. */
  get client(): GatewayClient | undefined {
    return this.#staying?.client ?? this.#modern
  }

  /** How many of its requests are not answered yet. */
  get openRequests(): number {
    return this.#inFlight.size
  }

  /**
   * Uses another gateway from the next request on, which hears what a legacy client has asked to be told. The lists may be
   * others, so the client is told; a modern one whose subscriptions end begins them again. Resolves when the gateway before has
   * answered the requests that it has.
   */
  async reopen(): Promise<void> {
    const open = [...this.#inFlight.values()]
    const hadLists = this.#lists !== undefined
    this.#unfollowLists()
    this.#gateway = undefined
    if (this.#staying) this.#subscribeAgain(this.#staying.client)
    for (const { method, controller } of open)
      if (method === 'subscriptions/listen') controller.abort(reopened)
    for (const list of hadLists ? ['tools', 'resources', 'prompts'] : [])
      this.#write(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }))
    await Promise.all(open.map(({ answered }) => answered))
  }

  /** A way to the client between its requests: a server may ask for roots when it is greeted. */
  between(): ServedRequest | undefined {
    const staying = this.#staying
    return staying && this.#toServed({ id: 0, method: '', params: {} }, staying.client, new AbortController())
  }

  /** Resolves when the client closed its end and its requests have been answered or dropped. */
  async serve(): Promise<void> {
    const { input, output } = this.#options
    const reader = createFrameReader({
      framing: 'ndjson',
      maxBytes,
      hardMaxBytes: 4 * maxBytes,
      on: {
        frame: (text) => this.#receive(text),
        malformed: () => this.#refuse(null, 'The message is not UTF-8.', rpcCodes.parse),
        noise: () => this.#refuse(null, 'The line is not a message.', rpcCodes.parse),
        oversize: (answers, _bytes, asks) => this.#skipped(answers, asks ?? null),
        reset: () => this.#end(),
      },
    })
    input.on('data', (chunk: Buffer) => reader.push(chunk))
    input.on('end', () => {
      reader.end()
      this.#end()
    })
    input.on('error', () => this.#end())
    // The client is gone.
    output.on('error', () => this.#end())
    await this.#ended
    this.#leave()
  }

  /** Stops serving: nothing more is read. */
  end(): void {
    this.#end()
  }

  #leave(): void {
    for (const { controller } of this.#inFlight.values()) controller.abort()
    this.#staying?.close()
    this.#unfollowLists()
    this.#options.input.removeAllListeners('data').pause()
  }

  #receive(text: string): void {
    let message: IncomingMessage
    try {
      message = readIncoming(parseMessage(text))
    } catch {
      return this.#write(errorText(null, new RpcError(rpcCodes.parse, 'The message is not JSON.')))
    }
    if (message.kind === 'invalid') return this.#refuse(message.id, message.message)
    if (message.kind === 'response') return void this.#staying?.requests.answered(message)
    if (message.kind === 'request') return this.#begin(message)
    const { requestId } = message.params
    if (message.method === 'notifications/cancelled') this.#cancel(requestId as RequestId) // lookup only: any value is safe
    if (message.method === 'notifications/roots/list_changed') void this.#tellRoots()
  }

  /** The one who waits for a message that was skipped is told: the server that asked, or the client. */
  #skipped(answers: RequestId | undefined, asks: RequestId | null): void {
    const message = `A message may have ${maxBytes} bytes.`
    if (answers === undefined) return this.#refuse(asks, message)
    this.#staying?.requests.answered({ id: answers, error: { code: rpcCodes.invalidRequest, message } })
  }

  /** The id is free at once: the client may use it again before the server has stopped. */
  #cancel(id: RequestId): void {
    this.#inFlight.get(id)?.controller.abort()
    this.#inFlight.delete(id)
  }

  #begin(request: IncomingRequest): void {
    const { id, method } = request
    if (this.#inFlight.has(id)) return this.#refuse(id, 'A request with this id is still open.')
    const controller = new AbortController()
    this.#inFlight.set(id, { method, controller, answered: this.#answer(request, controller) })
    this.#options.onRequests?.()
  }

  async #answer(request: IncomingRequest, controller: AbortController): Promise<void> {
    const { id } = request
    const { signal } = controller
    let text: string
    try {
      text = resultText(id, await this.#run(request, controller))
    } catch (error) {
      const era = versionOf(request.params) === undefined ? 'legacy' : 'modern'
      text = errorText(id, toRpcError(error, { era }))
    }
    if (this.#inFlight.get(id)?.controller === controller) this.#inFlight.delete(id)
    this.#options.onRequests?.()
    if (this.#staying && request.method.endsWith('/list')) this.#followLists()
    // A cancelled request gets no answer: its id may be in use again.
    if (!signal.aborted || signal.reason === reopened) this.#write(text)
  }

  async #run(request: IncomingRequest, controller: AbortController) {
    const { method, params } = request
    const client = this.#clientOf(request)
    const gateway = await this.#open()
    if (client.era === 'legacy' && method === 'initialize')
      return initializeResult(gateway, { address: this.#options.address, client, params })
    return gateway.answer(this.#toServed(request, client, controller))
  }

  #open(): Promise<Gateway> {
    if (this.#gateway) return this.#gateway
    const opened = this.#options.openGateway()
    this.#gateway = opened
    // The next request tries again.
    opened.catch(() => this.#gateway === opened && (this.#gateway = undefined))
    return opened
  }

  #clientOf({ method, params }: IncomingRequest): GatewayClient {
    if (versionOf(params) !== undefined || method === 'server/discover') return this.#modernClient(params)
    if (method === 'initialize') {
      this.#staying?.close()
      this.#staying = createStayingClient(params)
    }
    return this.#staying?.client ?? createPassingClient(legacyVersions[0])
  }

  #modernClient(params: JsonObject): GatewayClient {
    const client = createModernClient(params)
    if (!this.#gateway) this.#modernCapabilities = client.capabilities
    if (client.info || !this.#modern) this.#modern = client
    // All requests of a pipe are of one client, whatever it says about itself.
    return { ...client, identity: this }
  }

  #toServed(
    { id, method, params }: Pick<IncomingRequest, 'id' | 'method' | 'params'>,
    client: GatewayClient,
    controller: AbortController,
  ): ServedRequest {
    const { signal } = controller
    return {
      id,
      method,
      params,
      client,
      address: this.#options.address,
      ...(this.#options.from !== undefined && { from: this.#options.from }),
      signal,
      notify: (name, body) => {
        if (!signal.aborted) this.#write(JSON.stringify({ jsonrpc: '2.0', method: name, params: body }))
      },
      send: (message) => this.#write(JSON.stringify(message)),
    }
  }

  /** Legacy clients are told of changes without asking for it, from their first list on. */
  #followLists(): void {
    if (this.#lists) return
    const { address } = this.#options
    const followed = this.#gateway?.then((gateway) =>
      gateway.lists.watch(address, (list) =>
        this.#write(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })),
      ),
    )
    this.#lists = followed
    // There may be no such view yet: the next list tries again.
    followed?.catch(() => this.#lists === followed && (this.#lists = undefined))
  }

  #unfollowLists(): void {
    this.#lists?.then(
      (each) => each[Symbol.dispose](),
      () => undefined,
    )
    this.#lists = undefined
  }

  #subscribeAgain(client: GatewayClient): void {
    const { logLevel: level = defaultLevel, subscriptions } = client
    const ask = async (method: string, params: JsonObject) => {
      const request = this.#toServed({ id: 0, method, params }, client, new AbortController())
      await (await this.#open()).answer(request)
    }
    const asked = (subscriptions?.take() ?? []).map((uri) => ask('resources/subscribe', { uri }))
    if (level !== defaultLevel) asked.push(ask('logging/setLevel', { level }))
    // What the other gateway does not have, it cannot tell.
    for (const each of asked) each.catch(() => undefined)
  }

  async #tellRoots(): Promise<void> {
    const gateway = await this.#gateway?.catch(() => undefined)
    for (const { name, status } of gateway?.host.servers() ?? [])
      if (status.state === 'ready' && status.era === 'legacy')
        gateway?.host.notify(name, 'notifications/roots/list_changed')
  }

  #refuse(id: RequestId | null, message: string, code: number = rpcCodes.invalidRequest): void {
    this.#write(errorText(id, new RpcError(code, message)))
  }

  #write(text: string): void {
    const { output } = this.#options
    if (output.writableLength <= maxUnread) return void output.write(`${text}\n`)
    output.destroy()
    this.#end()
  }
}
