import type { Json, JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { Channel, DropReason, OpenChannel, Receiver } from './channel.ts'
import { sample } from './frames/decode.ts'
import { splitAnswer } from './frames/answer-text.ts'
import { Deadlines } from './deadlines.ts'
import { PlaceLimit } from './place-limit.ts'
import { FairQueue } from '../model/queue/fair-queue.ts'
import { Inbox } from './inbox.ts'
import type { AnswerRequest } from './inbox.ts'
import { modernVersion } from './message.ts'
import type { Notification, RequestId, Response } from './message.ts'
import { PendingRequest, reportProgress, withProgressToken } from './pending.ts'
import type { RequestOptions } from './pending.ts'
import { RequestTable } from './request-table.ts'
import {
  describeUnmatched,
  invalidAnswer,
  queueBytesFull,
  queueFull,
  timeUsedUp,
  toAnswerError,
} from './rpc-errors.ts'
import { unsent, WireError } from './wire-error.ts'

export interface RpcOptions {
  readonly clock: Clock
  /** Maximum number of concurrent requests; more are queued. */
  readonly maxInFlight: number
  /** Maximum number of queued requests; more are rejected. */
  readonly maxQueued: number
  /** Maximum size of their parameters, all together. */
  readonly maxQueuedBytes: number
  readonly onRequest: AnswerRequest
  /** @param number Of the request on behalf of another client that it belongs to, where a modern server says so. */
  readonly onNotification: (notification: Notification, number?: number) => void
  /** Progress that belongs to no open request, such as that of a task. */
  readonly onProgress?: (progress: number, params: JsonObject) => void
  /** Called once, after every open request has failed with the same error. */
  readonly onClosed: (error: WireError) => void
  readonly onDropped?: (what: DropReason, sample?: string) => void
}

export type DropCounts = Readonly<Record<DropReason, number>>

/** How many abandoned ids are remembered, to tell late answers from unmatched ones. */
const rememberedAbandoned = 1024

/** JSON-RPC over a channel: requests and their answers, notifications, and requests from the server. */
export class Rpc implements Receiver {
  readonly #clock: Clock
  readonly #options: RpcOptions
  readonly #channel: Channel
  readonly #inbox: Inbox
  readonly #deadlines: Deadlines<PendingRequest>
  readonly #pending = new RequestTable<PendingRequest>()
  readonly #abandoned = new Set<RequestId>()
  readonly #counts = { noise: 0, malformed: 0, oversize: 0, late: 0, duplicate: 0, unmatched: 0, untaken: 0 }
  readonly #queue = new FairQueue<PendingRequest>()
  readonly #places: PlaceLimit
  #isSendingQueued = false
  #inFlight = 0
  /** Requests in flight that read their answers as text. */
  #textReaders = 0
  #nextId = 1
  #closed: WireError | undefined
  #acceptsBatches = false
  #isModern = false

  constructor(open: OpenChannel, options: RpcOptions) {
    this.#options = options
    this.#places = new PlaceLimit(options.maxInFlight)
    this.#clock = options.clock
    this.#deadlines = new Deadlines(
      options.clock,
      () => [...this.#pending.values(), ...this.#queue.values()],
      (due) => this.#expire(due),
    )
    const reply = (response: Response) => void (this.#closed || this.#channel.send(response))
    this.#inbox = new Inbox(options.onRequest, reply, options.clock)
    this.#channel = open(this)
  }

  get kind(): Channel['kind'] {
    return this.#channel.kind
  }

  get counts(): DropCounts {
    return { ...this.#counts }
  }

  /** Sets the agreed revision. Only 2025-03-26 has batches; the modern era has no requests from servers. */
  speak(version: string): void {
    this.#isModern = version === modernVersion
    this.#acceptsBatches = version === '2025-03-26'
    this.#channel.speak(version)
  }

  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Json> {
    if (this.#closed) return Promise.reject(unsent(this.#closed))
    if (options.signal?.aborted)
      return Promise.reject(new WireError('cancelled', 'Cancelled before it was sent.'))
    const mustQueue = !options.isUnlimited && this.#inFlight >= this.#places.count
    if (mustQueue) return this.#enqueue(method, params, options)
    return new Promise((resolve, reject) => {
      const { timeoutMs = 0, maxTimeoutMs = 0 } = options
      const now = timeoutMs > 0 || maxTimeoutMs > 0 ? (options.now ?? this.#clock.monotonic()) : 0
      const hard = hardDeadlineOf(options, now)
      if (hard <= now) return reject(timeUsedUp(method, maxTimeoutMs))
      const pending = new PendingRequest(method, params, options, hard, resolve, reject)
      if (options.signal) this.#watchAbort(pending, options.signal)
      if (timeoutMs > 0 || hard < Infinity) this.#startDeadline(pending, now)
      this.#send(pending)
    })
  }

  /** In the queue only a total limit of the caller runs; the others begin when the request is sent. */
  #enqueue(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<Json> {
    const bytes = bytesOf(params)
    const full = this.#makeRoom(bytes, options.lane)
    if (full) return Promise.reject(full)
    return new Promise((resolve, reject) => {
      const now = this.#clock.monotonic()
      const { maxTimeoutMs = 0, queueTime } = options
      const hard = queueTime ? Infinity : hardDeadlineOf(options, now)
      if (hard <= now) return reject(timeUsedUp(method, maxTimeoutMs))
      const pending = new PendingRequest(method, params, options, hard, resolve, reject)
      if (options.signal) this.#watchAbort(pending, options.signal)
      pending.deadline = hard
      if (hard < Infinity) this.#deadlines.schedule(hard, now)
      pending.queuedAt = now
      pending.queued = this.#queue.add(pending, options.lane, bytes)
    })
  }

  /** Makes room in the queue at the cost of the lane that holds the most of it; otherwise returns why there is none. */
  #makeRoom(bytes: number, lane: unknown): WireError | undefined {
    const { maxQueued, maxQueuedBytes } = this.#options
    for (;;) {
      const isFull = this.#queue.size >= maxQueued
      if (!isFull && this.#queue.bytes + bytes <= maxQueuedBytes) return undefined
      const newest = this.#queue.newestOfLargest(isFull ? 'size' : 'bytes', lane, isFull ? 1 : bytes)
      const error = isFull ? queueFull(this.#options) : queueBytesFull(this.#options)
      if (!newest) return error
      this.#reject(newest, error)
    }
  }

  #sendQueued(): void {
    // A request that cannot be serialized settles at once: the loop goes on with the next one, without recursion.
    if (this.#isSendingQueued) return
    this.#isSendingQueued = true
    while (this.#inFlight < this.#places.count && !this.#closed) {
      const pending = this.#queue.take()
      if (!pending) break
      pending.queued = undefined
      const now = this.#clock.monotonic()
      const { queueTime, timeoutMs = 0 } = pending.options
      if (queueTime) {
        queueTime.ms += now - pending.queuedAt
        pending.hardDeadline = hardDeadlineOf(pending.options, now)
      }
      if (timeoutMs > 0 || pending.hardDeadline < Infinity) this.#startDeadline(pending, now)
      this.#send(pending)
    }
    this.#isSendingQueued = false
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#closed) return
    this.#channel.send(params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method })
  }

  /** Fails every open request with this reason, then closes the channel. */
  async close(reason: WireError): Promise<void> {
    this.closed(reason)
    await this.#channel.close()
  }

  message(value: unknown, status?: number, of?: RequestId): void {
    if (this.#closed) return
    if (!isObject(value)) return this.#receiveNonObject(value)
    const { id, method } = value
    if (typeof method === 'string') return this.#receiveCall(value, { method, id, of })
    const pending = this.#pending.get(id)
    if (!pending) return this.#dropUnmatched(id)
    const { result, error } = value
    if (value['jsonrpc'] !== '2.0' || (result === undefined) === (error === undefined)) {
      return this.#reject(pending, invalidAnswer(value, 'is not a JSON-RPC answer'))
    }
    if (result === undefined) return this.#reject(pending, toAnswerError(error, status))
    this.#places.answered()
    this.#settle(pending)
    pending.resolve(result)
  }

  readText(text: string): Json | undefined {
    if (this.#textReaders === 0) return undefined
    const answer = splitAnswer(text)
    if (!answer) return undefined
    const result = this.#pending.get(answer.id)?.options.readText?.(answer.rest)
    return result === undefined ? undefined : { jsonrpc: '2.0', id: answer.id, result }
  }

  failed(id: RequestId, error: WireError): void {
    const pending = this.#pending.get(id)
    if (!pending) return this.#dropUnmatched(id)
    if (isOverload(error))
      this.#places.refused(pending.id, { inFlight: this.#inFlight, lastId: this.#nextId - 1 })
    this.#reject(pending, error)
  }

  dropped(what: DropReason, sample?: string): void {
    this.#counts[what]++
    this.#options.onDropped?.(what, sample)
  }

  closed(error: WireError): void {
    if (this.#closed) return
    this.#closed = error
    this.#deadlines.stop()
    this.#inbox.close()
    for (const pending of this.#pending.values()) this.#reject(pending, error)
    this.rejectQueued(error)
    this.#options.onClosed(error)
  }

  /** Rejects the queued requests as unsent; requests in flight continue. */
  rejectQueued(reason: WireError): void {
    for (const pending of this.#queue.values()) this.#reject(pending, unsent(reason))
  }

  /** An answer without an open request: its id was abandoned (late), answered before (duplicate), or is not ours. */
  #dropUnmatched(id: unknown): void {
    if (this.#abandoned.delete(id as RequestId)) return this.dropped('late') // lookup only: any value is safe
    const isOurs = typeof id === 'number' && Number.isInteger(id) && id > 0 && id < this.#nextId
    if (isOurs) return this.dropped('duplicate')
    const isString = typeof id === 'string' && this.#pending.get(Number(id)) !== undefined
    this.dropped('unmatched', describeUnmatched(id, isString))
  }

  #receiveCall(
    message: JsonObject,
    { method, id, of }: { readonly method: string; readonly id: unknown; readonly of: RequestId | undefined },
  ): void {
    if (message['jsonrpc'] !== '2.0') return this.dropped('malformed', 'a message without "jsonrpc": "2.0"')
    const params = isObject(message['params']) ? message['params'] : undefined
    if (id !== undefined) return this.#receiveRequest(id, method, params)
    if (method === 'notifications/progress') return this.#receiveProgress(params)
    if (method === 'notifications/cancelled') this.#receiveCancellation(params?.['requestId'])
    const number = this.#isModern ? this.#pending.get(of)?.options.onBehalf?.number : undefined
    this.#options.onNotification(
      params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method },
      number,
    )
  }

  #receiveRequest(id: unknown, method: string, params: JsonObject | undefined): void {
    if (typeof id !== 'string' && typeof id !== 'number')
      return this.dropped('malformed', `a request with the id ${sample(JSON.stringify(id))}`)
    if (this.#isModern)
      return this.dropped('malformed', `the request ${sample(method)}, which this revision does not allow`)
    this.#inbox.answer(id, method, params)
  }

  /** A server cancels either a request of its own or our subscription. */
  #receiveCancellation(id: unknown): void {
    this.#inbox.cancel(id)
    const pending = this.#pending.get(id)
    if (pending?.method !== 'subscriptions/listen') return
    this.#channel.abandon(pending.id)
    this.#rememberAbandoned(pending.id)
    this.#reject(pending, new WireError('closed', 'The server ended the subscription.', { sent: true }))
  }

  /** Handles a batch, or a value that is not a message. */
  #receiveNonObject(value: unknown): void {
    if (!Array.isArray(value)) return this.dropped('noise', sample(JSON.stringify(value)))
    if (this.#acceptsBatches) return value.forEach((message) => this.message(message))
    let isKnown = false
    for (const message of value) {
      if (!isObject(message) || typeof message['method'] === 'string') continue
      const pending = this.#pending.get(message['id'])
      if (!pending) continue
      isKnown = true
      this.#reject(pending, new WireError('protocol', 'The answer came in a batch.', { sent: true }))
    }
    if (!isKnown) this.dropped('malformed', 'a batch')
  }

  #receiveProgress(params: JsonObject = {}): void {
    const { progressToken, progress } = params
    const pending = this.#pending.get(progressToken)
    if (typeof progress !== 'number') return
    if (!pending) return this.#options.onProgress?.(progress, params)
    if (pending.deadline < Infinity) this.#startDeadline(pending, this.#clock.monotonic())
    if (pending.options.onProgress) reportProgress(pending.options.onProgress, progress, params)
  }

  #startDeadline(pending: PendingRequest, now: number): void {
    const { timeoutMs = 0 } = pending.options
    pending.deadline = Math.min(timeoutMs > 0 ? now + timeoutMs : Infinity, pending.hardDeadline)
    this.#deadlines.schedule(pending.deadline, now)
  }

  #send(pending: PendingRequest): void {
    const { method, params, options } = pending
    const id = this.#pending.freeId(this.#nextId)
    this.#nextId = id + 1
    pending.id = id
    if (!options.isUnlimited) this.#inFlight++
    if (options.readText) this.#textReaders++
    this.#pending.add(pending)
    const sent = options.onProgress ? withProgressToken(params, id) : params
    try {
      this.#channel.send(
        sent ? { jsonrpc: '2.0', id, method, params: sent } : { jsonrpc: '2.0', id, method },
        options,
      )
    } catch (error) {
      // Unserializable params: reject here, so that the error does not surface where the previous request was settled.
      this.#reject(pending, error as Error) // only `JSON.stringify` throws here
    }
  }

  #watchAbort(pending: PendingRequest, signal: AbortSignal): void {
    pending.onAbort = () => {
      this.#giveUp(pending, 'cancelled', 'The call was cancelled.', { cause: signal.reason })
    }
    signal.addEventListener('abort', pending.onAbort, { once: true })
  }

  /** Removes a finished request and sends the next queued one. */
  #settle(pending: PendingRequest): void {
    if (pending.onAbort) pending.options.signal?.removeEventListener('abort', pending.onAbort)
    if (pending.queued) {
      this.#queue.remove(pending.queued)
      pending.queued = undefined
      return
    }
    this.#pending.delete(pending)
    if (pending.options.readText) this.#textReaders--
    if (pending.options.isUnlimited) return
    this.#inFlight--
    if (this.#queue.size > 0) this.#sendQueued()
  }

  #expire(pending: PendingRequest): void {
    const now = this.#clock.monotonic()
    if (pending.renew(this.#inbox.awaitedUntil(now), now)) return
    const { timeoutMs = 0 } = pending.options
    const isHard = pending.deadline >= pending.hardDeadline
    const limit = isHard ? pending.options.maxTimeoutMs : timeoutMs
    if (pending.queued) return this.#reject(pending, timeUsedUp(pending.method, limit ?? 0))
    this.#giveUp(pending, 'timeout', `No answer to ${pending.method} within ${limit} ms.`)
  }

  #giveUp(
    pending: PendingRequest,
    code: 'timeout' | 'cancelled',
    message: string,
    options: ErrorOptions = {},
  ): void {
    const fate = pending.queued ? 'unsent' : this.#channel.abandon(pending.id)
    if (fate !== 'unsent') this.#rememberAbandoned(pending.id)
    // The protocol forbids cancelling `initialize`.
    if (fate === 'untold' && pending.method !== 'initialize') {
      this.notify('notifications/cancelled', { requestId: pending.id, reason: message })
    }
    this.#reject(pending, new WireError(code, message, { ...options, sent: fate !== 'unsent' }))
  }

  #rememberAbandoned(id: RequestId): void {
    this.#abandoned.add(id)
    if (this.#abandoned.size <= rememberedAbandoned) return
    for (const oldest of this.#abandoned) return void this.#abandoned.delete(oldest)
  }

  #reject(pending: PendingRequest, error: Error): void {
    this.#settle(pending)
    pending.reject(error)
  }
}

/** HTTP 429 or 503: the server has more requests than it takes. */
function isOverload({ code, facts }: WireError): boolean {
  return code === 'rate' || (code === 'upstream' && facts.status === 503)
}

/** When the total limit of a request that is sent now ends. */
function hardDeadlineOf({ maxTimeoutMs = 0, deadline, queueTime }: RequestOptions, now: number): number {
  if (maxTimeoutMs <= 0) return Infinity
  return deadline === undefined ? now + maxTimeoutMs : deadline + (queueTime?.ms ?? 0)
}

/** Parameters that are not JSON count nothing: sending them fails and says why. */
function bytesOf(params: JsonObject | undefined): number {
  try {
    return params === undefined ? 0 : Buffer.byteLength(JSON.stringify(params))
  } catch {
    return 0
  }
}
