import type { Json, JsonObject } from '../model/json.ts'
import type { Clock } from '../platform/platform.ts'
import type { RequestId, Response } from './message.ts'
import { RpcError } from './wire-error.ts'

/** Answers a request from the server. A thrown `RpcError` is sent back as it is. */
export type AnswerRequest = (
  request: {
    readonly method: string
    readonly params: JsonObject | undefined
    /** It came with the result of a call that can be sent again, so the answer may come after the end of this process. */
    readonly canWait?: boolean
  },
  signal: AbortSignal,
) => Promise<Json>

/** Requests above this number of open ones are rejected. */
const maxOpen = 64

/** Requests from the server, until they are answered, cancelled or the connection ends. */
export class Inbox {
  readonly #answer: AnswerRequest
  readonly #send: (response: Response) => void
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #open = new Map<RequestId, AbortController>()
  #answeredAt = -Infinity

  constructor(answer: AnswerRequest, send: (response: Response) => void, clock: Pick<Clock, 'monotonic'>) {
    this.#answer = answer
    this.#send = send
    this.#clock = clock
  }

  /** The last moment at which the server was waiting for an answer from us. */
  awaitedUntil(now: number): number {
    return this.#open.size > 0 ? now : this.#answeredAt
  }

  answer(id: RequestId, method: string, params: JsonObject | undefined): void {
    // Liveness check: answered immediately, and not counted against the limit.
    if (method === 'ping') return this.#send({ jsonrpc: '2.0', id, result: {} })
    if (this.#open.size >= maxOpen) return this.#refuse(id, -32000, 'Too many requests at once.')
    if (this.#open.has(id)) return this.#refuse(id, -32600, 'A request with this id is still open.')
    const controller = new AbortController()
    this.#open.set(id, controller)
    this.#answer({ method, params }, controller.signal).then(
      (result) => this.#finish(id, controller, { jsonrpc: '2.0', id, result }),
      (error: unknown) => this.#finish(id, controller, toErrorResponse(id, error)),
    )
  }

  cancel(id: unknown): void {
    const controller = this.#open.get(id as RequestId) // lookup only: any value is safe
    if (!controller) return
    this.#open.delete(id as RequestId) // the lookup succeeded, so it is a valid id
    controller.abort(new Error('The server cancelled its request.'))
  }

  close(): void {
    for (const controller of this.#open.values()) controller.abort(new Error('The connection ended.'))
    this.#open.clear()
  }

  #finish(id: RequestId, controller: AbortController, response: Response): void {
    if (this.#open.get(id) !== controller) return
    this.#open.delete(id)
    this.#answeredAt = this.#clock.monotonic()
    try {
      this.#send(response)
    } catch {
      // The handler's result cannot be serialized as JSON.
      this.#refuse(id, -32603, 'Internal error')
    }
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.#send({ jsonrpc: '2.0', id, error: { code, message } })
  }
}

function toErrorResponse(id: RequestId, error: unknown): Response {
  const { code, message, data } =
    error instanceof RpcError ? error : { code: -32603, message: 'Internal error', data: undefined }
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}
