import type { RawRule } from '../rule.ts'
import { findHidden } from './hidden-rule.ts'

export const zeroWidthRule: RawRule = {
  id: 'UNI-003',
  severity: 'high',
  over: 'raw',
  title: 'Zero-width characters',
  reason: 'Characters without width split words, so that filters and people do not see what a model reads.',
  remedy: 'Do not use it unless its author explains them.',
  hits: ['Please ig\u200Bnore it.', 'Adds numbers.\u200B\u2060\u200B'],
  misses: ['Family: \u{1F468}\u200D\u{1F469}\u200D\u{1F467}.', 'می\u200Cخواهم', 'Adds numbers.'],
  find: (raw) => {
    const isInWord = /[A-Za-z][\u00AD\u180E\u200B-\u200F\u2060-\u2064\uFEFF]{1,64}[A-Za-z]/.test(raw.text)
    const isMany = (raw.text.match(/[\u200B-\u200F\u2060-\u2064\uFEFF]/g)?.length ?? 0) >= 8
    return findHidden(
      raw,
      ['zero-width characters', 'annotation marks'],
      isInWord || isMany ? 0.8 : 0.5,
      'It contains characters without width.',
    )
  },
}
