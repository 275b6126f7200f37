import { escapeLine } from './escape.ts'
import { quoteWord } from './quote-word.ts'
import type { Style } from './style.ts'
import { displayWidth } from './width.ts'

type Risk =
  | 'a shell'
  | 'code in an argument'
  | 'a pipe or a chained command'
  | 'elevated rights'
  | 'a download'
export interface ShowCommandOptions {
  readonly style?: Pick<Style, 'yellow'>
  /** A command line wider than this is shown with one argument per line. */
  readonly width?: number | undefined
  /** Masks secrets among the arguments. Risks are found in the unmasked words. */
  readonly mask?: (args: readonly string[]) => readonly string[]
}

const DEFAULT_WIDTH = 80
/** Matches the words and operators that a shell would see in an argument. */
const wordsAndOperators = () => /\|\|?|&&|\$\(|`|[^\s\p{Cc}'"|&;()<>`$=]+/gu
const PROGRAMS: Readonly<Record<string, Risk>> = {
  ...riskTable('a shell', 'sh bash zsh dash ash ksh csh tcsh fish busybox cmd powershell pwsh wsl'),
  ...riskTable('elevated rights', 'sudo doas su pkexec runas gsudo'),
  ...riskTable(
    'a download',
    'curl wget aria2c iwr irm invoke-webrequest invoke-restmethod certutil bitsadmin',
  ),
}
const OPERATORS: readonly string[] = ['|', '||', '&&', '$(', '`']
const CODE_FLAG = /^(?:-[a-z]{0,2}[ce]|--eval|--command|\/[ck]|-command|-enc|-encodedcommand)$/i

/**
 * Draws a command line completely, whatever its length (T10), quoted for a shell and with hidden characters made
 * visible. Risky parts are painted, and named below for terminals without colors.
 */
export function showCommand(
  command: string,
  args: readonly string[],
  { style = { yellow: (text) => text }, width = DEFAULT_WIDTH, mask = (all) => all }: ShowCommandOptions = {},
): string {
  const words = [...mask([command]), ...mask(args)]
  const isLong = displayWidth(words.map((word) => quote(word)).join(' ')) > width
  const line = words.map((word) => quote(word, style.yellow)).join(isLong ? ' \\\n  ' : ' ')
  const risks = describeRisks([command, ...args])
  return risks.length === 0 ? line : `${line}\n${style.yellow(`Look closely: ${risks.join(', ')}`)}`
}

/**
 * Draws words that are quoted already. A word in $'…' shows hidden characters as escape sequences, which end a piece as the
 * characters do.
 */
export function layoutQuoted(
  quoted: readonly string[],
  { style = { yellow: (text) => text }, width = DEFAULT_WIDTH }: Omit<ShowCommandOptions, 'mask'> = {},
): string {
  const isLong = displayWidth(quoted.join(' ')) > width
  const paint = (text: string) => paintPieces(text, (piece) => piece, style.yellow)
  const paintWord = (word: string) =>
    word.startsWith("$'") ? word.split(HIDDEN).map(paint).join('') : paint(word)
  return quoted.map(paintWord).join(isLong ? ' \\\n  ' : ' ')
}

/** An escape sequence that `quote` writes; the group keeps it when a word is split. */
const HIDDEN = /(\\(?:[nrt]|x[\da-f]{2}|u\{[\da-f]+\}))/

/** What in a command deserves a look, with the reason. */
export function describeRisks(words: readonly string[]): readonly string[] {
  const found = words.flatMap((word) =>
    (word.match(wordsAndOperators()) ?? []).flatMap((piece) => describePiece(piece)),
  )
  return [...new Set(found)]
}

function describePiece(piece: string): readonly string[] {
  const risk = riskOf(piece)
  return risk === undefined ? [] : [`${escapeLine(piece)} (${risk})`]
}

function riskOf(piece: string): Risk | undefined {
  if (OPERATORS.includes(piece)) return 'a pipe or a chained command'
  if (CODE_FLAG.test(piece)) return 'code in an argument'
  const program = piece.replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd|bat|com)$/i, '')
  return Object.hasOwn(PROGRAMS, program.toLowerCase()) ? PROGRAMS[program.toLowerCase()] : undefined
}

/** Quotes a word for a shell; `paint` marks what deserves a look in it. */
export function quote(word: string, paint?: (text: string) => string): string {
  return quoteWord(word, paint && ((text, escape) => paintPieces(text, escape, paint)))
}

function paintPieces(
  word: string,
  escape: (piece: string) => string,
  paint: (text: string) => string,
): string {
  let shown = ''
  let at = 0
  for (const match of word.matchAll(wordsAndOperators())) {
    const [piece] = match
    shown += escape(word.slice(at, match.index))
    shown += riskOf(piece) === undefined ? escape(piece) : paint(escape(piece))
    at = match.index + piece.length
  }
  return shown + escape(word.slice(at))
}

function riskTable(risk: Risk, programs: string): Readonly<Record<string, Risk>> {
  return Object.fromEntries(programs.split(' ').map((program) => [program, risk]))
}
