import type { Finding } from '../../model/finding.ts'
import type { ServerOffers } from '../scan-offers.ts'
import { toFinding } from './cross-rule.ts'
import type { CrossOptions, CrossRule } from './cross-rule.ts'
import { crossReference } from './xs-001.ts'
import { collision } from './xs-002.ts'
import { impersonation } from './xs-003.ts'
import { trifectaRule } from './xs-004.ts'

export const crossRules: readonly CrossRule[] = [crossReference, collision, impersonation, trifectaRule]

/** What servers that are used together could do to one another. Each server's own texts are `scanOffers`. */
export function scanTogether(all: readonly ServerOffers[], options: CrossOptions = {}): readonly Finding[] {
  return crossRules.flatMap((rule) => rule.find(all, options).map((match) => toFinding(rule, match)))
}
