import { noAcceptance } from '../../acceptances/acceptance.ts'
import type { LockedOffers, Acceptance, ScanRecord } from '../../acceptances/acceptance.ts'
import { judgeOffers } from '../../acceptances/judge-offers.ts'
import type { JudgingMode, Judgement } from '../../acceptances/judge-offers.ts'
import { acceptedOf, hashOffered, isAsAccepted, listOffers } from '../../acceptances/offered-list.ts'
import type { Offered } from '../../acceptances/offered-list.ts'
import type { Snapshot } from '../../catalog/catalog.ts'
import { hashDefinition } from '../../model/definition/canonical-definition.ts'
import type { Definition } from '../../model/definition/canonical-definition.ts'
import type { Finding } from '../../model/finding.ts'
import type { IgnoredFinding } from '../../model/ignored-finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { ignoreFindings } from '../../scan/ignore-findings.ts'
import { rulesVersion } from '../../scan/rules-version.ts'

interface SnapshotInput {
  readonly server: string
  readonly offered: Snapshot
  readonly acceptance: Acceptance | undefined
  readonly mode: JudgingMode
  readonly lock: LockedOffers | undefined
  readonly ignored: readonly IgnoredFinding[]
  readonly now: string
}

interface FreshRecord extends ScanRecord {
  readonly isNew?: boolean
}

/** Judges a snapshot. Definitions that are neither accepted nor scanned by these rules are scanned once. */
export async function judgeSnapshot({ ignored, ...input }: SnapshotInput): Promise<{
  readonly judgement: Judgement<Snapshot>
  readonly scans: ReadonlyMap<string, FreshRecord>
}> {
  const scans = await scanUnknown(input)
  const today = input.now.slice(0, 10)
  const findingsOf = (hash: string): readonly Finding[] => {
    const found = scans.get(hash)?.findings ?? []
    const named = found.map((each) => ({ ...each, subject: { ...each.subject, server: input.server } }))
    return ignoreFindings(
      named.map((each) => ({ ...each, sha256: hash })),
      ignored,
      today,
    ).found
  }
  return { judgement: judgeOffers({ ...input, findingsOf }), scans }
}

async function scanUnknown({
  server,
  offered,
  acceptance = noAcceptance,
}: Omit<SnapshotInput, 'ignored'>): Promise<ReadonlyMap<string, FreshRecord>> {
  const unknown = listOffers(offered).filter((offer) => {
    const accepted = acceptedOf(acceptance, offer)
    return !accepted || !isAsAccepted(offer, accepted, offered)
  })
  const records = new Map<string, FreshRecord>()
  const missing = new Map<string, Offered & { readonly hash: string }>()
  for (const offer of unknown) {
    const hash =
      offer.conflicting === undefined ? hashOffered(offer, offered) : hashDefinition(offer.conflicting)
    const known = acceptance.scans.get(hash)
    if (known?.rules === rulesVersion) records.set(hash, known)
    else missing.set(`${offer.kind} ${offer.name}`, { ...offer, hash })
  }
  if (missing.size === 0) return records
  // Loaded here: nothing is scanned while servers offer what was accepted.
  const { scanOffers } = await import('../../scan/scan-offers.ts')
  const found = new Map<string, Finding[]>([...missing.values()].map(({ hash }) => [hash, []]))
  for (const finding of scanOffers(toScan(server, [...missing.values()]))) {
    const { kind, name = '' } = finding.subject
    const hash = missing.get(`${kind} ${name}`)?.hash
    if (hash !== undefined) found.get(hash)?.push(finding)
  }
  for (const [hash, findings] of found) records.set(hash, { rules: rulesVersion, findings, isNew: true })
  return records
}

function toScan(server: string, offers: readonly Offered[]) {
  const sent = ({ sent: first, conflicting }: Offered): Definition => conflicting ?? first
  const listOf = (kind: Offered['kind']) =>
    offers.filter((each) => each.kind === kind).map((each) => sent(each) as JsonObject) // only instructions are text
  const instructions = offers.map(sent).find((each) => typeof each === 'string')
  return {
    server,
    tools: listOf('tool'),
    prompts: listOf('prompt'),
    resources: [],
    resourceTemplates: listOf('template'),
    skills: listOf('skill'),
    ...(instructions !== undefined && { instructions }),
  }
}
