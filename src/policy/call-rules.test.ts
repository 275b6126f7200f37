import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../model/agent.ts'
import type { Json } from '../model/json.ts'
import type { Approval } from '../model/memory.ts'
import { toApproval } from './approvals.ts'
import type { Grant } from './approvals.ts'
import { layerKinds } from './layers.ts'
import type { Predicate } from './predicates.ts'
import { compileGuard } from './read-only.ts'
import {
  agentRules,
  checkRules,
  compileRules,
  conditionalRules,
  decideCall,
  findAskingRule,
  questionOf,
  withoutConditions,
} from './call-rules.ts'
import type { Callable, CallPolicy, Effect, Rule } from './call-rules.ts'

const write: Callable = {
  name: 'fs__write',
  ref: 'fs/write',
  server: 'fs',
  tool: 'write',
  hash: 'sha256:write',
}

function decide(rules: readonly Rule[], args: Json = {}, policy: Partial<CallPolicy> = {}) {
  return decideCall(write, args, { rules: compileRules(rules), ...policy })
}
const effectOf = (rules: readonly Rule[], args?: Json, policy?: Parameters<typeof decide>[2]) =>
  decide(rules, args, policy).effect

describe('decideCall: rules', () => {
  test('a call without a matching rule is allowed', () => {
    expect(decide([])).toEqual({ effect: 'allow', by: 'default', reason: 'No rule forbids it.' })
  })

  test('the decision has the reason and the layer of its rule', () => {
    expect(
      decide([{ effect: 'deny', tools: ['fs/*'], reason: 'Not on Fridays.', layer: 'project' }]),
    ).toEqual({
      effect: 'deny',
      by: 'rule',
      layer: 'project',
      reason: 'Not on Fridays.',
    })
    expect(decide([{ effect: 'ask', tools: ['fs__*'] }])).toEqual({
      effect: 'ask',
      by: 'rule',
      layer: 'user',
      reason: 'A rule of the options of the host says ask.',
      asks: [''],
    })
  })

  test('the reason and the conditions are those of the strictest rules', () => {
    const rules: readonly Rule[] = [
      { effect: 'allow', tools: ['*'], reason: 'allow' },
      { effect: 'ask', tools: ['*'], reason: 'ask', layer: 'project' },
      { effect: 'deny', tools: ['*'], reason: 'deny', layer: 'agent' },
    ]
    expect(decide(rules)).toEqual({ effect: 'deny', by: 'rule', layer: 'agent', reason: 'deny' })
    expect(decide(rules.slice(0, 2))).toEqual({
      effect: 'ask',
      by: 'rule',
      layer: 'project',
      reason: 'ask',
      asks: [''],
    })
  })

  test('a name of another system that could mean two tools is restricted, and never admitted', () => {
    const posing: Callable = {
      name: 'github__evil__x',
      ref: 'github__evil/x',
      server: 'github__evil',
      tool: 'x',
      hash: 'h',
    }
    const of = (effect: Effect) =>
      compileRules([{ effect, tools: ['mcp__github__*'], dialect: 'claude-code', reason: effect }])
    expect(decideCall(posing, {}, { rules: of('deny') }).effect).toBe('deny')
    const asksWrites = { believes: [] }
    expect(decideCall(posing, {}, { rules: of('allow'), asksWrites }).effect).toBe('ask')
    const own: Callable = { name: 'github__x', ref: 'github/x', server: 'github', tool: 'x', hash: 'h' }
    expect(decideCall(own, {}, { rules: of('allow'), asksWrites }).effect).toBe('allow')
  })

  test('a negated glob makes an exception', () => {
    expect(effectOf([{ effect: 'ask', tools: ['*', '!fs/*'] }])).toBe('allow')
    expect(effectOf([{ effect: 'ask', tools: ['*', '!fs/read'] }])).toBe('ask')
  })

  test('deny beats ask beats allow, in any order and across layers', () => {
    const rule = fc.record({
      effect: fc.constantFrom<Effect>('allow', 'ask', 'deny'),
      tools: fc.constant(['*']),
      layer: fc.constantFrom(...layerKinds),
    })
    const order = ['allow', 'ask', 'deny']
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 6 }), (rules) => {
        const strictest = Math.max(...rules.map(({ effect }) => order.indexOf(effect)))
        expect(effectOf(rules)).toBe(order[strictest])
        expect(effectOf(rules.toReversed())).toBe(order[strictest])
      }),
    )
  })

  test('the read-only guard decides before the rules (P4, B18)', () => {
    const tool = { ...write, annotations: { readOnlyHint: false } }
    const guard = compileGuard({ policy: 'reject-declared' })
    expect(decideCall(tool, {}, { rules: compileRules([{ effect: 'allow', tools: ['*'] }]), guard })).toEqual(
      {
        effect: 'deny',
        by: 'guard',
        reason: 'It declares that it writes (readOnlyHint is false).',
      },
    )
  })

  test.each<[string, object, string]>([
    ['effect', { effect: 'permit', tools: ['*'] }, '"effect" must be one of allow, ask, deny'],
    [
      'layer',
      { effect: 'deny', tools: ['*'], layer: 'world' },
      '"layer" must be one of user, project, agent, conversation',
    ],
    ['tools', { effect: 'deny', tools: [] }, '"tools" names no tool'],
    ['list of negated tools', { effect: 'deny', tools: ['!x'] }, '"tools" names no tool'],
    ['pointer', { effect: 'deny', tools: ['*'], when: [{ at: 'path', matches: '*' }] }, 'such as "/path"'],
  ])('compileRules: throws for a rule with an invalid %s', (_what, rule, message) => {
    expect(() => compileRules([rule as Rule])).toThrow(message)
  })
})

