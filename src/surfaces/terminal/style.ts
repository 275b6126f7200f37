import { escapeLine, escapeText } from './escape.ts'

export type Paint = (text: string) => string
export interface Style {
  readonly enabled: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly yellow: Paint
  readonly green: Paint
  readonly cyan: Paint
}
type Env = Readonly<Record<string, string | undefined>>

const ESC = '\u001B'
/** Known to this process alone, so that no text of a config can look painted. */
const MARK = Math.floor(Math.random() * 1e9)
const PAINTED = new RegExp(`${ESC}\\[(\\d+);${MARK}m`)

export function createStyle({ env, isTTY }: { readonly env: Env; readonly isTTY: boolean }): Style {
  const enabled = wantsColor(env, isTTY)
  const paint = (open: number, close: number): Paint => (enabled ? painter(open, close) : (text) => text)
  return {
    enabled,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  }
}

/**
 * Escapes a composed text once more at the door (T18): of all control sequences only those that a style put there get
 * through, and lose their mark. Painted text is not for showing before that.
 */
export function escapeStyled(text: string, escape: Paint = escapeText): string {
  // A split by a pattern with one group puts what the group matched at every odd place.
  const parts = text.split(PAINTED)
  return parts.map((part, at) => (at % 2 === 1 ? `${ESC}[${part}m` : escape(part))).join('')
}

/** The same for a text that has to stay on one line: none of its words may begin one that looks like ours. */
export function escapeStyledLine(text: string): string {
  return escapeStyled(text, escapeLine)
}

/** What is seen of a painted text. */
export function unpainted(text: string): string {
  return text
    .split(PAINTED)
    .filter((_, at) => at % 2 === 0)
    .join('')
}

/** FORCE_COLOR wins over NO_COLOR, as in Node itself; an empty value is no value. */
function wantsColor(env: Env, isTTY: boolean): boolean {
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false'
  if (env['NO_COLOR']) return false
  return isTTY && env['TERM'] !== 'dumb'
}

function painter(open: number, close: number): Paint {
  const start = `${ESC}[${open};${MARK}m`
  const end = `${ESC}[${close};${MARK}m`
  // What is painted inside ends with the same code as we do: paint on after it.
  return (text) => (text === '' ? '' : start + text.replaceAll(end, end + start) + end)
}
