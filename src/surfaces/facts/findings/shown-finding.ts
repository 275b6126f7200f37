import type { Finding, Json } from '../../../index.ts'
import { isObject, listOf } from '../../../internal.ts'
import type { ShownFinding } from '../../api/shared-shapes.ts'
import { escapeLine } from '../../terminal/escape.ts'

/** The part of a finding that a question carries. */
export type StoredFinding = Pick<Finding, 'rule' | 'severity' | 'pointer' | 'message' | 'evidence' | 'remedy'>

/** Findings as terminal and page show them, the worst first. All texts of the server are escaped. */
export function showFindings(findings: readonly StoredFinding[]): readonly ShownFinding[] {
  return findings.toSorted(worstFirst).map(({ rule, severity, pointer, message, evidence, remedy }) => ({
    rule,
    severity,
    where: escapeLine(pointer),
    message: escapeLine(message),
    ...(evidence !== undefined && { evidence: escapeLine(evidence) }),
    remedy: escapeLine(remedy),
  }))
}

const order = ['critical', 'high', 'medium', 'low', 'info'] as const

function worstFirst(one: StoredFinding, other: StoredFinding): number {
  return order.indexOf(one.severity) - order.indexOf(other.severity)
}

/** The findings in what a stored question asks. Anything else in their place is left out. */
export function readFindings(asked: Json): readonly StoredFinding[] {
  return listOf(isObject(asked) ? asked['findings'] : undefined).flatMap((each) => {
    const { rule, severity, pointer, message, evidence, remedy } = isObject(each) ? each : {}
    const level = order.find((word) => word === severity)
    if (typeof rule !== 'string' || !level || typeof message !== 'string') return []
    return {
      rule,
      severity: level,
      pointer: typeof pointer === 'string' ? pointer : '',
      message,
      ...(typeof evidence === 'string' && { evidence }),
      remedy: typeof remedy === 'string' ? remedy : '',
    }
  })
}

const maxWarnings = 5

/** What was found in a question, as lines for a terminal, the worst first. */
export function findingWarnings(findings: readonly StoredFinding[] = []): readonly string[] {
  const lines = showFindings(findings).map(
    ({ rule, message, remedy, evidence }) =>
      `Look closely: ${message} [${rule}]${evidence === undefined ? '' : ` “${evidence}”`} ${remedy}`,
  )
  const more = lines.length - maxWarnings
  return more > 0 ? [...lines.slice(0, maxWarnings), `The scanner found ${more} more.`] : lines
}
