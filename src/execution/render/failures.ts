import { HostError } from '../../model/error.ts'
import type { ErrorCode } from '../../model/error.ts'
import type { CallResult } from '../../model/result.ts'

/** The three systems' shapes of an answer and of a failure (C16). */

export type BoocodeAnswer = string | { readonly error: true; readonly output: string }

/** P16 */
export function toBoocodeAnswer({ text, failed }: CallResult): BoocodeAnswer {
  return failed ? { error: true, output: text } : text
}

/** What a model can do something about is told; everything else is a server that cannot be reached (P12). */
export function toBoocodeFailure(error: unknown): BoocodeAnswer {
  const isOurs = error instanceof HostError && told.has(error.code)
  return { error: true, output: isOurs ? error.message : 'MCP server unreachable' }
}

const told: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'tool.unknown',
  'tool.quarantined',
  'call.invalid-args',
  'call.denied',
  'call.cancelled',
  'call.too-large',
])

export interface DispatchAnswer {
  readonly content: string
  readonly isError?: boolean
}

/** D18 */
export function toDispatchAnswer({ text, failed }: CallResult): DispatchAnswer {
  return failed ? { content: text, isError: true } : { content: text }
}

export function toDispatchFailure(error: unknown): DispatchAnswer {
  return { content: messageOf(error), isError: true }
}

/** O15; a call that was aborted is the caller's to throw. */
export function toOmpFailure(error: unknown): string {
  return `MCP error: ${messageOf(error)}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
