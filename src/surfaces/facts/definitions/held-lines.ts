import type { DefinitionChange, HeldFacts, RemovedFacts } from '../../api/lock-routes.ts'
import { drawPieces } from '../../terminal/difference-lines.ts'
import { wrapPlain } from '../../terminal/painted-lines.ts'
import type { Paint } from '../../terminal/style.ts'
import type { Canvas } from '../../terminal/terminal-output.ts'
import { displayWidth } from '../../terminal/width.ts'
import { countOf } from '../count-word.ts'

type LineCanvas = Pick<Canvas, 'style' | 'width'>

const usualWidth = 80

/**
 * A held offer for a terminal, complete unless its texts are withheld: why it is held, what changed, and what the scanner
 * found in it. A text of the server stands behind a bar or in a line that begins with ours.
 */
export function heldLines(
  held: HeldFacts,
  canvas: LineCanvas,
  { isWithheld = false }: { readonly isWithheld?: boolean } = {},
): readonly string[] {
  const { style } = canvas
  const { title, reason, why, difference, findings, hash } = held
  const { changes, more = 0 } = difference
  return [
    `${style.bold(title)}  ${style.yellow(reason)}`,
    ...indented(why, '  ', canvas),
    ...changeLines(changes, canvas),
    ...(changes.length === 0 && !isWithheld ? ['  Its definition is the accepted one.'] : []),
    ...(more > 0 ? [style.yellow(`  ${countOf(more, 'more change')} not shown: see --json.`)] : []),
    ...(findings.length > 0 ? [style.dim('  scanner')] : []),
    ...findings.flatMap((finding) => findingLines(finding, canvas)),
    style.dim(`  ${hash}`),
  ]
}

/** What was accepted and is not offered any more. */
export function removedLines({ title, why, hash }: RemovedFacts, canvas: LineCanvas): readonly string[] {
  const { style } = canvas
  return [
    `${style.bold(title)}  ${style.dim('removed')}`,
    ...indented(why, '  ', canvas),
    style.dim(`  ${hash}`),
  ]
}

/** The name of a part of a definition, as a heading. */
const partTitles: Readonly<Record<DefinitionChange['part'], string>> = {
  annotations: 'annotations',
  text: 'text',
  input: 'arguments',
  output: 'result',
  other: 'other keys',
}

function changeLines(changes: readonly DefinitionChange[], canvas: LineCanvas): readonly string[] {
  const { style } = canvas
  let last = ''
  return changes.flatMap((change) => {
    const title = change.isLoosened ? 'loosened' : partTitles[change.part]
    const paint = change.isLoosened ? style.red : style.dim
    const heading = title === last ? [] : [paint(`  ${title}`)]
    last = title
    return [...heading, ...oneChange(change, canvas)]
  })
}

const signs = { added: '+', removed: '-', changed: '~' } as const

function oneChange(change: DefinitionChange, { style, width = usualWidth }: LineCanvas): readonly string[] {
  const { kind, path, before, after, pieces, left = 0 } = change
  const paint = paintOf(change, style)
  const name = `    ${signs[kind]}${path === '' ? '' : ` ${path}`}`
  const draw = { style, width, indent: '      ' }
  if (pieces)
    return [
      paint(name),
      ...drawPieces(pieces, draw),
      ...(left > 0 ? [style.yellow(`      ${countOf(left, 'more character')} not shown: see --json.`)] : []),
    ]
  const line = `${name}  ${kind === 'changed' ? `${before} → ${after}` : (after ?? before ?? '')}`
  if (displayWidth(line) <= width) return [paint(line)]
  return [
    paint(name),
    ...(before === undefined ? [] : drawPieces([{ kind: 'removed', text: before }], draw)),
    ...(after === undefined ? [] : drawPieces([{ kind: 'added', text: after }], draw)),
  ]
}

function paintOf({ isLoosened, kind }: DefinitionChange, { red, green }: Canvas['style']): Paint {
  if (isLoosened) return red
  return { added: green, removed: red, changed: (text: string) => text }[kind]
}

function findingLines(
  { rule, severity, where, message, evidence, remedy }: HeldFacts['findings'][number],
  canvas: LineCanvas,
): readonly string[] {
  const { style } = canvas
  const { red, yellow, dim } = style
  const paint = { critical: red, high: red, medium: yellow, low: dim, info: dim }[severity]
  const place = where === '' ? '' : ` ${where}`
  const [first = '', ...rest] = indented(`${severity} ${message}${place} [${rule}]`, '    ', canvas)
  return [
    first.replace(severity, () => paint(severity)),
    ...rest,
    ...(evidence === undefined ? [] : indented(`“${evidence}”`, '      ', canvas).map((line) => dim(line))),
    ...indented(remedy, '      ', canvas),
  ]
}

function indented(text: string, indent: string, { width = usualWidth }: LineCanvas): readonly string[] {
  return wrapPlain(text, Math.max(20, width - indent.length)).map((line) => indent + line)
}
