import { describe, expect, test } from 'vitest'
import type { Json } from '../model/json.ts'
import type { Annotations } from '../model/tool.ts'
import { allowingRule, askWritesOf, hintToAllow, writesCondition } from './ask-writes.ts'
import { compileLayers } from './layers.ts'
import type { AskWrites } from './ask-writes.ts'
import { compileRules, conditionalRules, decideCall } from './call-rules.ts'
import type { CallPolicy, Rule } from './call-rules.ts'

const asksWrites: AskWrites = { believes: [], file: '/home/me/settings.json' }
const toolOf = (tool: string, annotations?: Annotations) => ({
  name: `notes__${tool}`,
  ref: `notes/${tool}`,
  server: 'notes',
  tool,
  hash: 'h',
  ...(annotations && { annotations }),
})
const add = toolOf('add')
const decide = (
  tool: Parameters<typeof decideCall>[0],
  rules: readonly Rule[] = [],
  { args = {}, ...policy }: Partial<CallPolicy> & { readonly args?: Json } = {},
) => decideCall(tool, args, { asksWrites, ...policy, rules: compileRules(rules) })

describe('asks: writes', () => {
  test.each([
    ['no annotations', toolOf('add'), 'It does not declare that it is read-only.'],
    ['readOnlyHint false', toolOf('add', { readOnlyHint: false }), /declares that it writes/],
    ['a name that writes', toolOf('delete_all', { readOnlyHint: true }), /its name contains "delete"/],
    ['both hints', toolOf('list', { readOnlyHint: true, destructiveHint: true }), /and destructive/],
  ])('T22 a tool with %s asks', (_, tool, reason) => {
    const decision = decide(tool)
    expect(decision).toMatchObject({ effect: 'ask', by: 'default', asks: [writesCondition] })
    expect(decision.reason).toMatch(reason)
  })

  test('a tool that is declared read-only runs, unless a list of believed servers leaves its server out', () => {
    const list = toolOf('list', { readOnlyHint: true })
    expect(decide(list).effect).toBe('allow')
    const believing = (...believes: string[][]) => ({ asksWrites: { believes } })
    expect(decide(list, [], believing(['notes'])).effect).toBe('allow')
    expect(decide(list, [], believing(['notes'], ['docs']))).toMatchObject({
      effect: 'ask',
      reason: 'Declarations of the server "notes" are not believed.',
    })
  })

  test('a native tool asks only if it declares that it writes', () => {
    expect(decide({ name: 'view_file', hash: 'h' }).effect).toBe('allow')
    expect(decide({ name: 'save', hash: 'h', annotations: { readOnlyHint: false } }).effect).toBe('ask')
  })

  test('without the option nothing asks', () => {
    expect(decide(add, [], { asksWrites: undefined }).effect).toBe('allow')
  })

  test('a rule of the person allows it, one of a project or an agent does not', () => {
    const rule: Rule = { effect: 'allow', tools: ['notes/add'] }
    expect(decide(add, [rule])).toMatchObject({ effect: 'allow', by: 'rule', layer: 'user' })
    expect(decide(add, [{ ...rule, layer: 'project' }]).effect).toBe('ask')
    expect(decide(add, [{ ...rule, layer: 'agent' }]).effect).toBe('ask')
    expect(decide(toolOf('remove'), [rule]).effect).toBe('ask')
  })

  test('an allowing rule lifts neither an ask nor a deny', () => {
    const allow: Rule = { effect: 'allow', tools: ['*'] }
    const ask: Rule = { effect: 'ask', tools: ['notes/*'] }
    const deny: Rule = { effect: 'deny', tools: ['notes/*'] }
    expect(decide(add, [allow, ask])).toMatchObject({ effect: 'ask', by: 'rule', asks: [''] })
    expect(decide(add, [allow, deny]).effect).toBe('deny')
    expect(decide(add, [deny]).effect).toBe('deny')
  })

  test('an approval has to cover the question of the default and those of rules', () => {
    const approval = (asks: readonly string[]) => [
      { ref: 'notes/add', definition: 'h', entry: '', asks, at: '2026-01-01' },
    ]
    const ask: Rule = { effect: 'ask', tools: ['notes/*'] }
    expect(decide(add, [], { approvals: approval([writesCondition]) }).by).toBe('approval')
    expect(decide(add, [], { approvals: approval(['']) }).effect).toBe('ask')
    expect(decide(add, [ask], { approvals: approval([writesCondition]) }).effect).toBe('ask')
    expect(decide(add, [ask], { approvals: approval(['']) }).effect).toBe('ask')
    expect(decide(add, [ask], { approvals: approval(['', writesCondition]) }).by).toBe('approval')
  })

  test('an allowing rule with a condition lifts it for just these arguments, and is listed', () => {
    const rules: readonly Rule[] = [
      { effect: 'allow', tools: ['notes/add'], when: [{ at: '/list', equals: 'shopping' }] },
    ]
    expect(decide(add, rules, { args: { list: 'shopping' } }).effect).toBe('allow')
    expect(decide(add, rules, { args: { list: 'work' } }).effect).toBe('ask')
    expect(decide(add, rules).effect).toBe('ask')
    const compiled = compileRules(rules)
    expect(conditionalRules(add, compiled, { effect: 'ask', by: 'default' })).toMatchObject([
      { effect: 'allow', layer: 'user' },
    ])
    expect(conditionalRules(add, compiled, { effect: 'ask', by: 'rule' })).toEqual([])
  })

  test('the decision names the rule that would allow it, if nothing else asks', () => {
    const { allowedBy } = decide(add)
    expect(allowedBy && hintToAllow(allowedBy)).toBe(
      'To allow it, add the rule { "effect": "allow", "tools": ["notes/add"] } to "rules" in /home/me/settings.json',
    )
    expect(decide(add, [{ effect: 'ask', tools: ['*'] }])).not.toHaveProperty('allowedBy')
    expect(decide({ ...add, ref: '!x/add' })).not.toHaveProperty('allowedBy')
  })
})

test('askWritesOf: the lists of believed servers of all layers count', () => {
  const layers = compileLayers([
    { kind: 'user', readOnly: { policy: 'require-declared', believes: ['notes'] } },
    { kind: 'project', readOnly: { policy: 'require-declared' } },
    { kind: 'agent', tools: ['*'] },
  ])
  expect(askWritesOf(layers, '/s.json')).toEqual({ believes: [['notes']], file: '/s.json' })
})

test('allowingRule: a rule for just this tool, and where it belongs', () => {
  const rule = { effect: 'allow', tools: ['notes/add'] }
  expect(allowingRule({ name: 'notes__add', ref: 'notes/add' }, asksWrites)).toEqual({
    rule,
    file: '/home/me/settings.json',
  })
  expect(allowingRule({ name: 'save' }, { believes: [] })).toEqual({
    rule: { effect: 'allow', tools: ['save'] },
  })
  expect(allowingRule({ name: '!save' }, asksWrites)).toBeUndefined()
})

test('hintToAllow: names the settings of the person, or the option where none are read', () => {
  const rule = { effect: 'allow', tools: ['notes/add'] } as const
  const text = '{ "effect": "allow", "tools": ["notes/add"] }'
  expect(hintToAllow({ rule })).toBe(`To allow it, add the rule ${text} to the option "policy".`)
  expect(hintToAllow({ rule, file: '/s.json' })).toBe(
    `To allow it, add the rule ${text} to "rules" in /s.json`,
  )
})
