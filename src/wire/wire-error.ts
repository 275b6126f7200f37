import type { Exit } from '../model/exit.ts'
import type { Json } from '../model/json.ts'
import type { FailureCode } from '../model/status.ts'

/** Facts that come with a failure, each where it is known. */
export interface WireFacts {
  readonly status?: number
  readonly retryAfterMs?: number
  /** The challenge of a 401 or 403. */
  readonly challenge?: string
  /** What a login could ask for that the credentials lack. */
  readonly lacking?: readonly string[]
  /** The refused credentials are those of the entry; no login replaces them. */
  readonly isOfEntry?: boolean
  readonly exit?: Exit
  readonly stderr?: readonly string[]
  /** Where a command was looked for. */
  readonly searched?: readonly string[]
}

/** A request that got no answer, or a channel that is gone. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly code: FailureCode
  /** Whether the server may have acted on it. */
  readonly sent: boolean
  readonly facts: WireFacts
  constructor(
    code: FailureCode,
    message: string,
    options: ErrorOptions & { readonly sent?: boolean; readonly facts?: WireFacts } = {},
  ) {
    super(message, options)
    this.code = code
    this.sent = options.sent ?? false
    this.facts = options.facts ?? {}
  }
}

/** The server answered, and its answer is an error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data?: Json
  /** The status it came with, where it is no success. */
  readonly status?: number
  constructor(code: number, message: string, data?: Json, status?: number) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
    if (status !== undefined) this.status = status
  }
}

/** The channel was gone before the request could leave. */
export function unsent(error: WireError): WireError {
  return new WireError(error.code, error.message, { cause: error, facts: error.facts })
}

/** Once the server has answered the first part of a call, it may have acted, however the rest of it ends (D-5). */
export function asSent(error: unknown): Error {
  if (!(error instanceof WireError)) return error instanceof Error ? error : new Error(String(error))
  if (error.sent) return error
  return new WireError(error.code, error.message, { sent: true, facts: error.facts, cause: error })
}
