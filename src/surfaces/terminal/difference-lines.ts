import { wrapSpans } from './painted-lines.ts'
import type { Span } from './painted-lines.ts'
import type { Style } from './style.ts'

interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

const usualWidth = 80
const minWidth = 20
const gutter = '│ '
/** How changes are marked where there are no colors. */
const marks = { removed: ['[-', '-]'], added: ['{+', '+}'] } as const

/**
 * A text with its changes, as lines with a bar before each: no text of a server can begin a line that looks like ours.
 * Without colors, changes are marked; a text that has such marks itself is shown old and new, one below the other.
 */
export function drawPieces(
  pieces: readonly Piece[],
  {
    style,
    width = usualWidth,
    indent,
  }: { readonly style: Style; readonly width?: number | undefined; readonly indent: string },
): readonly string[] {
  const room = Math.max(minWidth, width - indent.length - gutter.length)
  const draw = (spans: readonly Span[], sign = '') =>
    wrapSpans(spans, room - sign.length).map((line) => `${indent}${style.dim(gutter)}${sign}${line}`)
  const paints = { same: undefined, added: style.green, removed: style.red } as const
  if (style.enabled) return draw(pieces.map(({ kind, text }) => toSpan(text, paints[kind])))
  if (pieces.every(({ kind }) => kind === 'same')) return draw(pieces)
  const isForged = pieces.some(({ text }) => /\[-|-\]|\{\+|\+\}/.test(text))
  if (!isForged) return draw(pieces.map((piece) => ({ text: marked(piece) })))
  const only = (kind: Piece['kind']) => pieces.filter((piece) => piece.kind !== kind)
  return [...draw(only('added'), '- '), ...draw(only('removed'), '+ ')]
}

function toSpan(text: string, paint: Span['paint']): Span {
  return paint ? { text, paint } : { text }
}

/** Blanks and line ends behind the last word stay outside of the marks. */
function marked({ kind, text }: Piece): string {
  if (kind === 'same') return text
  const [open, close] = marks[kind]
  const bare = text.trimEnd()
  return bare === '' ? `${open}${text}${close}` : `${open}${bare}${close}${text.slice(bare.length)}`
}
