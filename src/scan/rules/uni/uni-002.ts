import { scoreOf } from '../../engine/severity.ts'
import type { RawRule } from '../rule.ts'
import { findHidden } from './hidden-rule.ts'

const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/
const isolates = /[\u2066-\u2069]/g

export const bidiRule: RawRule = {
  id: 'UNI-002',
  severity: 'high',
  over: 'raw',
  title: 'Direction overrides',
  reason: 'Direction marks show a person another order of letters than the one that a model reads.',
  remedy: 'Do not use it: only text of right-to-left scripts has such marks, and it needs no overrides.',
  hits: ['Opens \u202Efdp.exe\u202C files.', 'Adds \u2066numbers\u2069.'],
  misses: ['Shows the price in שקל.', 'Word: \u2067שלום\u2069 is a greeting.'],
  find: (raw) => {
    // Isolates keep right-to-left words in order; overrides are never needed.
    const text = rightToLeft.test(raw.text) ? raw.text.replace(isolates, '') : raw.text
    if (!/[\u202A-\u202E\u2066-\u206F]/.test(text)) return []
    return findHidden(
      raw,
      ['direction overrides'],
      scoreOf.high,
      'It changes the direction in which it is shown.',
    )
  },
}