describe('decideCall: conditions on arguments', () => {
  const when = (effect: Effect, ...predicates: readonly Predicate[]): Rule => ({
    effect,
    tools: ['fs/write'],
    when: predicates,
  })
  const etc: Predicate = { at: '/path', matches: '/etc/*' }
  const outside: Predicate = { at: '/path', matches: '/tmp/*', not: true }

  test.each<[string, Rule, Json, Effect]>([
    ['a glob that matches', when('deny', etc), { path: '/etc/passwd' }, 'deny'],
    ['a glob that does not match', when('deny', etc), { path: '/tmp/x' }, 'allow'],
    ['a number by its digits', when('deny', { at: '/mode', matches: '7*' }), { mode: 777 }, 'deny'],
    ['an equal value', when('deny', { at: '/force', equals: true }), { force: true }, 'deny'],
    [
      'equal objects in any order',
      when('deny', { at: '/o', equals: { a: 1, b: [2] } }),
      { o: { b: [2], a: 1 } },
      'deny',
    ],
    ['a nested value', when('deny', { at: '/a/0/b~1c', equals: 1 }), { a: [{ 'b/c': 1 }] }, 'deny'],
    [
      'one of several values that matches',
      when('deny', { at: '/path', matches: '/etc/*' }),
      { path: ['/tmp/x', ['/etc/x']] },
      'deny',
    ],
    [
      'everything below the root',
      when('deny', { at: '', matches: '*secret*' }),
      { a: [{ b: 'my secret' }] },
      'deny',
    ],
    ['not: a value that does not match', when('deny', outside), { path: '/home/x' }, 'deny'],
    ['not: a value that matches', when('deny', outside), { path: '/tmp/x' }, 'allow'],
    ['not: one of two values matches', when('deny', outside), { path: ['/tmp/x', '/home/x'] }, 'deny'],
    ['not: no value', when('deny', outside), {}, 'deny'],
    [
      'all of several conditions',
      when('deny', etc, { at: '/force', equals: true }),
      { path: '/etc/x' },
      'allow',
    ],
    ['null as arguments', when('deny', etc), null, 'allow'],
    ['a key that matches', when('deny', etc), { path: { '/etc/passwd': 'x' } }, 'deny'],
    ['a nested key that matches', when('deny', etc), { path: [{ files: { '/etc/passwd': {} } }] }, 'deny'],
    ['a key that equals', when('deny', { at: '/as', equals: 'root' }), { as: { root: {} } }, 'deny'],
    ['not: a key that does not match', when('deny', outside), { path: { '/home/x': '/tmp/x' } }, 'deny'],
    ['not: an empty list', when('deny', outside), { path: [] }, 'deny'],
    ['not: an empty object', when('deny', outside), { path: {} }, 'deny'],
    ['not: nested empty lists', when('deny', outside), { path: [[], [[]]] }, 'deny'],
    ['an empty list', when('deny', etc), { path: [] }, 'allow'],
    ['not: an empty list that equals', when('deny', { at: '/o', equals: [], not: true }), { o: [] }, 'allow'],
  ])('deny rule: %s', (_what, rule, args, effect) => {
    expect(effectOf([rule], args)).toBe(effect)
  })

  test('an allow rule applies only if there is a value and every value matches', () => {
    const allow = when('allow', { at: '/path', matches: '/tmp/*' })
    const effects = [
      { path: '/tmp/x' },
      { path: ['/tmp/x', '/tmp/y'] },
      { path: ['/tmp/x', '/etc/y'] },
      { path: [] },
      {},
      { path: { '/tmp/x': '/tmp/y' } },
      { path: { '/etc/x': '/tmp/y' } },
    ]
    expect(effects.map((args) => decide([allow], args).by)).toEqual([
      'rule',
      'rule',
      'default',
      'default',
      'default',
      'rule',
      'default',
    ])
  })

  test('an undefined argument does not hide the others', () => {
    // Untyped programs may pass `undefined`.
    const args = { path: { a: '/etc/x', b: undefined } } as unknown as Json
    expect(effectOf([when('deny', etc)], args)).toBe('deny')
  })

  test('very deep or wide arguments do not throw', () => {
    let deep: Json = 'x'
    for (let depth = 0; depth < 50_000; depth++) deep = [deep]
    const wide = Array.from({ length: 200_000 }, () => 'y')
    const rule = when('deny', { at: '', matches: 'x' })
    expect([effectOf([rule], deep), effectOf([rule], wide)]).toEqual(['deny', 'allow'])
  })
})

