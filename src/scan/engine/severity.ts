import type { Severity } from '../../model/finding.ts'

/** From the worst: the least score of each severity. */
const thresholds: readonly (readonly [number, Severity])[] = [
  [0.9, 'critical'],
  [0.7, 'high'],
  [0.4, 'medium'],
  [0.2, 'low'],
]

export function severityOf(score: number): Severity {
  return thresholds.find(([least]) => score >= least)?.[1] ?? 'info'
}

/** Typical scores of a rule that has a fixed severity. */
export const scoreOf: Readonly<Record<Severity, number>> = {
  critical: 0.95,
  high: 0.8,
  medium: 0.5,
  low: 0.3,
  info: 0.1,
}

/** The probability that at least one of several independent signals is right. */
export function noisyOr(...scores: readonly number[]): number {
  return 1 - scores.reduce((rest, score) => rest * (1 - score), 1)
}
