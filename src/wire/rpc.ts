import type { Json, JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { Channel, Dropped, OpenChannel, Receiver } from './channel.ts'
import { sample } from './frames/decode.ts'
import { Deadlines } from './deadlines.ts'
import { Inbox } from './inbox.ts'
import type { AnswerRequest } from './inbox.ts'
import { modernVersion } from './message.ts'
import type { Notification, RequestId, Response } from './message.ts'
import { Pending, tellProgress, withProgressToken } from './pending.ts'
import type { RequestOptions } from './pending.ts'
import { RequestTable } from './request-table.ts'
import { foreignAnswer, misshapen, noTimeLeft, toError, tooMany } from './rpc-errors.ts'
import { unsent, WireError } from './wire-error.ts'

export interface RpcOptions {
  readonly clock: Clock
  /** How many requests may be under way; more of them wait in line. */
  readonly maxInFlight: number
  /** How many may wait; more are turned away. */
  readonly maxQueued: number
  readonly onRequest: AnswerRequest
  readonly onNotification: (notification: Notification) => void
  /** Progress of what is no request of ours any more, as that of a task is. */
  readonly onProgress?: (progress: number, params: JsonObject) => void
  /** Called once, after every open request has failed with the same error. */
  readonly onClosed: (error: WireError) => void
  readonly onDropped?: (what: Dropped, sample?: string) => void
}

export type Counts = Readonly<Record<Dropped, number>>

/** How many given-up requests are remembered, so that their late answers can be told from foreign ones. */
const rememberedAbandoned = 1024

/** JSON-RPC over a channel: requests and their answers, notifications, and requests from the other side. */
export class Rpc implements Receiver {
  readonly #clock: Clock
  readonly #options: RpcOptions
  readonly #channel: Channel
  readonly #inbox: Inbox
  readonly #deadlines: Deadlines<Pending>
  readonly #pending = new RequestTable<Pending>()
  readonly #abandoned = new Set<RequestId>()
  readonly #counts = { noise: 0, malformed: 0, oversize: 0, late: 0, duplicate: 0, unmatched: 0, untaken: 0 }
  /** In the order they came. */
  readonly #waiting = new Set<Pending>()
  #inFlight = 0
  #nextId = 1
  #closed: WireError | undefined
  #acceptsBatches = false
  #isModern = false

  constructor(open: OpenChannel, options: RpcOptions) {
    this.#options = options
    this.#clock = options.clock
    this.#deadlines = new Deadlines(
      options.clock,
      () => [...this.#pending.values(), ...this.#waiting],
      (due) => this.#expire(due),
    )
    const reply = (response: Response) => void (this.#closed || this.#channel.send(response))
    this.#inbox = new Inbox(options.onRequest, reply, options.clock)
    this.#channel = open(this)
  }

  get kind(): Channel['kind'] {
    return this.#channel.kind
  }

  get counts(): Counts {
    return { ...this.#counts }
  }

  /** The revision both sides agreed on. Only one of them knew batches; the new era knows no requests of servers. */
  speak(version: string): void {
    this.#isModern = version === modernVersion
    this.#acceptsBatches = version === '2025-03-26'
    this.#channel.speak(version)
  }

  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Json> {
    if (this.#closed) return Promise.reject(unsent(this.#closed))
    if (options.signal?.aborted)
      return Promise.reject(new WireError('cancelled', 'Cancelled before it was sent.'))
    const mustWait = !options.isUnlimited && this.#inFlight >= this.#options.maxInFlight
    if (mustWait && this.#waiting.size >= this.#options.maxQueued)
      return Promise.reject(tooMany(this.#options))
    return new Promise((resolve, reject) => {
      const { timeoutMs = 0, maxTimeoutMs = 0, deadline } = options
      const now = timeoutMs > 0 || maxTimeoutMs > 0 ? this.#clock.monotonic() : 0
      const hard = maxTimeoutMs > 0 ? (deadline ?? now + maxTimeoutMs) : Infinity
      if (hard <= now) return reject(noTimeLeft(method, maxTimeoutMs))
      const pending = new Pending(method, params, options, hard, resolve, reject)
      if (options.signal) this.#watch(pending, options.signal)
      if (timeoutMs > 0 || hard < Infinity) this.#await(pending, now)
      if (mustWait) this.#waiting.add(pending)
      else this.#send(pending)
    })
  }

  notify(method: string, params?: JsonObject): void {
    if (this.#closed) return
    this.#channel.send(params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method })
  }

  /** Ends every open request with this reason, then the channel. */
  async close(reason: WireError): Promise<void> {
    this.closed(reason)
    await this.#channel.close()
  }

  message(value: unknown, status?: number): void {
    if (this.#closed) return
    if (!isObject(value)) return this.#unusual(value)
    const { id, method } = value
    if (typeof method === 'string') return this.#called(value, method, id)
    const pending = this.#pending.get(id)
    if (!pending) return this.#foreign(id)
    const { result, error } = value
    if (value['jsonrpc'] !== '2.0' || (result === undefined) === (error === undefined)) {
      return this.#reject(pending, misshapen(value, 'is no JSON-RPC answer'))
    }
    if (result === undefined) return this.#reject(pending, toError(error, status))
    this.#settle(pending)
    pending.resolve(result)
  }

  failed(id: RequestId, error: WireError): void {
    const pending = this.#pending.get(id)
    if (pending) this.#reject(pending, error)
    else this.#foreign(id)
  }

  dropped(what: Dropped, sample?: string): void {
    this.#counts[what]++
    this.#options.onDropped?.(what, sample)
  }

  closed(error: WireError): void {
    if (this.#closed) return
    this.#closed = error
    this.#deadlines.stop()
    this.#inbox.close()
    for (const pending of this.#pending.values()) this.#reject(pending, error)
    this.turnAway(error)
    this.#options.onClosed(error)
  }

  /** Those in line did not leave; what is under way goes on. */
  turnAway(reason: WireError): void {
    for (const pending of this.#waiting) this.#reject(pending, unsent(reason))
  }

  /** Answers nobody waits for: an id of ours that was given up, one that was answered already, or none of ours. */
  #foreign(id: unknown): void {
    if (this.#abandoned.delete(id as RequestId)) return this.dropped('late') // a set may be asked for anything
    const isOurs = typeof id === 'number' && Number.isInteger(id) && id > 0 && id < this.#nextId
    if (isOurs) return this.dropped('duplicate')
    const isText = typeof id === 'string' && this.#pending.get(Number(id)) !== undefined
    this.dropped('unmatched', foreignAnswer(id, isText))
  }

  #called(message: JsonObject, method: string, id: unknown): void {
    if (message['jsonrpc'] !== '2.0') return this.dropped('malformed', 'a message without jsonrpc 2.0')
    const params = isObject(message['params']) ? message['params'] : undefined
    if (id !== undefined) return this.#asked(id, method, params)
    if (method === 'notifications/progress') return this.#progressed(params)
    if (method === 'notifications/cancelled') this.#cancelled(params?.['requestId'])
    this.#options.onNotification(params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method })
  }

  #asked(id: unknown, method: string, params: JsonObject | undefined): void {
    if (typeof id !== 'string' && typeof id !== 'number')
      return this.dropped('malformed', `a request with the id ${sample(JSON.stringify(id))}`)
    if (this.#isModern)
      return this.dropped('malformed', `the request ${sample(method)}, which no server may send`)
    this.#inbox.answer(id, method, params)
  }

  /** What a server takes back is a request of its own, or the subscription that it was to keep. */
  #cancelled(id: unknown): void {
    this.#inbox.cancel(id)
    const pending = this.#pending.get(id)
    if (pending?.method !== 'subscriptions/listen') return
    this.#channel.abandon(pending.id)
    this.#remember(pending.id)
    this.#reject(pending, new WireError('closed', 'The server ended the subscription.', { sent: true }))
  }

  /** A batch where there is none, or no message at all. */
  #unusual(value: unknown): void {
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

  #progressed(params: JsonObject = {}): void {
    const { progressToken, progress } = params
    const pending = this.#pending.get(progressToken)
    if (typeof progress !== 'number') return
    if (!pending) return this.#options.onProgress?.(progress, params)
    if (pending.deadline < Infinity) this.#await(pending, this.#clock.monotonic())
    if (pending.options.onProgress) tellProgress(pending.options.onProgress, progress, params)
  }

  #await(pending: Pending, now: number): void {
    const { timeoutMs = 0 } = pending.options
    pending.deadline = Math.min(timeoutMs > 0 ? now + timeoutMs : Infinity, pending.hardDeadline)
    this.#deadlines.expect(pending.deadline, now)
  }

  #send(pending: Pending): void {
    const { method, params, options } = pending
    const id = this.#pending.freeId(this.#nextId)
    this.#nextId = id + 1
    pending.id = id
    if (!options.isUnlimited) this.#inFlight++
    this.#pending.add(pending)
    const sent = options.onProgress ? withProgressToken(params, id) : params
    try {
      this.#channel.send(
        sent ? { jsonrpc: '2.0', id, method, params: sent } : { jsonrpc: '2.0', id, method },
        options,
      )
    } catch (error) {
      // What cannot be written as JSON is its caller's mistake, and must not end in the reader of the line before.
      this.#reject(pending, error as Error) // only `JSON.stringify` throws there
    }
  }

  #watch(pending: Pending, signal: AbortSignal): void {
    pending.onAbort = () => {
      this.#giveUp(pending, 'cancelled', 'The call was cancelled.', { cause: signal.reason })
    }
    signal.addEventListener('abort', pending.onAbort, { once: true })
  }

  /** It is nobody's business any more; the next in line may go. */
  #settle(pending: Pending): void {
    if (pending.onAbort) pending.options.signal?.removeEventListener('abort', pending.onAbort)
    if (this.#waiting.delete(pending)) return
    this.#pending.delete(pending)
    if (pending.options.isUnlimited) return
    this.#inFlight--
    if (this.#waiting.size === 0 || this.#closed) return
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      return this.#send(next)
    }
  }

  #expire(pending: Pending): void {
    const now = this.#clock.monotonic()
    if (pending.renew(this.#inbox.awaitedUntil(now), now)) return
    const { timeoutMs = 0 } = pending.options
    const isHard = pending.deadline >= pending.hardDeadline
    const limit = isHard ? pending.options.maxTimeoutMs : timeoutMs
    this.#giveUp(pending, 'timeout', `No answer to ${pending.method} within ${limit} ms.`)
  }

  #giveUp(
    pending: Pending,
    code: 'timeout' | 'cancelled',
    message: string,
    options: ErrorOptions = {},
  ): void {
    const fate = this.#waiting.has(pending) ? 'unsent' : this.#channel.abandon(pending.id)
    if (fate !== 'unsent') this.#remember(pending.id)
    // The handshake must not be cancelled.
    if (fate === 'untold' && pending.method !== 'initialize') {
      this.notify('notifications/cancelled', { requestId: pending.id, reason: message })
    }
    this.#reject(pending, new WireError(code, message, { ...options, sent: fate !== 'unsent' }))
  }

  #remember(id: RequestId): void {
    this.#abandoned.add(id)
    if (this.#abandoned.size <= rememberedAbandoned) return
    for (const oldest of this.#abandoned) return void this.#abandoned.delete(oldest)
  }

  #reject(pending: Pending, error: Error): void {
    this.#settle(pending)
    pending.reject(error)
  }
}