describe('decideCall: approvals', () => {
  const ask: Rule = { effect: 'ask', tools: ['*'] }
  const at = '2026-01-02T03:04:05.000Z'
  const scope = { conversation: 'c1', entryOf: () => 'sha256:entry' }

  function approve(grant: Grant, rules: readonly Rule[] = [ask], args: Json = {}): readonly Approval[] {
    const approval = toApproval(grant, questionOf(write, decide(rules, args), scope), at)
    return approval ? [approval] : []
  }

  test('toApproval: a grant for once stores nothing, the others store their subject', () => {
    const subject = { ref: 'fs/write', definition: 'sha256:write', entry: 'sha256:entry', asks: [''], at }
    expect(approve('once')).toEqual([])
    expect(approve('conversation')).toEqual([{ ...subject, conversation: 'c1' }])
    expect(approve('always')).toEqual([subject])
    expect(toApproval('conversation', questionOf(write, { asks: [''] }, {}), at)).toBeUndefined()
  })

  test('a grant for a conversation holds only there, a grant for always everywhere', () => {
    const effects = (grant: Grant) =>
      ['c1', 'c2', undefined].map((conversation) =>
        effectOf([ask], {}, { ...scope, conversation: conversation ?? '', approvals: approve(grant) }),
      )
    expect(effects('conversation')).toEqual(['allow', 'ask', 'ask'])
    expect(effects('always')).toEqual(['allow', 'allow', 'allow'])
    expect(decide([ask], {}, { ...scope, approvals: approve('conversation') })).toEqual({
      effect: 'allow',
      by: 'approval',
      reason: `A person approved it for this conversation on ${at}.`,
    })
  })

  test('an approval is bound to the definition of the tool and to the entry of its server', () => {
    const policy = { ...scope, rules: compileRules([ask]), approvals: approve('always') }
    expect(decideCall({ ...write, hash: 'sha256:other' }, {}, policy).effect).toBe('ask')
    expect(decideCall(write, {}, { ...policy, entryOf: () => 'sha256:other' }).effect).toBe('ask')
    expect(decideCall({ ...write, ref: 'fs2/write' }, {}, policy).effect).toBe('ask')
  })

  test('an approval covers only the condition that was asked about', () => {
    const outside: Rule = {
      effect: 'ask',
      tools: ['fs/*'],
      when: [{ at: '/path', matches: '/tmp/*', not: true }],
    }
    const approvals = approve('always', [ask, outside], { path: '/tmp/x' })
    const effects = ['/tmp/y', '/etc/y'].map((path) =>
      effectOf([ask, outside], { path }, { ...scope, approvals }),
    )
    expect(effects).toEqual(['allow', 'ask'])
    const both = approve('always', [ask, outside], { path: '/etc/x' })
    expect(effectOf([ask, outside], { path: '/etc/y' }, { ...scope, approvals: both })).toBe('allow')
  })

  test('an approval does not override deny', () => {
    const policy = { ...scope, approvals: approve('always') }
    expect(effectOf([ask, { effect: 'deny', tools: ['*'] }], {}, policy)).toBe('deny')
  })

  test('the hash of a definition is computed only if the tool has an approval', () => {
    const tool: Callable = {
      name: 'fs__write',
      ref: 'fs/write',
      get hash(): string {
        throw new Error('computed')
      },
    }
    const policy = { ...scope, rules: compileRules([ask]) }
    expect(decideCall(tool, {}, { ...policy, approvals: [] }).effect).toBe('ask')
    expect(() => decideCall(tool, {}, { ...policy, approvals: approve('always') })).toThrow('computed')
  })
})

