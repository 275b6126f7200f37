import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { HttpHeaders } from '../../platform/platform.ts'
import type { Channel, OpenChannel, Receiver, SendOptions } from '../channel.ts'
import { modernVersion, requestIdOf } from '../message.ts'
import type { OutgoingMessage, RequestId } from '../message.ts'
import { toEndpoint, ActiveItems } from './endpoint.ts'
import type { Endpoint, HttpChannelOptions } from './endpoint.ts'
import { acknowledgmentListener, Exchange } from './exchange.ts'
import type { ExchangeRequest, ExchangeListener } from './exchange.ts'
import { GetStream } from './get-stream.ts'
import { agreementHeaders, postHeaders, streamHeaders } from './message-headers.ts'
import type { Agreement } from './message-headers.ts'
import { OpenRequest } from './open-request.ts'
import { SendGate, UnacceptedCount } from './send-gate.ts'

/** How long `notifications/initialized` may hold up other messages. */
const initializedMs = 5000

/** The Streamable HTTP transport, in both eras. */
export function openStreamableHttp(options: HttpChannelOptions): OpenChannel {
  return (receiver) => new StreamableChannel(toEndpoint(options), receiver)
}

interface QueuedMessage {
  readonly message: OutgoingMessage
  readonly body: string
  readonly options: SendOptions
}

class StreamableChannel implements Channel {
  readonly kind = 'http'
  readonly #endpoint: Endpoint
  readonly #receiver: Receiver
  readonly #open = new ActiveItems<OpenRequest>()
  #agreed: Agreement = { version: undefined, session: undefined }
  #stream: GetStream | undefined
  /** Closed until the server has accepted `notifications/initialized`. */
  readonly #gate: SendGate<QueuedMessage>
  readonly #unaccepted = new UnacceptedCount()
  #closing: Promise<void> | undefined

  constructor(endpoint: Endpoint, receiver: Receiver) {
    this.#endpoint = endpoint
    this.#receiver = receiver
    this.#gate = new SendGate(endpoint.clock, (queued) => this.#send(queued))
  }

