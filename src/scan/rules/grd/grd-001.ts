import { scoreOf } from '../../engine/severity.ts'
import type { DefinitionRule, Match } from '../rule.ts'

/** The engine reports it when a limit ends a scan, so the rule itself finds nothing. */
export const guardRule: DefinitionRule & { readonly exhausted: Match } = {
  id: 'GRD-001',
  severity: 'critical',
  over: 'definition',
  title: 'Scan not finished',
  reason: 'Text beyond the limits of the scan was not examined, and padding is a way to hide text there.',
  remedy: 'Do not use it: ask its author for a definition of ordinary size.',
  hits: [],
  misses: ['Adds two numbers.'],
  find: () => [],
  exhausted: {
    score: scoreOf.critical,
    message: 'It has more text than a scan may examine, so parts of it are unknown.',
  },
}
