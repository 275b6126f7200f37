import { describe, expect, test } from 'vitest'
import { isAtLeast, severities } from '../../model/finding.ts'
import type { Finding } from '../../model/finding.ts'
import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { scanDefinition } from '../scan-definition.ts'
import { scanText } from '../scan-text.ts'
import { rules } from './all-rules.ts'
import type { Example } from './rule.ts'

function scanExample(example: Example): readonly Finding[] {
  if (typeof example === 'string') return scanTool({ description: example })
  const { kind, text } = example
  if (typeof kind === 'string' && typeof text === 'string')
    return scanText(kind as 'result', text, { server: 'shop' }) // the kinds of `Example`
  return isObject(example) ? scanTool(example) : []
}

function scanTool(tool: JsonObject): readonly Finding[] {
  const whole = { name: 'example', inputSchema: { type: 'object' }, ...tool }
  return scanDefinition('tool', whole, 'shop')
}

describe('T11 rules', () => {
  test('ids are unique and sorted by family and number', () => {
    const ids = rules.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
  })

  const cases = rules.flatMap((rule) => [
    ...rule.hits.map((example) => ({ rule, example, kind: 'hit' as const })),
    ...rule.misses.map((example) => ({ rule, example, kind: 'miss' as const })),
  ])
  test.each(cases.filter(({ kind }) => kind === 'hit').map((each) => [each.rule.id, each] as const))(
    '%s finds its example %#',
    (id, { rule, example }) => {
      const found = scanExample(example).filter((finding) => finding.rule === id)
      const worst = found.map(({ severity }) => severities.indexOf(severity))
      expect({ example, worst: Math.max(...worst) }).toEqual({ example, worst: expect.any(Number) })
      const least = rule.severity === 'low' || rule.severity === 'info' ? rule.severity : 'medium'
      expect({
        example,
        found,
        isFound: found.some(({ severity }) => isAtLeast(severity, least)),
      }).toMatchObject({ isFound: true })
      expect(found.filter(({ severity }) => !isAtLeast(rule.severity, severity))).toEqual([])
    },
  )
  test.each(cases.filter(({ kind }) => kind === 'miss').map((each) => [each.rule.id, each] as const))(
    '%s leaves its near miss %# alone, and so does every other rule',
    (_id, { example }) => {
      expect({
        example,
        found: scanExample(example).filter(({ severity }) => isAtLeast(severity, 'medium')),
      }).toEqual({ example, found: [] })
    },
  )
})
