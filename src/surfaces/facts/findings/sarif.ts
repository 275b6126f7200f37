import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { version } from '../../../index.ts'
import { ruleList, rulesVersion } from '../../../scan.ts'
import type { Severity } from '../../../scan.ts'
import { subjectText } from './finding-facts.ts'
import type { FindingReport, PlacedFinding } from './finding-facts.ts'

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
}

/** The scale of GitHub's code scanning. */
const scores: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.0',
  low: '3.0',
  info: '1.0',
}

/** The findings as SARIF 2.1.0. Paths inside `folder` are relative to it, so that the file means the same elsewhere. */
export function toSarif({ findings, ignored }: FindingReport, folder: string): object {
  const rules = ruleList.map(({ id, severity, title, reason, remedy }) => ({
    id,
    shortDescription: { text: title },
    fullDescription: { text: reason },
    help: { text: remedy },
    defaultConfiguration: { level: levels[severity] },
    properties: { tags: ['security', 'mcp'], 'security-severity': scores[severity] },
  }))
  const indexes = new Map(rules.map(({ id }, index) => [id, index]))
  const toResult = (finding: PlacedFinding & { readonly reason?: string }) => {
    const index = indexes.get(finding.rule)
    const place = physicalLocation(finding, folder)
    const name = subjectText(finding)
    return {
      ruleId: finding.rule,
      ...(index !== undefined && { ruleIndex: index }),
      level: levels[finding.severity],
      message: { text: sentenceOf(finding) },
      locations: [
        {
          ...(place && { physicalLocation: place }),
          logicalLocations: [{ name, fullyQualifiedName: `${name}${finding.pointer}` }],
        },
      ],
      partialFingerprints: { 'definition/v1': finding.sha256 },
      properties: { severity: finding.severity, remedy: finding.remedy },
      ...(finding.reason !== undefined && {
        suppressions: [{ kind: 'external', status: 'accepted', justification: finding.reason }],
      }),
    }
  }
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'plugboard',
            version,
            semanticVersion: version,
            rules,
            properties: { rulesVersion },
          },
        },
        columnKind: 'utf16CodeUnits',
        results: [...findings.map(toResult), ...ignored.map(toResult)],
      },
    ],
  }
}

function sentenceOf(finding: PlacedFinding): string {
  const { message, evidence } = finding
  return `${subjectText(finding)}: ${message}${evidence === undefined ? '' : ` “${evidence}”`}`
}

function physicalLocation({ file, line }: PlacedFinding, folder: string): object | undefined {
  if (file === undefined) return undefined
  const inside = relative(folder, file)
  const isInside = inside !== '' && !inside.startsWith('..') && !/^[A-Za-z]:|^[\\/]/.test(inside)
  const uri = isInside ? encodeURI(inside.split(sep).join('/')) : pathToFileURL(file).href
  return {
    artifactLocation: { uri, ...(isInside && { uriBaseId: '%SRCROOT%' }) },
    region: { startLine: line ?? 1 },
  }
}
