import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { Greeting, Self } from './greeting.ts'
import type { ParamHeaders } from './http/param-headers.ts'
import { toParamHeaders } from './http/param-headers.ts'
import type { AnswerRequest } from './inbox.ts'
import { answerAll, maxRounds, nextRound, readInputRequired } from './input-required.ts'
import { isHeaderMismatch, requestMeta, withMeta } from './modern.ts'
import type { RequestOptions } from './pending.ts'
import type { Rpc } from './rpc.ts'
import { awaitTask } from './tasks.ts'
import { WireError } from './wire-error.ts'

export interface PeerOptions {
  readonly greeting: Greeting
  readonly self: Self
  readonly clock: Clock
  /** Answers what the server asks in the middle of a call. */
  readonly answer: AnswerRequest
  /** The arguments of a tool that are mirrored into headers; only asked for over HTTP in the new era. */
  readonly paramHeadersOf: (
    tool: string,
    options: { readonly refresh: boolean },
  ) => Promise<ParamHeaders | undefined>
}

/** A server we have an agreement with: requests in the way of its era. */
export class Peer {
  readonly greeting: Greeting
  readonly #rpc: Rpc
  readonly #options: PeerOptions
  readonly #meta: JsonObject | undefined

  constructor(rpc: Rpc, options: PeerOptions) {
    this.greeting = options.greeting
    this.#rpc = rpc
    this.#options = options
    this.#meta = options.greeting.era === 'modern' ? requestMeta(options.self) : undefined
  }

  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<Json> {
    if (!this.#meta) return this.#rpc.request(method, params, options)
    return this.#complete(method, params, this.#meta, options)
  }

  notify(method: string, params?: JsonObject): void {
    this.#rpc.notify(method, this.#meta ? withMeta(params, this.#meta) : params)
  }

  /** A request of the new era, with all the rounds until its result is complete. */
  async #complete(
    method: string,
    params: JsonObject | undefined,
    meta: JsonObject,
    options: RequestOptions,
  ): Promise<Json> {
    const { answer, clock } = this.#options
    const signal = options.signal ?? new AbortController().signal
    let asked = params
    for (let round = 0; round < maxRounds; round++) {
      const result = await this.#once(method, asked, meta, options)
      const kind = isObject(result) ? (result['resultType'] ?? 'complete') : 'complete'
      if (kind === 'complete' || !isObject(result)) return result
      if (kind === 'task') {
        const ask = (name: string, body: JsonObject, each: RequestOptions) =>
          this.#once(name, body, meta, each)
        return awaitTask(result, options, { ask, answer, clock })
      }
      if (kind !== 'input_required') {
        throw new WireError('protocol', `The result is of the unknown kind ${JSON.stringify(kind)}.`, {
          sent: true,
        })
      }
      const { requests, state } = readInputRequired(result)
      const responses = await answerAll(requests, answer, signal)
      // Nothing asked means: come back later.
      if (Object.keys(responses).length === 0) await clock.sleep(250 * 2 ** round, signal)
      asked = nextRound(params, responses, state)
    }
    throw new WireError('protocol', `The server asked back ${maxRounds} times in one call.`, { sent: true })
  }

  async #once(
    method: string,
    params: JsonObject | undefined,
    meta: JsonObject,
    options: RequestOptions,
  ): Promise<Json> {
    const send = async (refresh: boolean) => {
      const headers = await this.#headersOf(method, params, refresh)
      return this.#rpc.request(method, withMeta(params, meta), headers ? { ...options, headers } : options)
    }
    try {
      return await send(false)
    } catch (error) {
      // Its list of tools has changed under us.
      if (method !== 'tools/call' || this.#rpc.kind !== 'http' || !isHeaderMismatch(error)) throw error
      return send(true)
    }
  }

  async #headersOf(method: string, params: JsonObject | undefined, refresh: boolean) {
    if (method !== 'tools/call' || this.#rpc.kind !== 'http') return undefined
    const spec = await this.#options.paramHeadersOf(String(params?.['name']), { refresh })
    return spec && toParamHeaders(spec, params?.['arguments'])
  }
}