  get #isModern(): boolean {
    return this.#agreed.version === modernVersion
  }

  send(message: OutgoingMessage, options: SendOptions = {}): void {
    if (this.#closing) return
    const isRequest = requestIdOf(message) !== undefined
    if (!isRequest && this.#unaccepted.isFull) return this.#receiver.dropped('untaken')
    // Serialize now: an unserializable message throws to its own caller, and not when the gate opens.
    const body = JSON.stringify(message)
    if (!isRequest) this.#unaccepted.add()
    this.#gate.enter({ message, body, options })
  }

  abandon(id: RequestId): 'told' | 'untold' | 'unsent' {
    if (this.#gate.remove(({ message }) => requestIdOf(message) === id)) return 'unsent'
    const request = this.#removeOpen(id)
    if (request?.abandon() === 'unsent') return 'unsent'
    return this.#isModern ? 'told' : 'untold'
  }

  speak(version: string): void {
    this.#agreed = { version, session: version === modernVersion ? undefined : this.#agreed.session }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #send(queued: QueuedMessage): void {
    const { message } = queued
    const isInitialize = 'method' in message && message.method === 'initialize'
    if (isInitialize) this.#resetSession()
    const id = requestIdOf(message)
    if (id !== undefined) return this.#request(id, queued, isInitialize)
    if ('method' in message && message.method === 'notifications/initialized')
      return this.#sendInitialized(queued)
    this.#exchange(
      queued,
      acknowledgmentListener(() => this.#unaccepted.done()),
    )
  }

  #request(id: RequestId, queued: QueuedMessage, isInitialize: boolean): void {
    const agreed = this.#agreed
    const request = new OpenRequest(id, {
      endpoint: this.#endpoint,
      hasSession: agreed.session !== undefined,
      resume: this.#isModern ? undefined : (last, listener) => this.#openGet(agreed, last, listener),
      onAccepted: (headers) => {
        if (isInitialize) this.#storeSession(headers)
      },
      onMessage: (value, status) => this.#deliver(value, status, id),
      readText: (text) => this.#receiver.readText?.(text),
      onDropped: (what, sample) => this.#receiver.dropped(what, sample),
      onFailed: (error) => {
        this.#open.delete(request)
        this.#receiver.failed(id, error)
      },
    })
    this.#open.add(request)
    request.sent(this.#exchange(queued, request))
  }

  #exchange({ message, body, options }: QueuedMessage, listener: ExchangeListener): Exchange {
    const isRequest = requestIdOf(message) !== undefined
    const request: ExchangeRequest = {
      method: 'POST',
      url: this.#endpoint.url,
      headers: postHeaders(message, this.#agreed, options),
      body,
      needs: isRequest ? 'body' : 'headers',
      // A request has a deadline of its own: its work may take any time.
      headersTimeoutMs: isRequest ? 0 : this.#endpoint.limits.headersTimeoutMs,
    }
    return new Exchange(this.#endpoint, request, listener)
  }

  #openGet(agreed: Agreement, lastEventId: string | undefined, listener: ExchangeListener): Exchange {
    const { url, limits } = this.#endpoint
    const request: ExchangeRequest = {
      method: 'GET',
      url,
      headers: streamHeaders(agreed, lastEventId),
      needs: 'body',
      headersTimeoutMs: limits.headersTimeoutMs,
    }
    return new Exchange(this.#endpoint, request, listener)
  }

  /** Delivers a message from any of the streams. */
  #deliver(value: Json, status?: number, of?: RequestId): void {
    for (const message of Array.isArray(value) ? (value as readonly Json[]) : [value])
      this.#settleAnswered(message)
    this.#receiver.message(value, status, of)
  }

  #settleAnswered(value: Json): void {
    if (!isObject(value) || 'method' in value) return
    const request = this.#removeOpen(value['id'])
    if (!request) return
    request.answered()
    this.#stream?.wake()
  }

  /** Removes the request with this id from the open ones. */
  #removeOpen(id: unknown): OpenRequest | undefined {
    const request = this.#open.find((open) => open.id === id)
    if (request) this.#open.delete(request)
    return request
  }

  /** `initialize` starts a new session: discard the state of the earlier one. */
  #resetSession(): void {
    this.#agreed = { version: undefined, session: undefined }
    this.#stream?.stop()
    this.#stream = undefined
  }

  #storeSession(headers: HttpHeaders): void {
    const session = headers['mcp-session-id']
    // A session id with other than visible ASCII characters could not be sent back.
    if (session !== undefined && /^[\x21-\x7e]+$/.test(session)) this.#agreed = { ...this.#agreed, session }
  }

  /** Other messages wait until the server knows that the session has started. After that, requests run concurrently. */
  #sendInitialized(queued: QueuedMessage): void {
    this.#gate.shut(initializedMs)
    const settled = (isAccepted: boolean) => {
      this.#unaccepted.done()
      if (isAccepted) this.#listen()
      this.#gate.open()
    }
    this.#exchange(queued, acknowledgmentListener(settled))
  }

  #listen(): void {
    if (this.#stream || this.#isModern || this.#agreed.version === undefined) return
    const agreed = this.#agreed
    this.#stream = new GetStream({
      endpoint: this.#endpoint,
      open: (last, listener) => this.#openGet(agreed, last, listener),
      onMessage: (value) => this.#deliver(value),
      onDropped: (what, sample) => this.#receiver.dropped(what, sample),
    })
  }

  async #close(): Promise<void> {
    this.#gate.clear()
    this.#stream?.stop()
    for (const request of this.#open.all()) request.abandon()
    for (const exchange of this.#endpoint.live.all()) exchange.abort()
    if (this.#agreed.session !== undefined && !this.#isModern) await endSession(this.#endpoint, this.#agreed)
    await this.#endpoint.client.close()
  }
}

/** Time limit for ending the session; the result is ignored. */
const endSessionMs = 1000

/** Ends a legacy session. */
function endSession(endpoint: Endpoint, agreed: Agreement): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]()
      exchange.abort()
      resolve()
    }
    const timer = endpoint.clock.timer(endSessionMs, done)
    const request: ExchangeRequest = {
      method: 'DELETE',
      url: endpoint.url,
      headers: agreementHeaders(agreed),
      needs: 'headers',
      headersTimeoutMs: endSessionMs,
    }
    const exchange = new Exchange(endpoint, request, acknowledgmentListener(done))
  })
}
