import { isAtLeast } from '../model/finding.ts'
import type { Finding } from '../model/finding.ts'
import { rulesVersion } from '../scan/rules-version.ts'
import type { Acceptance } from './acceptance.ts'

/** What was accepted without its text is not accepted any more, and what was found in the text is kept with its hash. */
export function withSkillHeld(
  acceptance: Acceptance,
  {
    uri,
    hash,
    findings,
  }: { readonly uri: string; readonly hash: string; readonly findings: readonly Finding[] },
): Acceptance {
  const skills = new Map(acceptance.skills)
  skills.delete(uri)
  const scans = new Map(acceptance.scans).set(hash, { rules: rulesVersion, findings })
  return { ...acceptance, skills, scans }
}

/** A critical finding is ignored with a reason, or not at all: accepting the skill does not cover it. */
export function isCritical(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => isAtLeast(severity, 'critical'))
}
