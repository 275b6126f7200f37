import type { LockDifference } from '../../../internal.ts'
import { escapeLine } from '../../terminal/escape.ts'

export interface DifferenceFacts {
  readonly mark: '+' | '-' | '~' | '?'
  readonly text: string
}

const marks = { added: '+', removed: '-', changed: '~', unknown: '?' } as const

/** One difference from a lock file as a line. Names come from servers, so they are escaped. */
export function describeDifference(difference: LockDifference): DifferenceFacts {
  const { server, change } = difference
  return { mark: marks[change], text: `${escapeLine(server)}: ${describePart(difference)}` }
}

/** The same without its server. */
export function describePart({ part, name = '', change, locked = '', now = '' }: LockDifference): string {
  const [before, after] = [escapeLine(locked), escapeLine(now)]
  switch (part) {
    case 'server':
      return change === 'added' ? 'the server is not in the lock file' : 'the server is no longer declared'
    case 'version':
      if (change === 'unknown') return `version ${before} is locked, and which one runs here is not known`
      return change === 'added' ? `version ${after}` : `version ${before} → ${after || 'none'}`
    case 'command':
    case 'package':
      return `${part} ${before || 'none'} → ${after || 'none'}`
    case 'declaration':
      return 'the declaration changed'
    case 'instructions':
      return `the instructions ${wordOf(change)}`
    case 'script':
      if (change === 'unknown')
        return `script ${escapeLine(name)} is run and not covered yet; run: plugboard lock`
      return `${part} ${escapeLine(name)} ${wordOf(change)}`
    case 'tool':
    case 'prompt':
    case 'template':
    case 'app':
    case 'skill':
      return `${part} ${escapeLine(name)} ${wordOf(change)}`
    default:
      return part satisfies never
  }
}

function wordOf(change: LockDifference['change']): string {
  if (change === 'added') return 'is new'
  return change === 'removed' ? 'is gone' : 'changed'
}
