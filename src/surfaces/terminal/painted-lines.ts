import { escapeText } from './escape.ts'
import type { Paint } from './style.ts'
import { wrap } from './width.ts'

/** A piece of a text with one look. Its text is escaped when it is laid out. */
export interface Span {
  readonly text: string
  readonly paint?: Paint
}

/**
 * Breaks spans into painted lines no wider than `width`. Paint ends with each line, so that a line can be indented or
 * printed alone. Painted lines are written through `escapeStyled`.
 */
export function wrapSpans(spans: readonly Span[], width: number): readonly string[] {
  const escaped = spans.map(({ text, paint }) => ({ text: escapeText(text.replaceAll('\t', ' ')), paint }))
  const plain = escaped.map(({ text }) => text).join('')
  let at = 0
  return wrap(plain, width).map((line) => {
    // Each line is a part of the text; only blanks and a line end lie between two lines.
    const start = plain.indexOf(line, at)
    at = start + line.length
    if (plain[at] === '\n') at++
    return paintPart(escaped, start, start + withoutJoiner(line).length)
  })
}

/** A break can fall between two joined characters. The joiner would then be escaped, which makes the line wider. */
function withoutJoiner(line: string): string {
  return line.replace(/[\u200C\u200D]+$/, '')
}

function paintPart(
  spans: readonly { readonly text: string; readonly paint: Paint | undefined }[],
  start: number,
  end: number,
): string {
  let from = 0
  let painted = ''
  for (const { text, paint } of spans) {
    const part = text.slice(Math.max(0, start - from), Math.max(0, end - from))
    if (part !== '') painted += paint?.(part) ?? part
    from += text.length
    if (from >= end) break
  }
  return painted
}

/** Text without any markup, as lines no wider than `width`. */
export function wrapPlain(text: string, width: number): readonly string[] {
  return wrap(escapeText(text).replaceAll('\t', '    '), width).map(withoutJoiner)
}
