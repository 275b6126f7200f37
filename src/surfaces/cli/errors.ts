import { HostError } from '../../index.ts'
import { redactText } from '../../config.ts'
import { escapeText } from '../terminal/escape.ts'

/** A problem in one sentence with the next step; a stack only for a fault of ours. */
export function explainError(error: unknown): string {
  if (error instanceof HostError) {
    const next = error.hint ?? usualHint(error)
    const hint = next === undefined ? '' : `\n${next}`
    return escapeText(redactText(`${error.message}${hint}`))
  }
  const outside = fromOutside(error)
  if (outside !== undefined) return escapeText(redactText(outside))
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return escapeText(redactText(`Plugboard failed unexpectedly: ${text}`))
}

/** What the machine refuses is no fault of ours: a folder that is gone, a disk that is full. */
function fromOutside(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined
  if (error.syscall === 'uv_cwd')
    return 'The working directory does not exist any more.\nChange to a folder that does.'
  return error.syscall === 'write' ? `The result could not be written: ${error.message}.` : undefined
}

function usualHint({ code }: HostError): string | undefined {
  return code === 'config.exists' ? 'Replace it with --force, or choose another name.' : undefined
}
