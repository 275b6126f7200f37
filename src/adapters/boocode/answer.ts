import { HostError } from '../../model/error.ts'
import type { ErrorCode } from '../../model/error.ts'
import type { CallResult } from '../../model/result.ts'

/** What a tool of a server answers: its output, or that it failed and with which words (C16). */
export type ToolAnswer = string | { readonly error: true; readonly output: string }

/** P16 */
export function toAnswer({ text, failed }: Pick<CallResult, 'text' | 'failed'>): ToolAnswer {
  return failed ? { error: true, output: text } : text
}

/** What a model can do something about is told; everything else is a server that cannot be reached (P12). */
export function toFailure(error: unknown): ToolAnswer {
  return error instanceof HostError && told.has(error.code) ? failure(error.message) : unreachable
}

export const unreachable: ToolAnswer = { error: true, output: 'MCP server unreachable' }

export function failure(output: string): ToolAnswer {
  return { error: true, output }
}

const told: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'tool.quarantined',
  'call.invalid-args',
  'call.denied',
  'call.cancelled',
  'call.too-large',
])
