import { canonicalize } from '../../model/canonical.ts'
import { exampleDrift } from './drift-rule.ts'
import type { DriftRule } from './drift-rule.ts'

export const sessionFlip: DriftRule = {
  id: 'DRF-004',
  severity: 'critical',
  title: 'Two definitions in one session',
  reason: 'One connection gave two definitions of one thing: which one a person sees is left to chance.',
  remedy: 'Do not use it: no update explains a change in the middle of a connection.',
  hits: [exampleDrift({ title: 'Shows and pays' }, { isInSession: true })],
  misses: [exampleDrift({}, { isInSession: true }), exampleDrift({ title: 'Shows and pays' })],
  find: ({ accepted, current, isInSession }) =>
    isInSession && canonicalize(accepted) !== canonicalize(current)
      ? [{ severity: 'critical', message: 'It changed during one connection.', pointer: '' }]
      : [],
}
