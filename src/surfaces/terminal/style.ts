import { escapeLine, escapeText } from './escape.ts'

export type Paint = (text: string) => string
export interface Style {
  readonly enabled: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly italic: Paint
  readonly red: Paint
  readonly yellow: Paint
  readonly green: Paint
  readonly cyan: Paint
}
type Env = Readonly<Record<string, string | undefined>>

const ESC = '\u001B'
/** A random mark of this process, so that no text of a config can imitate our color sequences. */
const MARK = Math.floor(Math.random() * 1e9)
const PAINTED = new RegExp(`${ESC}\\[(\\d+);${MARK}m`)

export function createStyle({ env, isTTY }: { readonly env: Env; readonly isTTY: boolean }): Style {
  const enabled = wantsColor(env, isTTY)
  const paint = (open: number, close: number): Paint => (enabled ? painter(open, close) : (text) => text)
  return {
    enabled,
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  }
}

/**
 * Escapes a composed text once more before it is written (T18): only control sequences that a style inserted are
 * kept, without their mark. Painted text must not be written without this step.
 */
export function escapeStyled(text: string, escape: Paint = escapeText): string {
  // Splitting by a pattern with one group puts its matches at the odd indexes.
  const parts = text.split(PAINTED)
  return parts.map((part, at) => (at % 2 === 1 ? `${ESC}[${part}m` : escape(part))).join('')
}

/** The same for a text that must stay on one line: it cannot start a line that looks like ours. */
export function escapeStyledLine(text: string): string {
  return escapeStyled(text, escapeLine)
}

/** A painted text without its color sequences. */
export function stripPaint(text: string): string {
  return text
    .split(PAINTED)
    .filter((_, at) => at % 2 === 0)
    .join('')
}

/** FORCE_COLOR takes precedence over NO_COLOR, as in Node itself; an empty value is ignored. */
function wantsColor(env: Env, isTTY: boolean): boolean {
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false'
  if (env['NO_COLOR']) return false
  return isTTY && env['TERM'] !== 'dumb'
}

function painter(open: number, close: number): Paint {
  const start = `${ESC}[${open};${MARK}m`
  const end = `${ESC}[${close};${MARK}m`
  // An inner style may end with the same code: start again after it.
  return (text) => (text === '' ? '' : start + text.replaceAll(end, end + start) + end)
}
