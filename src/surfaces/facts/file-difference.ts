import type { FileChange } from '../../config.ts'
import type { FileDifference } from '../api/shared-shapes.ts'
import { hideSecrets } from './hide-secrets.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { ShortenPath } from './place-facts.ts'

const context = 2

type Hunk = FileDifference['hunks'][number]

/** The files that an edit changes, each with its changed lines and some context. Literal secrets are hidden. */
export function describeChanges(
  changes: readonly FileChange[],
  shorten: ShortenPath,
): readonly FileDifference[] {
  return changes
    .filter(({ before, after }) => before !== after)
    .map(({ file, before, after }) => ({
      file,
      shown: escapeLine(shorten(file)),
      isNew: before === '',
      hunks: [hunkOf(before, after)],
    }))
}

/** The lines between the common beginning and the common end: an edit changes one place of a file. */
function hunkOf(before: string, after: string): Hunk {
  const [old, now] = [linesOf(before), linesOf(after)]
  const [oldShown, nowShown] = [linesOf(hideSecrets(before)), linesOf(hideSecrets(after))]
  const start = commonLength(old, now)
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse())
  const first = Math.max(0, start - context)
  const mark = (kind: Hunk['lines'][number]['kind'], lines: readonly string[]) =>
    lines.map((text) => ({ kind, text: escapeText(text) }))
  return {
    before: first + 1,
    after: first + 1,
    lines: [
      ...mark('same', nowShown.slice(first, start)),
      ...mark('removed', oldShown.slice(start, old.length - end)),
      ...mark('added', nowShown.slice(start, now.length - end)),
      ...mark('same', nowShown.slice(now.length - end, now.length - end + context)),
    ],
  }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
