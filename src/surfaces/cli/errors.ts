import { HostError } from '../../index.ts'
import { redactText } from '../../config.ts'
import { escapeText } from '../terminal/escape.ts'

/** A problem in one sentence with the next step; a stack only for a fault of ours. */
export function explainError(error: unknown): string {
  if (error instanceof HostError) {
    const hint = error.hint === undefined ? '' : `\n${error.hint}`
    return escapeText(redactText(`${error.message}${hint}`))
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return escapeText(redactText(`Plugboard failed unexpectedly: ${text}`))
}
