import { escapeLine, escapeText } from '../../terminal/escape.ts'
import { displayWidth, padEnd, wrap } from '../../terminal/width.ts'
import { argumentsWithoutFlag, flagsOf } from './program-tool.ts'
import type { ProgramDefinition, ProgramTool, ToolFlag } from './program-tool.ts'
import { programFlags } from './program-words.ts'

const columns = 80

const fileNote = 'A value @FILE is the content of that file; @@ begins a text that starts with @.'

/** The help of a whole program. Texts of the server are escaped: they were read when the program was generated. */
export function drawProgramHelp(program: string, { server, tools }: ProgramDefinition): string {
  const rows = tools.map((tool) => [tool.command, firstLineOf(tool)] as const)
  return [
    'USAGE',
    `  ${program} COMMAND [--flag value]...`,
    `  ${program} COMMAND --help`,
    '',
    ...wrap(`Calls the tools of the MCP server "${escapeLine(server)}".`, columns),
    '',
    'COMMANDS',
    ...drawRows(rows),
    '',
    'FLAGS',
    ...drawRows(commonRows()),
    '',
  ].join('\n')
}

/** The help of one command. */
export function drawToolHelp(program: string, tool: ProgramTool): string {
  const flags = flagsOf(tool)
  const needed = flags.filter(({ isRequired }) => isRequired).map((flag) => ` ${writtenFlag(flag)}`)
  const others = argumentsWithoutFlag(tool).map((name) => JSON.stringify(name))
  const about = [tool.title, tool.description.trim()].filter((text) => text !== undefined && text !== '')
  return [
    'USAGE',
    `  ${program} ${tool.command}${escapeLine(needed.join(''))}${flags.length > needed.length ? ' [--flag value]...' : ''}`,
    '',
    ...about.flatMap((text) => [...wrapText(cut(text ?? '', longest.text)), '']),
    ...(flags.length > 0 ? ['ARGUMENTS', ...drawRows(flags.map(toRow)), '', fileNote, ''] : []),
    ...(others.length > 0
      ? [...wrap(`Only with --args: ${escapeLine(cut(others.join(', '), longest.row))}`, columns), '']
      : []),
    'FLAGS',
    ...drawRows(commonRows().filter(([name]) => !flags.some((flag) => name === `--${flag.name}`))),
    '',
  ].join('\n')
}

function toRow(flag: ToolFlag): readonly [string, string] {
  const { isRequired, description } = flag
  return [writtenFlag(flag), `${isRequired ? '' : '(optional) '}${description}`.trim()]
}

function writtenFlag({ name, isSwitch, value }: ToolFlag): string {
  return isSwitch ? `--${name}` : `--${name} ${value}`
}

function commonRows(): readonly (readonly [string, string])[] {
  return Object.entries(programFlags).map(([name, { value, brief }]) => [`--${name} ${value}`.trim(), brief])
}

const widest = 30

/** Two columns; a long first cell has a line of its own. */
function drawRows(rows: readonly (readonly [string, string])[]): readonly string[] {
  const escaped = rows.map(
    ([name, text]) => [escapeLine(name), escapeLine(cut(oneLine(text), longest.row))] as const,
  )
  const width = Math.min(widest, Math.max(0, ...escaped.map(([name]) => displayWidth(name))))
  return escaped.flatMap(([name, text]) => {
    const [first = '', ...more] = wrap(text, columns - width - 4)
    const isLong = displayWidth(name) > width
    const head = isLong
      ? [`  ${name}`, `${' '.repeat(width + 4)}${first}`]
      : [`  ${padEnd(name, width)}  ${first}`]
    return [...head, ...more.map((line) => `${' '.repeat(width + 4)}${line}`)].map((line) => line.trimEnd())
  })
}

function wrapText(text: string): readonly string[] {
  return escapeText(text)
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : wrap(line, columns)))
}

function firstLineOf({ title, description }: ProgramTool): string {
  return (description.trim() === '' ? (title ?? '') : description.trim()).split('\n')[0] ?? ''
}

/** The texts of a server must not fill the screen again and again. */
const longest = { text: 4000, row: 1000 } as const

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).trimEnd()}…` : text
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