test('agentRules: the file of an agent and of the user’s agent it replaces both become rules', () => {
  const origin = { file: '/a.md', line: 1, authority: 'user' } as const
  const within = { name: 'A', origin, asks: ['bash'] }
  const agent = { name: 'A', origin, dialect: 'opencode', asks: ['*', '!fs_read'], within } as const
  const rules = agentRules(agent)
  expect(rules.map(({ tools, layer }) => [tools, layer])).toEqual([
    [['bash'], 'agent'],
    [['*', '!fs_read'], 'agent'],
  ])
  const read = { ...write, name: 'fs__read', ref: 'fs/read', tool: 'read' }
  expect([write, read].map((tool) => decideCall(tool, {}, { rules: compileRules(rules) }).effect)).toEqual([
    'ask',
    'allow',
  ])
  expect(agentRules({ name: 'B', origin })).toEqual([])
})

test('decideCall: a rule with names of Claude Code restricts every tool it may mean; its exceptions only the exact server', () => {
  const rule: Rule = {
    effect: 'ask',
    tools: ['mcp__git_hub__*', '!mcp__git_hub__read'],
    dialect: 'claude-code',
  }
  const effect = (server: string, tool: string) =>
    decideCall(
      { name: `x__${tool}`, ref: `${server}/${tool}`, server, tool, hash: '' },
      {},
      { rules: compileRules([rule]) },
    ).effect
  expect([effect('git_hub', 'push'), effect('git_hub', 'read')]).toEqual(['ask', 'allow'])
  expect([effect('git.hub', 'push'), effect('git.hub', 'read')]).toEqual(['ask', 'ask'])
  expect(effect('git', 'hub__push')).toBe('allow')
})

describe('decideCall: the risk of the conversation (T15)', () => {
  const path = { untrusted: 'a', private: 'b', out: 'fs/write' }
  const riskOf = (mode: 'warn' | 'ask' | 'block') => ({
    riskOf: () => ({ mode, path, reason: 'It could leak.', condition: 'trifecta a b' }),
  })
  const rule = (effect: Effect): Rule => ({ effect, tools: ['*'], reason: effect })

  test('T15 to warn changes no decision', () => {
    expect(decide([], {}, riskOf('warn'))).toMatchObject({ effect: 'allow', by: 'default' })
    expect(decide([rule('ask')], {}, riskOf('warn'))).toMatchObject({ effect: 'ask', by: 'rule', asks: [''] })
  })

  test('T15 to block denies', () => {
    const blocked = { effect: 'deny', by: 'trifecta', reason: 'It could leak.' }
    expect(decide([], {}, riskOf('block'))).toEqual(blocked)
    expect(decide([rule('ask')], {}, riskOf('block'))).toEqual(blocked)
  })

  test('T15 to ask adds its question to those of the rules', () => {
    const asked = { effect: 'ask', by: 'trifecta', reason: 'It could leak.' }
    expect(decide([], {}, riskOf('ask'))).toEqual({ ...asked, asks: ['trifecta a b'] })
    expect(decide([rule('ask')], {}, riskOf('ask'))).toEqual({ ...asked, asks: ['', 'trifecta a b'] })
  })

  test('T15 what is denied stays denied for its own reason', () => {
    for (const mode of ['ask', 'block'] as const)
      expect(decide([rule('deny')], {}, riskOf(mode))).toMatchObject({ by: 'rule', reason: 'deny' })
  })
})

describe('decideCall: the sentence of an approval', () => {
  test('says whether it holds for this conversation', () => {
    const rules: readonly Rule[] = [{ effect: 'ask', tools: ['*'] }]
    const approval: Approval = {
      ref: 'fs/write',
      definition: 'sha256:write',
      entry: '',
      asks: [''],
      at: '2026-11-17',
    }
    const reasonWith = (given: Approval) =>
      decide(rules, {}, { approvals: [given], conversation: 'c1' }).reason
    expect(reasonWith(approval)).toBe('A person approved it on 2026-11-17.')
    expect(reasonWith({ ...approval, conversation: 'c1' })).toBe(
      'A person approved it for this conversation on 2026-11-17.',
    )
  })
})

