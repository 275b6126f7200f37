import type { Finding, FindingSubject } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import type { DriftRule } from './drift/drift-rule.ts'
import { schemaDrift } from './drift/drf-001.ts'
import { textDrift } from './drift/drf-002.ts'
import { loosening } from './drift/drf-003.ts'
import { sessionFlip } from './drift/drf-004.ts'
import { toEvidence } from './engine/evidence.ts'

export const driftRules: readonly DriftRule[] = [schemaDrift, textDrift, loosening, sessionFlip]

export interface DriftOptions {
  /** Both definitions were listed by one connection (DRF-004). */
  readonly isInSession?: boolean
}

/** What changed between an accepted definition and the current one, as findings. The order of keys does not matter. */
export function compareForDrift(
  accepted: JsonObject,
  current: JsonObject,
  subject: FindingSubject,
  { isInSession = false }: DriftOptions = {},
): readonly Finding[] {
  return driftRules.flatMap(({ id, remedy, find }) =>
    find({ accepted, current, isInSession }).map(({ severity, message, pointer, evidence }) => ({
      rule: id,
      severity,
      subject,
      pointer,
      message,
      ...(evidence !== undefined && { evidence: toEvidence(evidence) }),
      remedy,
    })),
  )
}
