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
import type { Greeting, Self } from './greeting.ts'
import { answerAll, maxRounds, nextRound, readInputRequired, withinCall } from './input-required.ts'
import { LegacyTasks, runsTasks } from './legacy-tasks.ts'
import { isHeaderMismatch, offersOurs, requestMeta, withMeta } from './modern.ts'
import { awaitTask } from './tasks.ts'
import type { TaskContext } from './tasks.ts'

export interface PeerOptions {
  readonly greeting: Greeting
  readonly self: Self
  readonly clock: Clock
  /** Answers what the server asks in the middle of a call. */
  readonly answer: AnswerRequest
  /** The arguments of a tool that are mirrored into headers; only asked for over HTTP in the new era. */
  readonly paramHeadersOf: (
    tool: string,
    options: Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTimeoutMs'> & { readonly refresh: boolean },
  ) => Promise<ParamHeaders | undefined>
  /** Aborts with the connection, and with the `WireError` it ended with. */
  readonly ended: AbortSignal
}

/** A server we have an agreement with: requests in the way of its era. */
export class Peer {
  readonly greeting: Greeting
  readonly #rpc: Rpc
  readonly #options: PeerOptions
  readonly #meta: JsonObject | undefined
  /** Of the old era, where the server knows them. */
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

  /** A server of the old era that declares no tasks; those of the new era begin one by themselves. */
  get isTaskless(): boolean {
    return !this.#meta && !this.#tasks
  }

  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Json> {
    if (this.#meta) return this.#complete(method, params, this.#meta, options)
    if (options.asTask && this.#tasks) return this.#tasks.call(params, options)
    return this.#rpc.request(method, params, options)
  }

  /** Progress of what is no request any more. */
  progressed(progress: number, params: JsonObject): void {
    this.#tasks?.progressed(progress, params)
  }

  notify(method: string, params?: JsonObject): void {
    this.#rpc.notify(method, this.#meta ? withMeta(params, this.#meta) : params)
  }

  /** A request of the new era, with all the rounds until its result is complete. */
  async #complete(
    method: string,
    params: JsonObject | undefined,
    meta: JsonObject,
    given: RequestOptions,
  ): Promise<Json> {
    const options = withDeadline(given, this.#options.clock)
    const again = (asked: JsonObject | undefined) => this.#once(method, asked, meta, options)
    const first = await again(params)
    if (kindOf(first) === 'complete') return first
    try {
      return await this.#follow(first, params, meta, options, again)
    } catch (error) {
      throw asSent(error)
    }
  }

  async #follow(
    first: Json,
    params: JsonObject | undefined,
    meta: JsonObject,
    options: RequestOptions,
    again: (asked: JsonObject) => Promise<Json>,
  ): Promise<Json> {
    const { answer, clock, ended } = this.#options
    let result = first
    for (let round = 1; ; round++) {
      const kind = kindOf(result)
      if (kind === 'complete' || !isObject(result)) return result
      if (kind === 'task') {
        const ask: TaskContext['ask'] = (name, body, each) => this.#once(name, body, meta, each)
        return awaitTask(result, options, { ask, answer, clock, ended })
      }
      if (kind !== 'input_required')
        throw broken(`The result is of the unknown kind ${sample(JSON.stringify(kind))}.`)
      if (round === maxRounds) throw broken(`The server asked back ${maxRounds} times in one call.`)
      const { requests, state } = readInputRequired(result)
      const responses = await withinCall({ signal: options.signal, ended }, async (signal) => {
        // Nothing asked means: come back later.
        if (Object.keys(requests).length === 0) await clock.sleep(125 * 2 ** round, signal)
        return answerAll(requests, answer, signal)
      })
      result = await again(nextRound(params, responses, state))
    }
  }

  async #once(
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
      if (offersOurs(error)) return send(false)
      // Its list of tools has changed under us.
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

/** A result that says nothing of its kind is complete: servers of earlier revisions do not know the word. */
function kindOf(result: Json): Json {
  return isObject(result) ? (result['resultType'] ?? 'complete') : 'complete'
}

function broken(message: string): WireError {
  return new WireError('protocol', message, { sent: true })
}
