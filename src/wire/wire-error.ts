import type { Exit } from '../model/exit.ts'
import type { Json } from '../model/json.ts'
import type { FailureCode } from '../model/status.ts'

/** Facts about a failure, recorded where they are known. */
export interface WireFacts {
  readonly status?: number
  readonly retryAfterMs?: number
  /** The challenge of a 401 or 403. */
  readonly challenge?: string
  /** The scopes that the credential lacks and a login could request. */
  readonly lacking?: readonly string[]
  /** The refused credentials come from the entry, so a login cannot replace them. */
  readonly isOfEntry?: boolean
  readonly exit?: Exit
  readonly stderr?: readonly string[]
  /** What a person should know besides the hint of the code. */
  readonly note?: string
  /** Directories searched for the command. */
  readonly searched?: readonly string[]
}

/** A request without an answer, or a closed channel. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly code: FailureCode
  /** The request was sent, so the server may have acted on it. */
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

/** The server answered with a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data?: Json
  /** The HTTP status, if unsuccessful. */
  readonly status?: number
  constructor(code: number, message: string, data?: Json, status?: number) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
    if (status !== undefined) this.status = status
  }
}

/** The same error for a request that never left. */
export function unsent(error: WireError): WireError {
  return new WireError(error.code, error.message, { cause: error, facts: error.facts })
}

/**
 * The same error, marked as sent. Once the server has answered the first part of a call, it may have acted, however
 * the rest ends (D-5).
 */
export function asSent(error: unknown): Error {
  if (!(error instanceof WireError)) return error instanceof Error ? error : new Error(String(error))
  if (error.sent) return error
  return new WireError(error.code, error.message, { sent: true, facts: error.facts, cause: error })
}
