import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { HttpHeaders } from '../../platform/platform.ts'
import { decodeMessage } from '../frames/decode.ts'
import type { ReadText } from '../frames/decode.ts'
import type { RequestId } from '../message.ts'
import { WireError } from '../wire-error.ts'
import { AnswerBody } from './answer-body.ts'
import type { Endpoint } from './endpoint.ts'
import type { Exchange, ExchangeListener } from './exchange.ts'
import { fromStatus, unusable } from './http-faults.ts'
import { isEventStream, mayBeJson } from './message-headers.ts'
import { MessageStream } from './message-stream.ts'
import { RequestStream } from './request-stream.ts'

/** The parts of the channel that a request needs. */
export interface RequestContext {
  readonly endpoint: Endpoint
  /** The request carried a session id, and the server may have dropped that session. */
  readonly hasSession: boolean
  readonly resume: ((lastEventId: string, listener: ExchangeListener) => Exchange) | undefined
  onAccepted(headers: HttpHeaders): void
  /** A message from the server. If it is the answer, the channel calls `answered`. */
  onMessage(value: Json, status?: number): void
  readonly readText: ReadText
  onDropped(what: 'malformed' | 'oversize', sample?: string): void
  onFailed(error: WireError): void
}

/** Size limit for the body of an unusable answer: only its beginning is reported. */
const maxFaultBytes = 64 * 1024

/** A request in flight. Its answer arrives as JSON or on a stream, or it fails. */
export class OpenRequest implements ExchangeListener {
  readonly id: RequestId
  readonly #context: RequestContext
  #exchange: Exchange | undefined
  #status = 0
  #headers: HttpHeaders = {}
  #body: AnswerBody | undefined
  #stream: RequestStream | undefined
  #isDone = false

  constructor(id: RequestId, context: RequestContext) {
    this.id = id
    this.#context = context
  }

  sent(exchange: Exchange): void {
    this.#exchange = exchange
  }

  /** The answer was delivered, on this or another stream. */
  answered(): void {
    this.#finish('finish')
  }

  abandon(): 'sent' | 'unsent' {
    const isUnsent = this.#exchange?.isUnsent ?? true
    this.#finish('abort')
    return isUnsent ? 'unsent' : 'sent'
  }

