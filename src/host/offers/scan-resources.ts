import type { Acceptance, HeldOffer } from '../../acceptances/acceptance.ts'
import { judgeResources } from '../../acceptances/judge-resources.ts'
import { hashOf } from '../../model/canonical.ts'
import { canonicalDefinition } from '../../model/definition/canonical-definition.ts'
import { isAtLeast } from '../../model/finding.ts'
import type { IgnoredFinding } from '../../model/ignored-finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { ignoreFindings } from '../../scan/ignore-findings.ts'
import { rulesVersion } from '../../scan/rules-version.ts'

interface ResourcesInput {
  readonly server: string
  readonly resources: readonly JsonObject[]
  readonly acceptance: Acceptance | undefined
  readonly ignored: readonly IgnoredFinding[]
  readonly now: string
}

/** The resources that are held. The scanner is loaded only for a list that it has not seen with these rules. */
export async function heldResources({
  server,
  resources,
  acceptance,
  ignored,
  now,
}: ResourcesInput): Promise<{
  readonly held: readonly HeldOffer[]
  /** Set if the list was scanned now. */
  readonly record?: NonNullable<Acceptance['resourceScan']>
}> {
  const hash = hashOf(JSON.parse(JSON.stringify(resources.map(canonicalDefinition))))
  const known = acceptance?.resourceScan
  const isKnown = known?.hash === hash && known.rules === rulesVersion
  const record = isKnown ? known : { hash, rules: rulesVersion, findings: await scan(server, resources) }
  const held = judgeResources({
    resources,
    acceptance,
    findings: record.findings,
    counted: (findings, sha256) => {
      const named = findings.map((each) => ({ ...each, subject: { ...each.subject, server }, sha256 }))
      return ignoreFindings(named, ignored, now.slice(0, 10)).found
    },
  })
  return isKnown ? { held } : { held, record }
}

/** Lesser findings hold nothing, and are not kept. */
async function scan(server: string, resources: readonly JsonObject[]) {
  const { scanOffers } = await import('../../scan/scan-offers.ts')
  const found = scanOffers({ server, tools: [], prompts: [], resources, resourceTemplates: [] })
  return found.filter(({ severity }) => isAtLeast(severity, 'high'))
}
