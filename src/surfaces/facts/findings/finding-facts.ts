import type { Server } from '../../../index.ts'
import {
  hashFindings,
  ignoreFindings,
  scanOffers,
  scanServers,
  scanTogether,
  severities,
} from '../../../scan.ts'
import type {
  Finding,
  HashedFinding,
  IgnoredFinding,
  LabelOverrides,
  ServerOffers,
  Severity,
} from '../../../scan.ts'

/** A finding with the place of the declaration that it comes from. */
export interface PlacedFinding extends HashedFinding {
  readonly file?: string
  readonly line?: number
}

export interface FindingReport {
  /** The worst first, then in the order of the servers. */
  readonly findings: readonly PlacedFinding[]
  /** Findings that the person's settings ignore, with the reason. */
  readonly ignored: readonly (PlacedFinding & { readonly reason: string })[]
  readonly totals: Readonly<Record<Severity, number>>
}

export interface FindingOptions {
  readonly ignore?: readonly IgnoredFinding[] | undefined
  readonly labels?: LabelOverrides | undefined
  /** A date such as `2026-11-30`: what is ignored until an earlier one is reported again. */
  readonly today: string
}

/** Everything that the scanner finds in declarations, in what servers offer, and in all of them together. */
export function reportFindings(
  servers: readonly Server[],
  offers: readonly ServerOffers[],
  { ignore = [], labels, today }: FindingOptions,
): FindingReport {
  const byName = new Map(servers.map((server) => [server.name, server]))
  const findings = [
    ...scanServers(servers),
    ...offers.flatMap((each) => scanOffers(each)),
    ...scanTogether(offers, { labels }),
  ]
  const hashed = hashFindings(findings, offers, (name) => byName.get(name)?.entryHash ?? '')
  const sorted = ignoreFindings(hashed, ignore, today)
  const found = bySeverity(sorted.found).map((finding) => ({ ...finding, ...placeOf(finding, byName) }))
  return {
    findings: found,
    ignored: sorted.ignored.map((finding) => ({ ...finding, ...placeOf(finding, byName) })),
    totals: countSeverities(found),
  }
}

function bySeverity(findings: readonly HashedFinding[]): readonly HashedFinding[] {
  return findings.toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity))
}

export function countSeverities(findings: readonly Pick<Finding, 'severity'>[]): FindingReport['totals'] {
  const totals = { critical: 0, high: 0, medium: 0, low: 0, info: 0 }
  for (const { severity } of findings) totals[severity]++
  return totals
}

/** What a finding is about, as a person names it: `mail/send_email`, `mail (instructions)`. */
export function subjectText({ subject: { kind, server, name } }: Pick<Finding, 'subject'>): string {
  if (kind === 'server') return server
  if (name === undefined) return `${server} (${kind})`
  return kind === 'tool' ? `${server}/${name}` : `${server}/${name} (${kind})`
}

function placeOf(
  { subject, pointer }: Finding,
  servers: ReadonlyMap<string, Server>,
): Pick<PlacedFinding, 'file' | 'line'> {
  const server = servers.get(subject.server)
  const [declared] = server?.declared ?? []
  if (!server || !declared) return {}
  const inner = subject.kind === 'server' ? pointer : ''
  const { file, line } = declared.placeOf(`${declared.origin.pointer}${inner}`)
  return { file, ...(line !== undefined && { line }) }
}
