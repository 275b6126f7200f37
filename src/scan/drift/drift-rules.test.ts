import { expect, test } from 'vitest'
import { compareForDrift, driftRules } from '../compare-for-drift.ts'
import type { Drift } from './drift-rule.ts'

const rulesIn = ({ accepted, current, isInSession }: Drift) =>
  compareForDrift(
    accepted,
    current,
    { kind: 'tool', server: 'shop', name: 'show_price' },
    { isInSession },
  ).map(({ rule }) => rule)

test.each(driftRules.flatMap((rule) => rule.hits.map((drift, index) => [rule.id, index, drift] as const)))(
  'T12 %s finds its change %i',
  (id, _index, drift) => expect(rulesIn(drift)).toContain(id),
)

test.each(driftRules.flatMap((rule) => rule.misses.map((drift, index) => [rule.id, index, drift] as const)))(
  'T12 %s has no finding for its near miss %i',
  (id, _index, drift) => expect(rulesIn(drift)).not.toContain(id),
)

test('T49 a definition with 50,000 arguments is compared in linear time: no wait for the names that are known', () => {
  const fields = (type: string) =>
    Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`f${at}`, { type }]))
  const names = Object.keys(fields('string'))
  const of = (type: string, required: readonly string[]) => ({
    name: 'x',
    inputSchema: { type: 'object', properties: fields(type), required },
  })
  const found = compareForDrift(of('string', names), of('number', [...names].reverse()), {
    kind: 'tool',
    server: 'a',
    name: 'x',
  })
  expect(found.map(({ rule }) => rule)).toEqual(['DRF-001'])
})
