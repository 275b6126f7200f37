import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import { sample } from '../frames/decode.ts'
import { toParamHeaders } from '../http/param-headers.ts'
import type { ParamHeaders } from '../http/param-headers.ts'
import type { AnswerRequest } from '../inbox.ts'
import { withDeadline } from '../pending.ts'
import type { RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { asSent, WireError } from '../wire-error.ts'
import type { Greeting, ClientIdentity } from './greeting.ts'
import { answerAll, maxRounds, nextRound, readInputRequired, runWithinCall } from './input-required.ts'
import { LegacyTasks, runsTasks } from './legacy-tasks.ts'
import {
  declaresTasks,
  isHeaderMismatch,
  metaOnBehalf,
  offersModernVersion,
  requestMeta,
  withMeta,
} from './modern.ts'
import { awaitTask } from './tasks.ts'
import type { TaskContext } from './tasks.ts'

export interface PeerOptions {
  readonly greeting: Greeting
  readonly self: ClientIdentity
  readonly clock: Clock
  /** Answers questions from the server in the middle of a call. */
  readonly answer: AnswerRequest
  /** The tool's arguments that are mirrored into headers; read only for modern servers over HTTP. */
  readonly paramHeadersOf: (
    tool: string,
    options: Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTimeoutMs'> & { readonly refresh: boolean },
  ) => Promise<ParamHeaders | undefined>
  /** Aborts when the connection ends; its reason is the `WireError`. */
  readonly ended: AbortSignal
}

/** A server after the handshake; sends requests as its era requires. */
export class Peer {
  readonly greeting: Greeting
  readonly #rpc: Rpc
  readonly #options: PeerOptions
  readonly #meta: JsonObject | undefined
  /** Set for legacy servers with task support. */
  readonly #tasks: LegacyTasks | undefined

  constructor(rpc: Rpc, options: PeerOptions) {
    this.greeting = options.greeting
    this.#rpc = rpc
    this.#options = options
    const { greeting, self, clock, ended } = options
    this.#meta = greeting.era === 'modern' ? requestMeta(self) : undefined
    if (this.#meta || !runsTasks(greeting.capabilities)) return
    const ask: TaskContext['ask'] = (method, params, each) => rpc.request(method, params, each)
    this.#tasks = new LegacyTasks({ ask, clock, ended })
  }

  /** A legacy server without task support. Modern servers create tasks on their own. */
  get isTaskless(): boolean {
    return !this.#meta && !this.#tasks
  }

  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Json> {
    if (this.#meta) {
      const { onBehalf } = options
      const meta = onBehalf ? metaOnBehalf(this.#meta, onBehalf) : this.#meta
      return this.#requestUntilComplete(method, params, meta, options)
    }
    if (options.asTask && this.#tasks) return this.#tasks.call(params, options)
    return this.#rpc.request(method, params, options)
  }

  /** Follows a task that an earlier call created, until it ends. */
  resumeTask(task: JsonObject, options: RequestOptions): Promise<Json> {
    const meta = this.#meta
    if (!meta) {
      if (this.#tasks) return this.#tasks.follow(task, options)
      throw new WireError('protocol', 'The server declares no tasks any more.')
    }
    const { answer, clock, ended } = this.#options
    const ask: TaskContext['ask'] = (name, body, each) => this.#sendOnce(name, body, meta, each)
    return awaitTask(task, options, { ask, answer, clock, ended })
  }

  /** Progress that belongs to no open request. */
  receiveProgress(progress: number, params: JsonObject): void {
    this.#tasks?.receiveProgress(progress, params)
  }

  notify(method: string, params?: JsonObject): void {
    this.#rpc.notify(method, this.#meta ? withMeta(params, this.#meta) : params)
  }

  /** Sends a modern request and all its follow-up rounds until the result is complete. */
  async #requestUntilComplete(
    method: string,
    params: JsonObject | undefined,
    meta: JsonObject,
    given: RequestOptions,
  ): Promise<Json> {
    const options = withDeadline(given, this.#options.clock)
    const first = await this.#sendOnce(method, params, meta, options)
    if (isForCaller(first, options)) return first
    // The time that the caller read was that of the first round.
    const later = { ...options, now: undefined }
    const sendRound = (roundParams: JsonObject) => this.#sendOnce(method, roundParams, meta, later)
    try {
      return await this.#finishRounds(first, params, meta, options, sendRound)
    } catch (error) {
      throw asSent(error)
    }
  }

  async #finishRounds(
    first: Json,
    params: JsonObject | undefined,
    meta: JsonObject,
    options: RequestOptions,
    sendRound: (roundParams: JsonObject) => Promise<Json>,
  ): Promise<Json> {
    const { clock, ended } = this.#options
    const answer = options.onBehalf?.answer ?? this.#options.answer
    let result = first
    for (let round = 1; ; round++) {
      const kind = kindOf(result)
      if (isForCaller(result, options) || !isObject(result)) return result
      if (kind === 'task') {
        const ask: TaskContext['ask'] = (name, body, each) => this.#sendOnce(name, body, meta, each)
        return awaitTask(result, options, { ask, answer, clock, ended })
      }
      if (kind !== 'input_required')
        throw protocolError(`The result has the unknown type ${sample(JSON.stringify(kind))}.`)
      if (round === maxRounds)
        throw protocolError(`The server asked for input ${maxRounds} times in one call.`)
      const { requests, state } = readInputRequired(result)
      const responses = await runWithinCall({ signal: options.signal, ended }, async (signal) => {
        // No questions: the server wants us to retry later.
        if (Object.keys(requests).length === 0) await clock.sleep(125 * 2 ** round, signal)
        return answerAll(requests, answer, signal)
      })
      result = await sendRound(nextRound(params, responses, state))
    }
  }

  async #sendOnce(
    method: string,
    params: JsonObject | undefined,
    meta: JsonObject,
    options: RequestOptions,
  ): Promise<Json> {
    const send = async (refresh: boolean) => {
      const headers = await this.#headersOf(method, params, { ...options, refresh })
      return this.#rpc.request(method, withMeta(params, meta), headers ? { ...options, headers } : options)
    }
    try {
      return await send(false)
    } catch (error) {
      if (offersModernVersion(error)) return send(false)
      // The tool list has changed since it was read.
      if (method !== 'tools/call' || this.#rpc.kind !== 'http' || !isHeaderMismatch(error)) throw error
      return send(true)
    }
  }

  async #headersOf(
    method: string,
    params: JsonObject | undefined,
    { refresh, signal, timeoutMs, maxTimeoutMs }: RequestOptions & { readonly refresh: boolean },
  ) {
    const name = params?.['name']
    if (method !== 'tools/call' || this.#rpc.kind !== 'http' || typeof name !== 'string') return undefined
    const spec = await this.#options.paramHeadersOf(name, { refresh, signal, timeoutMs, maxTimeoutMs })
    return spec && toParamHeaders(spec, params?.['arguments'])
  }
}

/** A result without `resultType` is complete: servers of earlier revisions do not send it. */
function kindOf(result: Json): Json {
  return isObject(result) ? (result['resultType'] ?? 'complete') : 'complete'
}

/** Whether the caller gets the result as it is: it is complete, or the client that it is for takes the next step. */
function isForCaller(result: Json, { onBehalf }: RequestOptions): boolean {
  const kind = kindOf(result)
  if (kind === 'complete') return true
  if (!onBehalf) return false
  if (kind === 'input_required') return !onBehalf.answer
  return kind === 'task' && onBehalf.tasks === 'client' && declaresTasks(onBehalf.capabilities)
}

function protocolError(message: string): WireError {
  return new WireError('protocol', message, { sent: true })
}