describe('rules with conditions', () => {
  const when = [{ at: '/path', matches: '/etc/*' }]
  const always: Rule = { effect: 'ask', tools: ['*'], reason: 'always' }
  const rules = (['allow', 'ask', 'deny'] as const).map((effect): Rule => ({
    effect,
    tools: ['fs/*'],
    when,
    reason: effect,
  }))
  const compiled = compileRules([always, { ...always, when: [] }, ...rules])
  const namesOf = (beyond: Parameters<typeof conditionalRules>[2], tool = write) =>
    conditionalRules(tool, compiled, beyond).map(({ reason }) => reason)

  test('withoutConditions leaves those that apply whatever the arguments are', () => {
    expect(withoutConditions(compiled).map(({ rule: { reason } }) => reason)).toEqual(['always', 'always'])
  })

  test('conditionalRules names those that change a decision, the strictest first', () => {
    expect(conditionalRules(write, compiled, { effect: 'ask', by: 'rule' })).toEqual([
      { effect: 'deny', when, reason: 'deny', layer: 'user' },
    ])
    expect(namesOf({ effect: 'allow', by: 'default' })).toEqual(['deny', 'ask'])
    expect(namesOf({ effect: 'deny', by: 'rule' })).toEqual([])
  })

  test('conditionalRules: what asks by default is lifted by a rule of the person alone', () => {
    expect(namesOf({ effect: 'ask', by: 'default' })).toEqual(['deny', 'allow'])
    expect(namesOf({ effect: 'allow', by: 'default' })).not.toContain('allow')
    const ofProject = compileRules([{ effect: 'allow', tools: ['*'], when, layer: 'project' }])
    expect(conditionalRules(write, ofProject, { effect: 'ask', by: 'default' })).toEqual([])
  })

  test('conditionalRules: rules for other tools do not count', () => {
    const other = { ...write, name: 'git__log', ref: 'git/log', server: 'git', tool: 'log' }
    expect(namesOf({ effect: 'allow', by: 'default' }, other)).toEqual([])
  })

  test('findAskingRule finds the first rule that asks about this call', () => {
    const [allow, ask, deny] = rules as [Rule, Rule, Rule]
    const find = (args: Json, ...given: readonly Rule[]) => findAskingRule(write, args, compileRules(given))
    expect(find({ path: '/etc/x' }, allow, deny, ask, always)).toBe(ask)
    expect(find({ path: '/tmp/x' }, allow, deny, ask, always)).toBe(always)
    expect(find({ path: '/tmp/x' }, allow, deny, ask)).toBeUndefined()
  })
})

describe('checkRules', () => {
  test('a pattern without a tool is named with the owner of its rule', () => {
    const origin = { file: 'settings.json', line: 3 }
    const rules = compileRules([
      { effect: 'deny', tools: ['fs/wirte'], origin },
      { effect: 'deny', tools: ['fs/wirte'] },
      { effect: 'deny', tools: ['mcp__x__*'], dialect: 'claude-code', layer: 'agent' },
      { effect: 'deny', tools: ['mcp__fs__write', 'fs__write'], dialect: 'claude-code' },
    ])
    const found = checkRules(rules, [write])
    expect(found.map(({ message, severity, origin: place }) => [message, severity, place])).toEqual([
      ['The pattern "fs/wirte" of a rule of your settings matches no tool.', 'warn', origin],
      ['The pattern "fs/wirte" of a rule of the options of the host matches no tool.', 'warn', undefined],
      ['The pattern "mcp__x__*" of a rule of the agent matches no tool.', 'info', undefined],
    ])
  })
})

test('agentRules: the rules of an agent of the same name outside of it come first', () => {
  const origin = { file: 'a.md', line: 1, kind: 'user' } as unknown as Agent['origin']
  const base = { name: 'Reviewer', origin } as Agent
  const reason = 'The agent "Reviewer" asks before it uses this tool.'
  expect(agentRules(base)).toEqual([])
  const within: Agent = { ...base, asks: ['fs/*'], dialect: 'copilot' }
  expect(agentRules({ ...base, asks: ['git/*'], within })).toEqual([
    { effect: 'ask', tools: ['fs/*'], layer: 'agent', reason, dialect: 'copilot' },
    { effect: 'ask', tools: ['git/*'], layer: 'agent', reason },
  ])
})

test('questionOf: a native tool is asked about by its name', () => {
  const native: Callable = { name: 'save', hash: 'sha256:save' }
  expect(questionOf(native, {}, {})).toEqual({ ref: 'save', definition: 'sha256:save', entry: '', asks: [] })
  expect(questionOf(native, { asks: ['a'] }, { entryOf: () => 'e', conversation: 'c' })).toEqual({
    ref: 'save',
    definition: 'sha256:save',
    entry: 'e',
    asks: ['a'],
    conversation: 'c',
  })
})
