import type { Severity } from '../model/finding.ts'
import { configRules } from './config/scan-servers.ts'
import { crossRules } from './cross/scan-together.ts'
import { driftRules } from './compare-for-drift.ts'
import { rules } from './rules/all-rules.ts'
import { guardRule } from './rules/grd/grd-001.ts'

/** What a rule says about itself. */
export interface RuleSummary {
  readonly id: string
  /** The worst severity that the rule gives. */
  readonly severity: Severity
  readonly title: string
  readonly reason: string
  readonly remedy: string
}

/** Every rule, by its id. */
export const ruleList: readonly RuleSummary[] = [
  ...new Map(
    [...rules, guardRule, ...crossRules, ...driftRules, ...configRules].map(
      ({ id, severity, title, reason, remedy }) => [id, { id, severity, title, reason, remedy }],
    ),
  ).values(),
].toSorted((a, b) => (a.id < b.id ? -1 : 1))
