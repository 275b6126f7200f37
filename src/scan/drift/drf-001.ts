import { canonicalize } from '../../model/canonical.ts'
import { exampleDrift, objectAt } from './drift-rule.ts'
import type { Drift, DriftMatch, DriftRule } from './drift-rule.ts'

const parts = ['inputSchema', 'outputSchema', 'annotations', 'arguments', 'uriTemplate'] as const

export const schemaDrift: DriftRule = {
  id: 'DRF-001',
  severity: 'critical',
  title: 'Schema changed',
  reason:
    'Arguments, results or annotations differ from what was accepted: a model would send something else.',
  remedy: 'Compare both with plugboard review, and accept the change only if you know its reason.',
  hits: [
    exampleDrift({ inputSchema: { type: 'object', properties: { cart: { type: 'string' } } } }),
    exampleDrift({ outputSchema: { type: 'object' } }),
  ],
  misses: [
    exampleDrift({ description: 'Shows a price.' }),
    exampleDrift({ inputSchema: { properties: { article: { type: 'string' } }, type: 'object' } }),
  ],
  find: (drift) => parts.flatMap((part) => findChange(drift, part)),
}

function findChange({ accepted, current }: Drift, part: (typeof parts)[number]): readonly DriftMatch[] {
  const [before, after] = [accepted[part], current[part]]
  if (canonicalize(before ?? null) === canonicalize(after ?? null)) return []
  const [old, now] = [objectAt(accepted, part), objectAt(current, part)]
  const known = new Set(namesOf(old))
  const added = namesOf(now).filter((name) => !known.has(name))
  return [
    {
      severity: 'critical',
      message: `Its ${words[part]} differ from what was accepted.`,
      pointer: `/${part}`,
      ...(added.length > 0 && { evidence: `new: ${added.join(', ')}` }),
    },
  ]
}

const words = {
  inputSchema: 'arguments',
  outputSchema: 'results',
  annotations: 'annotations',
  arguments: 'arguments',
  uriTemplate: 'addresses',
} as const

const namesOf = (schema: Drift['accepted']) => Object.keys(objectAt(schema, 'properties'))
