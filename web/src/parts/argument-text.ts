import { escapeJson, escapeLine, escapeText } from '../../../src/surfaces/terminal/escape.ts'

/** An argument as a person reads it: complete, with hidden characters made visible (T10). */
export interface ShownArgument {
  readonly name: string
  readonly text: string
  /** Of a text that is long: its length. */
  readonly note?: string
}

const longText = 200

/** The arguments of a call, one by one. Texts keep their line ends; everything else is JSON. */
export function showArguments(args: unknown): readonly ShownArgument[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [showArgument('', args)]
  return Object.entries(args).map(([name, value]) => showArgument(escapeLine(name), value))
}

function showArgument(name: string, value: unknown): ShownArgument {
  if (typeof value !== 'string')
    return { name, text: escapeJson(JSON.stringify(value, undefined, 2) ?? 'undefined') }
  const isLong = value.length > longText
  return {
    name,
    text: `"${escapeText(value)}"`,
    ...(isLong && { note: `${value.length.toLocaleString('en')} characters, all shown` }),
  }
}

const lineLength = 300
const valueLength = 120

/** The arguments on one line, cut: `path="a.txt" limit=3`. */
export function argumentLine(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return shortValue(args)
  let line = ''
  for (const [name, value] of Object.entries(args)) {
    if (line.length > lineLength) return `${line} …`
    line += `${line === '' ? '' : ' '}${escapeLine(name)}=${shortValue(value)}`
  }
  return line
}

/** A long value is cut before it is written as JSON: it may have megabytes. */
function shortValue(value: unknown): string {
  const isLong = typeof value === 'string' && value.length > valueLength
  const text = escapeJson(JSON.stringify(isLong ? `${value.slice(0, valueLength)}…` : value) ?? 'undefined')
  return text.length > 2 * valueLength ? `${text.slice(0, 2 * valueLength)}…` : text
}
