import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { HttpHeaders } from '../../platform/platform.ts'
import type { Channel, OpenChannel, Receiver, SendOptions } from '../channel.ts'
import { modernVersion, requestIdOf } from '../message.ts'
import type { Outgoing, RequestId } from '../message.ts'
import { toEndpoint, UnderWay } from './endpoint.ts'
import type { Endpoint, HttpChannelOptions } from './endpoint.ts'
import { acknowledgment, Exchange } from './exchange.ts'
import type { Ask, Hearer } from './exchange.ts'
import { GetStream } from './get-stream.ts'
import { agreementHeaders, postHeaders, streamHeaders } from './message-headers.ts'
import type { Agreement } from './message-headers.ts'
import { OpenRequest } from './open-request.ts'
import { Gate, Untaken } from './send-gate.ts'

/** How long the first words of a session may hold up the others. */
const settleMs = 5000

/** Streamable HTTP, in both eras. */
export function openStreamableHttp(options: HttpChannelOptions): OpenChannel {
  return (receiver) => new StreamableChannel(toEndpoint(options), receiver)
}

interface Waiting {
  readonly message: Outgoing
  readonly body: string
  readonly options: SendOptions
}

class StreamableChannel implements Channel {
  readonly kind = 'http'
  readonly #endpoint: Endpoint
  readonly #receiver: Receiver
  readonly #open = new UnderWay<OpenRequest>()
  #agreed: Agreement = { version: undefined, session: undefined }
  #stream: GetStream | undefined
  /** Shut until the server has taken `notifications/initialized`. */
  readonly #gate: Gate<Waiting>
  readonly #untaken = new Untaken()
  #closing: Promise<void> | undefined

  constructor(endpoint: Endpoint, receiver: Receiver) {
    this.#endpoint = endpoint
    this.#receiver = receiver
    this.#gate = new Gate(endpoint.clock, (waiting) => this.#send(waiting))
  }

