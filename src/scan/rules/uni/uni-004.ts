import { scoreOf } from '../../engine/severity.ts'
import type { RawRule } from '../rule.ts'
import { findHidden } from './hidden-rule.ts'

export const selectorRule: RawRule = {
  id: 'UNI-004',
  severity: 'high',
  over: 'raw',
  title: 'Variation selectors without a base',
  reason: 'A run of variation selectors can carry a whole text that nobody sees.',
  remedy: 'Do not use it: an honest text has at most one selector after a symbol.',
  hits: ['Adds numbers.\uFE01\uFE04\uFE0A\uFE02\uFE07'],
  misses: ['Likes: ❤\uFE0F.', 'Number 1\uFE0F\u20E3.'],
  find: (raw) =>
    findHidden(
      raw,
      ['variation selectors'],
      scoreOf.high,
      'It contains variation selectors that change nothing visible.',
    ),
}
