import type { ScannedSkill } from '../../calls/view/view-context.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { hashDefinition } from '../../model/definition/canonical-definition.ts'
import { isAtLeast } from '../../model/finding.ts'
import type { Finding } from '../../model/finding.ts'
import type { IgnoredFinding } from '../../model/ignored-finding.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Clock } from '../../platform/platform.ts'
import { scanTogether } from '../../scan/cross/scan-together.ts'
import { ignoreFindings } from '../../scan/ignore-findings.ts'
import { scanValue } from '../../scan/engine/scan-value.ts'

interface ScanContext {
  readonly catalog: Catalog
  readonly ignored: readonly IgnoredFinding[]
  readonly clock: Pick<Clock, 'now'>
}

/** More say nothing new to a person. */
const maxFindings = 20

/**
 * Scans a text of a skill for what no skill has to say to a model, hidden text, and orders to use tools of other servers.
 * A finding is ignored by the hash of the skill, which covers the digest of the text.
 */
export function scanSkill(
  { server, entry }: ScannedSkill,
  text: string,
  { catalog, ignored, clock }: ScanContext,
): readonly Finding[] {
  const found = [
    ...scanValue({ kind: 'skill', server, name: entry.uri }, text),
    ...steering({ server, entry }, text, catalog),
  ]
  const sha256 = hashDefinition(entry)
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  return found
    .filter(({ severity }) => isAtLeast(severity, 'medium'))
    .filter((finding) => ignoreFindings([{ ...finding, sha256 }], ignored, today).found.length > 0)
    .slice(0, maxFindings)
}

const nothing = { tools: [], prompts: [], resources: [], resourceTemplates: [] }

/** What the text says about tools of other servers. */
function steering({ server, entry }: ScannedSkill, text: string, catalog: Catalog): readonly Finding[] {
  const { uri, frontmatter } = entry
  const own: readonly JsonObject[] = [{ uri, frontmatter: { name: frontmatter.name, text } }]
  const toolsOf = (name: string) => catalog.snapshotOf(name)?.tools ?? []
  const others = catalog.servers().filter((name) => name !== server)
  const all = [
    { ...nothing, server, tools: toolsOf(server), skills: own },
    ...others.map((name) => ({ ...nothing, server: name, tools: toolsOf(name) })),
  ]
  return scanTogether(all).filter(({ subject }) => subject.kind === 'skill' && subject.server === server)
}