  get #isModern(): boolean {
    return this.#agreed.version === modernVersion
  }

  send(message: Outgoing, options: SendOptions = {}): void {
    if (this.#closing) return
    const isRequest = requestIdOf(message) !== undefined
    if (!isRequest && this.#untaken.isFull) return this.#receiver.dropped('untaken')
    // What cannot be written throws here, where it fails alone, and not when the gate opens for others.
    const body = JSON.stringify(message)
    if (!isRequest) this.#untaken.add()
    this.#gate.enter({ message, body, options })
  }

  abandon(id: RequestId): 'told' | 'untold' | 'unsent' {
    if (this.#gate.remove(({ message }) => requestIdOf(message) === id)) return 'unsent'
    const request = this.#ended(id)
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

  #send(waiting: Waiting): void {
    const { message } = waiting
    const isInitialize = 'method' in message && message.method === 'initialize'
    if (isInitialize) this.#startOver()
    const id = requestIdOf(message)
    if (id !== undefined) return this.#request(id, waiting, isInitialize)
    if ('method' in message && message.method === 'notifications/initialized') return this.#settle(waiting)
    this.#exchange(
      waiting,
      acknowledgment(() => this.#untaken.done()),
    )
  }

  #request(id: RequestId, waiting: Waiting, isInitialize: boolean): void {
    const agreed = this.#agreed
    const request = new OpenRequest(id, {
      endpoint: this.#endpoint,
      hasSession: agreed.session !== undefined,
      resume: this.#isModern ? undefined : (last, hearer) => this.#get(agreed, last, hearer),
      onAccepted: (headers) => {
        if (isInitialize) this.#begin(headers)
      },
      onMessage: (value, status) => this.#deliver(value, status),
      onDropped: (what, sample) => this.#receiver.dropped(what, sample),
      onFailed: (error) => {
        this.#open.delete(request)
        this.#receiver.failed(id, error)
      },
    })
    this.#open.add(request)
    request.sent(this.#exchange(waiting, request))
  }

  #exchange({ message, body, options }: Waiting, hearer: Hearer): Exchange {
    const isRequest = requestIdOf(message) !== undefined
    const ask: Ask = {
      method: 'POST',
      url: this.#endpoint.url,
      headers: postHeaders(message, this.#agreed, options),
      body,
      needs: isRequest ? 'body' : 'headers',
      // A request has a deadline of its own: nobody else knows how long its work may take.
      headersTimeoutMs: isRequest ? 0 : this.#endpoint.limits.headersTimeoutMs,
    }
    return new Exchange(this.#endpoint, ask, hearer)
  }

  #get(agreed: Agreement, lastEventId: string | undefined, hearer: Hearer): Exchange {
    const { url, limits } = this.#endpoint
    const ask: Ask = {
      method: 'GET',
      url,
      headers: streamHeaders(agreed, lastEventId),
      needs: 'body',
      headersTimeoutMs: limits.headersTimeoutMs,
    }
    return new Exchange(this.#endpoint, ask, hearer)
  }

  /** A message that came on any of the streams. */
  #deliver(value: Json, status?: number): void {
    for (const message of Array.isArray(value) ? (value as readonly Json[]) : [value])
      this.#settleAnswered(message)
    this.#receiver.message(value, status)
  }

  #settleAnswered(value: Json): void {
    if (!isObject(value) || 'method' in value) return
    const request = this.#ended(value['id'])
    if (!request) return
    request.answered()
    this.#stream?.wake()
  }

  /** The request of that id, which is not under way any more. */
  #ended(id: unknown): OpenRequest | undefined {
    const request = this.#open.find((open) => open.id === id)
    if (request) this.#open.delete(request)
    return request
  }

  /** A new session: nothing of an earlier one holds any more. */
  #startOver(): void {
    this.#agreed = { version: undefined, session: undefined }
    this.#stream?.stop()
    this.#stream = undefined
  }

  #begin(headers: HttpHeaders): void {
    const session = headers['mcp-session-id']
    // A name of anything else than visible characters could not be sent back.
    if (session !== undefined && /^[\x21-\x7e]+$/.test(session)) this.#agreed = { ...this.#agreed, session }
  }

  /** Other messages wait until the server knows that the session has begun; requests run side by side otherwise. */
  #settle(waiting: Waiting): void {
    this.#gate.shut(settleMs)
    const settled = (isTaken: boolean) => {
      this.#untaken.done()
      if (isTaken) this.#listen()
      this.#gate.open()
    }
    this.#exchange(waiting, acknowledgment(settled))
  }

  #listen(): void {
    if (this.#stream || this.#isModern || this.#agreed.version === undefined) return
    const agreed = this.#agreed
    this.#stream = new GetStream({
      endpoint: this.#endpoint,
      open: (last, hearer) => this.#get(agreed, last, hearer),
      onMessage: (value) => this.#deliver(value),
      onDropped: (what, sample) => this.#receiver.dropped(what, sample),
    })
  }

  async #close(): Promise<void> {
    this.#gate.clear()
    this.#stream?.stop()
    for (const request of this.#open.all()) request.abandon()
    for (const exchange of this.#endpoint.live.all()) exchange.abort()
    if (this.#agreed.session !== undefined && !this.#isModern) await sayGoodbye(this.#endpoint, this.#agreed)
    await this.#endpoint.client.close()
  }
}

/** How long it may take; whether the server takes it is its own affair. */
const goodbyeMs = 1000

/** Ends a session (legacy). */
function sayGoodbye(endpoint: Endpoint, agreed: Agreement): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]()
      exchange.abort()
      resolve()
    }
    const timer = endpoint.clock.timer(goodbyeMs, done)
    const ask: Ask = {
      method: 'DELETE',
      url: endpoint.url,
      headers: agreementHeaders(agreed),
      needs: 'headers',
      headersTimeoutMs: goodbyeMs,
    }
    const exchange = new Exchange(endpoint, ask, acknowledgment(done))
  })
}
