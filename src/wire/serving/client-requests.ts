import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Request, RequestId } from '../message.ts'
import { RpcError } from '../wire-error.ts'

interface Asked {
  readonly resolve: (result: Json) => void
  readonly reject: (error: Error) => void
}

/** A client may outlive this process: an answer to a question of an earlier one must match none of ours. */
const thisRun = globalThis.crypto.randomUUID().slice(0, 8)

/** Requests to a legacy client, until it answers. The ids are ours: those of its own requests are another space. */
export class ClientRequests {
  readonly #asked = new Map<RequestId, Asked>()
  #nextId = 1
  #isClosed = false

  /** @param send Writes a message where this request belongs: to the pipe, or to the stream of a call. */
  ask(
    method: string,
    params: JsonObject,
    { send, signal }: { readonly send: (request: Request) => void; readonly signal: AbortSignal },
  ): { readonly id: RequestId; readonly answer: Promise<Json> } {
    const id = `plugboard-${thisRun}-${this.#nextId++}`
    const answer = new Promise<Json>((resolve, reject) => {
      if (this.#isClosed || signal.aborted) return reject(gone())
      const onAbort = () => this.#end(id)?.reject(gone())
      signal.addEventListener('abort', onAbort, { once: true })
      const settle = () => signal.removeEventListener('abort', onAbort)
      this.#asked.set(id, {
        resolve: (result) => (settle(), resolve(result)),
        reject: (error) => (settle(), reject(error)),
      })
      send({ jsonrpc: '2.0', id, method, params })
    })
    return { id, answer }
  }

  /** Takes a response of the client; `false` if no request waits for it. */
  answered({ id, result, error }: { readonly id: RequestId; readonly result?: Json; readonly error?: Json }) {
    const asked = this.#end(id)
    if (!asked) return false
    if (error === undefined) asked.resolve(result ?? null)
    else asked.reject(toError(error))
    return true
  }

  close(): void {
    this.#isClosed = true
    for (const id of this.#asked.keys()) this.#end(id)?.reject(gone())
  }

  #end(id: RequestId): Asked | undefined {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    return asked
  }
}

function gone(): RpcError {
  return new RpcError(-32000, 'The client is gone, or no longer waits.')
}

function toError(error: Json): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  return new RpcError(
    typeof code === 'number' ? code : -32603,
    typeof message === 'string' ? message : 'The client refused.',
    data,
  )
}
