import { canonicalDefinition, hashDefinition, offerName } from '../model/definition/canonical-definition.ts'
import { isAtLeast } from '../model/finding.ts'
import type { Finding } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance, HeldOffer } from './acceptance.ts'

interface ResourcesInput {
  readonly resources: readonly JsonObject[]
  readonly acceptance: Acceptance | undefined
  /** What the scanner found in the list. */
  readonly findings: readonly Finding[]
  /** The findings of one definition without those that a person ignores. */
  readonly counted: (findings: readonly Finding[], hash: string) => readonly Finding[]
}

/**
 * The resources in whose definitions the scanner found something high or critical, unless a person accepted exactly that. The
 * others are shown: a list of resources changes with what a server holds, so that a change says nothing.
 */
export function judgeResources({
  resources,
  acceptance = noAcceptance,
  findings,
  counted,
}: ResourcesInput): readonly HeldOffer[] {
  const named = new Set(findings.map(({ subject }) => subject.name ?? ''))
  return resources.flatMap((resource): readonly HeldOffer[] => {
    const name = offerName('resource', resource)
    if (!named.has(name)) return []
    const found = findings.filter(({ subject }) => (subject.name ?? '') === name)
    const hash = hashDefinition(resource)
    const bad = counted(found, hash)
    if (!bad.some(({ severity }) => isAtLeast(severity, 'high'))) return []
    if (acceptance.resources.get(name)?.hash === hash) return []
    const isRejected = acceptance.rejected.some((each) => each.kind === 'resource' && each.hash === hash)
    const current = { hash, definition: canonicalDefinition(resource) }
    return [{ kind: 'resource', name, reason: isRejected ? 'rejected' : 'scan', current, findings: bad }]
  })
}
