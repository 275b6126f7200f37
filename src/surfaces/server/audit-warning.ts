import type { Host } from '../../index.ts'
import { escapeLine } from '../terminal/escape.ts'

/** Writes to stderr when calls of a program that runs on leave no row in the audit trail. */
export function warnOfAudit(host: Pick<Host, 'on'>): void {
  host.on(
    (event) => {
      if (event.type === 'audit.failed') process.stderr.write(`warning: ${escapeLine(event.message)}\n`)
    },
    { calls: false },
  )
}