  onHeaders(status: number, headers: HttpHeaders): void {
    this.#status = status
    this.#headers = headers
    if (this.#isSuccess) this.#context.onAccepted(headers)
    if (this.#isSuccess && isEventStream(headers)) this.#stream = this.#openStream()
    else this.#openBody()
  }

  onData(chunk: Uint8Array): void {
    if (this.#stream) this.#stream.push(chunk)
    else if (this.#body?.push(chunk) === false) this.#overflow()
  }

  onEnd(): void {
    if (this.#stream) this.#stream.ended()
    else this.#readBody(this.#body?.bytes() ?? new Uint8Array())
  }

  onError(error: WireError): void {
    if (this.#stream) this.#stream.ended(error)
    else this.#fail(error)
  }

  get #isSuccess(): boolean {
    return this.#status < 300
  }

  get #isUsable(): boolean {
    return this.#isSuccess && mayBeJson(this.#headers)
  }

  #openStream(): RequestStream {
    const { endpoint, resume } = this.#context
    const stream = new MessageStream({
      maxBytes: endpoint.limits.maxBytes,
      onMessage: (value) => this.#context.onMessage(value),
      readText: this.#context.readText,
      onMalformed: (reason, id) => this.#refuse(reason, id),
      onOversize: () => this.#fail(this.#tooLarge()),
    })
    return new RequestStream({
      clock: endpoint.clock,
      stream,
      status: this.#status,
      resume,
      onFailed: (error) => this.#fail(error),
    })
  }

  #openBody(): void {
    const { clock, limits } = this.#context.endpoint
    const { idleTimeoutMs } = limits
    const maxBytes = this.#isUsable ? limits.maxBytes : maxFaultBytes
    const onStall = () => this.#fail(this.#error('timeout', 'The body of the answer stalled.'))
    this.#body = new AnswerBody({ clock, maxBytes, idleTimeoutMs, onStall })
    if (this.#isUsable && Number(this.#headers['content-length']) > maxBytes) this.#fail(this.#tooLarge())
  }

  #overflow(): void {
    if (this.#isUsable) this.#fail(this.#tooLarge())
    else this.#readBody(this.#body?.bytes() ?? new Uint8Array())
  }

  #readBody(bytes: Uint8Array): void {
    const answer = { status: this.#status, headers: this.#headers, body: bytes }
    if (!this.#isSuccess) return this.#readRefusal(bytes)
    if (!this.#isUsable || bytes.length === 0) return this.#fail(unusable(answer, 'no answer'))
    let value: Json
    try {
      value = decodeMessage(bytes, this.#context.readText)
    } catch (error) {
      return this.#fail(unusable(answer, error instanceof Error ? error.message : 'no JSON'))
    }
    if (isAnswerTo(this.id, value) || Array.isArray(value)) this.#context.onMessage(value)
    else if (isObject(value) && isAnswerTo(null, value)) this.#context.onMessage({ ...value, id: this.id })
    if (!this.#isDone) this.#fail(unusable(answer, 'no answer to this request'))
  }

  #readRefusal(bytes: Uint8Array): void {
    const { hasSession, endpoint } = this.#context
    const [status, headers] = [this.#status, this.#headers]
    const refusal = readRefusal(bytes, { id: this.id, status, hasSession })
    // The server rejected the request, so it did not act on it.
    if (refusal === 'session') this.#fail(sessionLost(status))
    else if (refusal) this.#context.onMessage(refusal, status)
    if (!this.#isDone) this.#fail(fromStatus({ status, headers, body: bytes }, endpoint.clock.now()))
  }

  #refuse(reason: string, id: RequestId | undefined): void {
    if (id === this.id) this.#fail(this.#error('protocol', reason))
    else this.#context.onDropped('malformed', reason)
  }

  #error(code: WireError['code'], message: string): WireError {
    return new WireError(code, message, { sent: true, facts: { status: this.#status } })
  }

  #tooLarge(): WireError {
    const { maxBytes } = this.#context.endpoint.limits
    this.#context.onDropped('oversize')
    return this.#error('too-large', `The answer exceeds the limit of ${maxBytes} bytes.`)
  }

  #fail(error: WireError): void {
    if (this.#isDone) return
    this.#finish('abort')
    this.#context.onFailed(error)
  }

  /** `abort`: the connection cannot be reused unless its answer is read to the end. */
  #finish(how: 'finish' | 'abort'): void {
    this.#isDone = true
    this.#body?.stop()
    this.#stream?.stop(how)
    this.#exchange?.[how]()
  }
}

function sessionLost(status: number): WireError {
  return new WireError('session', 'The server has forgotten this session.', { facts: { status } })
}

/** With `null`: an error without an id, which servers send when they could not read the id. */
function isAnswerTo(id: RequestId | null, value: Json): boolean {
  if (!isObject(value) || 'method' in value) return false
  if (id !== null) return value['id'] === id
  return (value['id'] ?? null) === null && isObject(value['error'])
}

interface RefusedRequest {
  readonly id: RequestId
  readonly status: number
  readonly hasSession: boolean
}

/** What a status of 400 or more means for the request: a JSON-RPC answer, a lost session, or neither. */
function readRefusal(
  bytes: Uint8Array,
  { id, status, hasSession }: RefusedRequest,
): JsonObject | 'session' | undefined {
  // For these, the status alone is enough.
  if (status === 401 || status === 403 || status === 429) return undefined
  const answer = readAnswer(bytes, id)
  const code = answer && isObject(answer['error']) ? answer['error']['code'] : undefined
  if (hasSession && status === 404 && code !== -32601) return 'session'
  // Real servers answer 400 for an unknown session, some with an error for the right id.
  if (hasSession && status === 400 && !isStandardCode(code)) return 'session'
  if (!answer) return undefined
  // An endpoint that rejects POST answers no request, unless with a modern error code.
  if (status === 405 && !isModernCode(code)) return undefined
  // An error without an id tells no more than the status 500 itself.
  return answer['id'] === id || status < 500 ? { ...answer, id } : undefined
}

function readAnswer(bytes: Uint8Array, id: RequestId): JsonObject | undefined {
  try {
    const value = decodeMessage(bytes)
    // Many APIs answer 404 with {"error": …}; only a JSON-RPC body answers the request.
    if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined
    return isAnswerTo(id, value) || isAnswerTo(null, value) ? value : undefined
  } catch {
    // An HTML page or the text of a proxy: only the status counts.
    return undefined
  }
}

/** The error codes of JSON-RPC itself: the server understood the request and knows what is wrong with it. */
function isStandardCode(code: unknown): boolean {
  return typeof code === 'number' && code >= -32700 && code <= -32600
}

function isModernCode(code: unknown): boolean {
  return typeof code === 'number' && code >= -32022 && code <= -32020
}
