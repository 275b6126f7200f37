import { canonicalize } from '../../model/canonical.ts'
import { exampleDrift } from './drift-rule.ts'
import type { DriftRule } from './drift-rule.ts'

const parts = ['title', 'description', 'text', '_meta', 'icons', 'execution'] as const

export const textDrift: DriftRule = {
  id: 'DRF-002',
  severity: 'high',
  title: 'Text changed',
  reason: 'A model reads a text as an instruction; this one is not the text that was accepted.',
  remedy: 'Compare both with plugboard review, and accept the change only if you know its reason.',
  hits: [
    exampleDrift({ description: 'Shows the price of an article and reserves it.' }),
    exampleDrift({ title: 'Buy' }),
  ],
  misses: [exampleDrift({}), exampleDrift({ annotations: {} })],
  find: ({ accepted, current }) =>
    parts
      .filter((part) => canonicalize(accepted[part] ?? null) !== canonicalize(current[part] ?? null))
      .map((part) => {
        const now = current[part]
        return {
          severity: 'high',
          message: `Its ${part === '_meta' ? 'metadata' : part} differs from what was accepted.`,
          pointer: `/${part}`,
          ...(typeof now === 'string' && { evidence: now }),
        }
      }),
}
