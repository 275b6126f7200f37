import { hashDefinition } from '../model/definition/canonical-definition.ts'
import type { Definition } from '../model/definition/canonical-definition.ts'
import type { Finding } from '../model/finding.ts'
import type { IgnoredFinding } from '../model/ignored-finding.ts'
import type { JsonObject } from '../model/json.ts'
import type { ServerOffers } from './scan-offers.ts'

/** A finding with the hash of what it is about. */
export interface HashedFinding extends Finding {
  /** Of the definition, or of the entry if it is about the declaration. */
  readonly sha256: string
}

export interface SortedFindings {
  readonly found: readonly HashedFinding[]
  /** Those that a person ignores, with the reason. */
  readonly ignored: readonly (HashedFinding & { readonly reason: string })[]
}

/** Tells what a person has ignored from the rest. `today` is a date such as `2026-11-30`. */
export function ignoreFindings(
  findings: readonly HashedFinding[],
  ignored: readonly IgnoredFinding[],
  today: string,
): SortedFindings {
  const inForce = ignored.filter(({ until }) => until === undefined || until >= today)
  const wordOn = ({ rule, subject, sha256 }: HashedFinding) =>
    inForce.find((each) => each.rule === rule && each.server === subject.server && each.sha256 === sha256)
  return {
    found: findings.filter((finding) => !wordOn(finding)),
    ignored: findings.flatMap((finding) => {
      const word = wordOn(finding)
      return word ? [{ ...finding, reason: word.reason }] : []
    }),
  }
}

/**
 * What a person ignored and is reported again, each with the reason: its date has passed, or what it was about has changed. An
 * entry whose server or rule has no finding now is not named.
 */
export function lapsedIgnores(
  found: readonly HashedFinding[],
  ignored: readonly IgnoredFinding[],
  today: string,
): readonly { readonly rule: string; readonly server: string; readonly why: string }[] {
  return ignored.flatMap(({ rule, server, until, sha256 }) => {
    const about = found.filter((finding) => finding.rule === rule && finding.subject.server === server)
    if (about.length === 0) return []
    const isOver = until !== undefined && until < today
    const hashes = about.map((finding) => finding.sha256)
    if (isOver && hashes.includes(sha256)) return [{ rule, server, why: `its date ${until} has passed` }]
    return hashes.includes(sha256) ? [] : [{ rule, server, why: 'what it was about has changed' }]
  })
}

/** Adds to each finding the hash of the definition, the instructions or, for a declaration, the entry that it is about. */
export function hashFindings(
  findings: readonly Finding[],
  offers: readonly ServerOffers[],
  entryHashOf: (server: string) => string,
): readonly HashedFinding[] {
  const byServer = new Map(offers.map((each) => [each.server, each]))
  return findings.map((finding) => {
    const about = subjectOf(finding, byServer.get(finding.subject.server))
    return {
      ...finding,
      sha256: about === undefined ? entryHashOf(finding.subject.server) : hashDefinition(about),
    }
  })
}

function subjectOf({ subject }: Finding, offers: ServerOffers | undefined): Definition | undefined {
  const { kind, name } = subject
  const named = (list: readonly JsonObject[] = [], key: string) => list.find((each) => each[key] === name)
  switch (kind) {
    case 'tool':
      return named(offers?.tools, 'name')
    case 'prompt':
      return named(offers?.prompts, 'name')
    case 'resource':
      return named(offers?.resources, 'uri')
    case 'template':
      return named(offers?.resourceTemplates, 'uriTemplate')
    case 'skill':
      return named(offers?.skills, 'uri')
    case 'instructions':
      return offers?.instructions
    default:
      return undefined
  }
}
