import type { LogLine } from '../../index.ts'
import { escapeLine } from '../terminal/escape.ts'
import { hang } from '../terminal/hang.ts'
import type { Canvas } from '../terminal/terminal-output.ts'
import { drawFault } from './errors.ts'
import type { Examination, Health } from './commands/connections/examine-server.ts'
import { drawExplanation } from './commands/servers/explanation.ts'
import { rowsOf } from './probe-rows.ts'

/** One server for a person: from where it is declared to what it said last. */
export function drawExamination(found: Examination, canvas: Canvas): string {
  const { style } = canvas
  const { explanation, health, probe, program, said, failures, next } = found
  const lines = [drawExplanation(explanation, canvas, paint(health, canvas))]
  const rows = [
    ...(program === undefined ? [] : [['program', program] as const]),
    ...(probe?.greeting ? rowsOf(probe) : []),
  ]
  const told = [
    ...rows.map(([label, text]) => `  ${label.padEnd(11)}  ${escapeLine(text)}`),
    ...(probe?.error ? indent(canvas.proposed(drawFault(probe.error))).split('\n') : []),
  ]
  if (told.length > 0)
    lines.push('', style.dim('connection'), ...told.map((line) => hang(line, canvas.width)))
  lines.push(...drawLines('it last said', said, canvas), ...drawLines('went wrong lately', failures, canvas))
  return [...lines, '', `${style.dim('next')}  ${escapeLine(canvas.proposed(next))}`].join('\n')
}

function paint(health: Health, { style }: Canvas): string {
  if (health === 'ok') return style.green(health)
  return health === 'broken' || health === 'unusable' ? style.red(health) : style.yellow(health)
}

function drawLines(title: string, lines: readonly LogLine[], { style }: Canvas): readonly string[] {
  if (lines.length === 0) return []
  const drawn = lines.map(({ at, text }) => `  ${style.dim(escapeLine(at))} ${escapeLine(text)}`)
  return ['', style.dim(title), ...drawn]
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
