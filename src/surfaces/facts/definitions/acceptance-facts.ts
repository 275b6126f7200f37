import type { AcceptanceReading } from '../../../internal.ts'
import type { AcceptanceFacts } from '../../api/lock-routes.ts'
import { escapeLine } from '../../terminal/escape.ts'

/** How definitions are accepted; where acceptance is off, a sentence with what that means and how to turn it on. */
export function describeAcceptanceMode(
  { mode, by, preset, file }: AcceptanceReading,
  showPath: (path: string) => string,
): AcceptanceFacts {
  if (mode !== 'off') return { mode, by }
  const where = by === 'user' ? 'in your settings' : `under the preset ${preset}`
  const remedy = `Turn it on with "accept": "tofu" in ${escapeLine(showPath(file))}.`
  return {
    mode,
    by,
    sentence: `Acceptance is off ${where}: what servers change reaches models, unless it differs from a lock file of the project. ${remedy}`,
  }
}
