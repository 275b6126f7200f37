import { scoreOf } from '../../engine/severity.ts'
import type { RawRule } from '../rule.ts'
import { findHidden } from './hidden-rule.ts'

/** Escape sequences written out: a program that unescapes the text would send them to a terminal. */
const literal = /\\(?:x1b|u001b|u\{1b\}|033|e)(?:\[|\])[0-9;?]{0,20}[A-Za-z]/i

/** Codes that overwrite or hide what stands on the screen; colors do not. */
const start = String.raw`(?:\x1b\[|\x9b)`
const erasing = new RegExp(
  String.raw`${start}[0-9;?]{0,20}[A-KST]|${start}(?:[0-9;]{0,12};)?8m|\x1b\]8;|\x08`,
)

export const controlRule: RawRule = {
  id: 'UNI-005',
  severity: 'high',
  over: 'raw',
  title: 'Control characters',
  reason: 'Control characters and terminal codes hide or overwrite text on a screen.',
  remedy: 'Do not use it: a definition needs no control characters.',
  hits: [
    'Adds numbers.\u001B[8m hidden \u001B[0m',
    'Adds numbers.\u0008\u0008',
    'Adds numbers. \\x1b[8m hidden',
  ],
  misses: ['Adds\tnumbers\nand more.', 'Colors: \\d+ and \\w.'],
  find: (raw) => {
    // A carriage return before a line end is how some systems end lines.
    const found = findHidden(
      raw,
      ['control characters', 'terminal codes'],
      raw.surface.place === 'data' && !erasing.test(raw.text) ? scoreOf.medium : scoreOf.high,
      'It contains control characters.',
    )
    const written =
      raw.surface.place === 'data' || /escape (?:codes?|sequences?)|ansi/i.test(raw.text)
        ? undefined
        : literal.exec(raw.text)
    return written
      ? [
          ...found,
          {
            score: scoreOf.high,
            message: 'It contains terminal codes.',
            evidence: raw.text.slice(Math.max(0, written.index - 24), written.index + 96),
          },
        ]
      : found
  },
}
