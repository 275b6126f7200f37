import type { Severity } from '../../../../scan.ts'
import { subjectText } from '../../../facts/findings/finding-facts.ts'
import type { FindingReport, PlacedFinding } from '../../../facts/findings/finding-facts.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Paint } from '../../../terminal/style.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { count } from '../../output/draw.ts'
import { hang } from '../servers/explanation.ts'
import { severityNames } from './severity-names.ts'

/** All findings, the worst first, and their number. */
export function drawReport(report: FindingReport, scanned: number, canvas: Canvas): string {
  const { findings, ignored } = report
  const blocks = findings.map((finding) => drawFinding(finding, canvas).join('\n'))
  const left =
    ignored.length === 0
      ? ''
      : ` ${count(ignored.length, 'finding')} of your settings' "scan.ignore" left out.`
  return [...blocks, `${drawCounts(report)} in ${count(scanned, 'server')}.${left}`].join('\n\n')
}

function drawCounts({ findings, totals }: FindingReport): string {
  if (findings.length === 0) return 'Nothing found'
  const parts = severityNames
    .toReversed()
    .flatMap((name) => (totals[name] > 0 ? [`${totals[name]} ${name}`] : []))
  return `${count(findings.length, 'finding')} (${parts.join(', ')})`
}

/** One finding in a few lines: what, where, the text, and what to do. */
export function drawFinding(finding: PlacedFinding, canvas: Canvas): readonly string[] {
  const { style, width, path } = canvas
  const { rule, severity, message, evidence, decodedFrom, remedy, file, line, pointer } = finding
  const paint = paints(canvas)[severity]
  const where =
    file === undefined ? '' : ` ${style.dim(`${path(file)}${line === undefined ? '' : `:${line}`}`)}`
  const place = pointer === '' ? '' : ` ${style.dim(escapeLine(pointer))}`
  const from = decodedFrom ? ` (decoded: ${decodedFrom.join(', ')})` : ''
  return [
    `${paint(severity)} ${style.bold(escapeLine(subjectText(finding)))}${place} ${style.dim(`[${rule}]`)}${where}`,
    `  ${message}${from}`,
    ...(evidence === undefined ? [] : [`  ${style.dim(`“${evidence}”`)}`]),
    `  ${remedy}`,
  ].map((each) => hang(escapeLine(each), width))
}

function paints({ style }: Canvas): Readonly<Record<Severity, Paint>> {
  const { red, yellow, dim } = style
  return { critical: red, high: red, medium: yellow, low: dim, info: dim }
}
