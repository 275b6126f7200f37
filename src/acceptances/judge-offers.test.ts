import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashDefinition, offerName } from '../model/definition/canonical-definition.ts'
import type { Finding, Severity } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance } from './acceptance.ts'
import { withAccepted, withAdditions, withRejected } from './change-acceptance.ts'
import { removedOffers } from './removed-offers.ts'
import { judgeOffers } from './judge-offers.ts'
import type { JudgeInput } from './judge-offers.ts'
import type { Offers } from './offered-list.ts'

const now = '2026-11-17T00:00:00.000Z'

function offer(tools: readonly JsonObject[], more: Partial<Offers> = {}): Offers {
  return { tools, prompts: [], resourceTemplates: [], ...more }
}

function judge(offered: Offers, acceptance?: Acceptance, more: Partial<JudgeInput<Offers>> = {}) {
  return judgeOffers({ server: 's', offered, acceptance, mode: 'tofu', findingsOf: () => [], now, ...more })
}

/** What is accepted after this list was seen first. */
function seen(offered: Offers): Acceptance {
  return withAdditions(undefined, judge(offered).additions)
}

const tool = (name: string, description = `Does ${name}.`): JsonObject => ({
  name,
  description,
  inputSchema: { type: 'object' },
})

const nameOf = (each: JsonObject) => offerName('tool', each)

function finding(severity: Severity, name: string): Finding {
  const subject = { kind: 'tool', server: 's', name } as const
  return { rule: 'INJ-001', severity, subject, pointer: '/description', message: 'm', remedy: 'r' }
}

const toolLists = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 6 }), fc.string()), {
    selector: ([name]) => name,
    maxLength: 8,
  })
  .map((pairs) => pairs.map(([name, description]) => tool(name, description)))

describe('T12 judgeOffers', () => {
  test('T12 what was accepted is offered unchanged, in any order, and nothing is accepted twice', () => {
    fc.assert(
      fc.property(toolLists, (tools) => {
        const acceptance = seen(offer(tools))
        const turned = offer(tools.toReversed())
        const { snapshot, held, additions } = judge(turned, acceptance)
        expect([held, additions, removedOffers(turned, acceptance)]).toEqual([[], [], []])
        expect(snapshot).toBe(turned)
      }),
    )
  })

  test('T12 no definition other than the accepted one under its name is ever offered', () => {
    fc.assert(
      fc.property(toolLists, toolLists, (before, after) => {
        const acceptance = seen(offer(before))
        const { snapshot, held } = judge(offer(after), acceptance)
        const known = snapshot.tools.filter((each) => acceptance.tools.has(nameOf(each)))
        expect(known.map(hashDefinition)).toEqual(
          known.map((each) => acceptance.tools.get(nameOf(each))?.hash),
        )
        const names = [...snapshot.tools.map(nameOf), ...held.map(({ name }) => name)]
        expect(new Set(names)).toEqual(new Set(after.map(nameOf)))
        expect(names).toHaveLength(after.length)
      }),
    )
  })

  test('T12 strict offers only what was accepted before, whatever the list', () => {
    fc.assert(
      fc.property(toolLists, toolLists, (before, after) => {
        const acceptance = seen(offer(before))
        const { snapshot, additions } = judge(offer(after), acceptance, { mode: 'strict' })
        expect(additions).toEqual([])
        expect(snapshot.tools.every((each) => acceptance.tools.has(nameOf(each)))).toBe(true)
        expect(judge(offer(after), undefined, { mode: 'strict' }).snapshot.tools).toEqual([])
      }),
    )
  })

  test('T12 going back to the accepted definitions offers them again', () => {
    fc.assert(
      fc.property(toolLists, toolLists, (before, between) => {
        const acceptance = seen(offer(before))
        const later = withAdditions(acceptance, judge(offer(between), acceptance).additions)
        expect(judge(offer(before), later).held).toEqual([])
      }),
    )
  })

  test('T12 a person’s yes offers exactly that definition; a no holds it', () => {
    const acceptance = seen(offer([tool('a')]))
    const changed = offer([tool('a', 'Does more.')])
    const [held] = judge(changed, acceptance).held
    if (!held) throw new Error('nothing is held')
    expect(judge(changed, withAccepted(acceptance, held, now)).held).toEqual([])
    expect(judge(offer([tool('a', 'Even more.')]), withAccepted(acceptance, held, now)).held).toMatchObject([
      { reason: 'changed' },
    ])
    expect(judge(changed, withRejected(acceptance, held, now)).held).toMatchObject([{ reason: 'rejected' }])
  })

  test('T12 a new tool that was rejected is held with another text, too', () => {
    const [bad] = judge(offer([tool('a', 'Bad.')]), noAcceptance, { mode: 'strict' }).held
    const acceptance = withRejected(noAcceptance, bad!, now)
    expect(judge(offer([tool('a', 'Bad.')]), acceptance).held).toMatchObject([{ reason: 'rejected' }])
    expect(judge(offer([tool('a', 'Good.')]), acceptance).held).toMatchObject([{ reason: 'added' }])
  })

  test.each<[Severity, readonly string[]]>([
    ['medium', ['a']],
    ['high', []],
    ['critical', []],
  ])('T11 a new tool with a finding that is %s: %j are offered', (severity, offered) => {
    const { snapshot } = judge(offer([tool('a')]), undefined, { findingsOf: () => [finding(severity, 'a')] })
    expect(snapshot.tools.map(({ name }) => name)).toEqual(offered)
  })

  test('T12 the lock file only narrows: what differs is held, what it has is not accepted by it', () => {
    const [a, b] = [tool('a'), tool('b')]
    const lock = {
      tools: new Map([['a', hashDefinition(a)]]),
      prompts: new Map(),
      templates: new Map(),
      skills: new Map(),
    }
    const first = judge(offer([a, b]), undefined, { lock })
    expect(first.held).toMatchObject([{ name: 'b', reason: 'lock' }])
    const strict = judge(offer([a]), noAcceptance, { lock, mode: 'strict' })
    expect(strict.held).toMatchObject([{ name: 'a', reason: 'added' }])
  })

  test('T12 names such as __proto__ are names', () => {
    const tools = [tool('__proto__'), tool('constructor'), tool('')]
    expect(judge(offer(tools), seen(offer(tools))).held).toEqual([])
  })

  test('T12 a number that no double holds is no reason to fail', () => {
    const huge: JsonObject = JSON.parse('{"name":"a","inputSchema":{"type":"object","default":1e999}}')
    const acceptance = seen(offer([huge]))
    expect(judge(offer([huge]), acceptance).held).toEqual([])
    expect(judge(offer([{ ...huge, title: 'A' }]), acceptance).held).toMatchObject([{ reason: 'changed' }])
  })

  test('T12 what is accepted says how it was met, and names its kind', () => {
    const offered = offer([tool('a')], { instructions: 'Be brief.', prompts: [{ name: 'p' }] })
    const first = judge(offered).additions
    expect(first.map(({ kind, name, offer: { how } }) => [kind, name, how])).toEqual([
      ['instructions', '', 'first-sight'],
      ['tool', 'a', 'first-sight'],
      ['prompt', 'p', 'first-sight'],
    ])
    expect(judge(offered, noAcceptance).additions.map(({ offer: { how } }) => how)).toEqual([
      'added',
      'added',
      'added',
    ])
    expect(first[1]?.offer).toEqual({
      hash: hashDefinition(tool('a')),
      definition: tool('a'),
      at: now,
      how: 'first-sight',
    })
  })

  test('T12 a held offer has both definitions, what changed, and what the scanner found', () => {
    const acceptance = seen(offer([tool('a')]))
    const looser: JsonObject = { ...tool('a'), annotations: { destructiveHint: true } }
    const found = [finding('low', 'a')]
    const [held] = judge(offer([tool('a', 'Does more.')]), acceptance, { findingsOf: () => found }).held
    expect(held).toMatchObject({
      kind: 'tool',
      name: 'a',
      reason: 'changed',
      accepted: acceptance.tools.get('a'),
      current: { hash: hashDefinition(tool('a', 'Does more.')), definition: tool('a', 'Does more.') },
    })
    expect(held?.findings.map(({ rule }) => rule).at(-1)).toBe('INJ-001')
    expect(held?.findings.length).toBeGreaterThan(1)
    const safe = seen(offer([{ ...tool('a'), annotations: { destructiveHint: false } }]))
    expect(judge(offer([looser]), safe).held).toMatchObject([{ reason: 'loosened' }])
  })

  test('T12 changed instructions are replaced by the accepted ones, and their finding has no name', () => {
    const acceptance = seen(offer([], { instructions: 'Be brief.' }))
    const { held, snapshot } = judge(offer([tool('a')], { instructions: 'Be loud.' }), acceptance)
    expect(snapshot).toEqual(offer([tool('a')], { instructions: 'Be brief.' }))
    expect(held).toMatchObject([{ kind: 'instructions', name: '', reason: 'changed' }])
    expect(held.flatMap(({ findings }) => findings.map(({ subject }) => subject))).toEqual(
      held.flatMap(({ findings }) => findings.map(() => ({ kind: 'instructions', server: 's' }))),
    )
    expect(held[0]?.findings.length).toBeGreaterThan(0)
  })

  test('T12 instructions stay when only a tool is held, and are none if none were accepted', () => {
    const acceptance = seen(offer([tool('a')], { instructions: 'Be brief.' }))
    const changed = offer([tool('a', 'Does more.')], { instructions: 'Be brief.' })
    expect(judge(changed, acceptance).snapshot).toEqual(offer([], { instructions: 'Be brief.' }))
    const fresh = offer([tool('a', 'Does more.')], { instructions: 'Be brief.' })
    expect(judge(fresh, seen(offer([tool('a')]))).snapshot).toEqual(offer([], { instructions: 'Be brief.' }))
    const strict = judge(offer([], { instructions: 'Be brief.' }), noAcceptance, { mode: 'strict' })
    expect(strict.snapshot).toEqual(offer([]))
  })

  test('T12 accepted instructions replace others only if the lock file agrees with them', () => {
    const acceptance = seen(offer([], { instructions: 'Be brief.' }))
    const lists = { tools: new Map(), prompts: new Map(), templates: new Map(), skills: new Map() }
    const shown = (instructions: string) =>
      judge(offer([], { instructions: 'Be loud.' }), acceptance, {
        lock: { ...lists, instructions: hashDefinition(instructions) },
      }).snapshot.instructions
    expect([shown('Be brief.'), shown('Be quiet.')]).toEqual(['Be brief.', undefined])
    const stored = { ...acceptance, instructions: { ...acceptance.instructions!, definition: {} } }
    expect(judge(offer([], { instructions: 'Be loud.' }), stored).snapshot).toEqual(offer([]))
  })

  test('T12 each list loses only what is held of its kind', () => {
    const first = offer([tool('x'), tool('a')], {
      prompts: [{ name: 'x' }, { name: 'a' }],
      resourceTemplates: [{ uriTemplate: 'x' }, { uriTemplate: 'a' }],
      skills: [{ uri: 'x' }, { uri: 'a' }],
    })
    const acceptance = seen(first)
    const title = 'Changed'
    const changes: Partial<Offers>[] = [
      { tools: [tool('x', title), tool('a')] },
      { prompts: [{ name: 'x', title }, { name: 'a' }] },
      { resourceTemplates: [{ uriTemplate: 'x', title }, { uriTemplate: 'a' }] },
      { skills: [{ uri: 'x', title }, { uri: 'a' }] },
    ]
    for (const change of changes) {
      const [[key, list]] = Object.entries(change) as [[string, JsonObject[]]]
      expect(judge({ ...first, ...change }, acceptance).snapshot).toEqual({ ...first, [key]: [list[1]] })
    }
  })

  test('T12 a name with two definitions is held, whatever was accepted', () => {
    const two = offer([tool('a')], { conflicts: [tool('a', 'Does more.')] })
    const [fresh] = judge(two).held
    expect(fresh).toMatchObject({
      reason: 'scan',
      current: {
        hash: hashDefinition(tool('a', 'Does more.')),
        definition: tool('a', 'Does more.'),
      },
    })
    expect(fresh?.findings.map(({ rule }) => rule)).toContain('DRF-004')
    const [known] = judge(two, seen(offer([tool('a')])), { findingsOf: () => [finding('low', 'a')] }).held
    expect(known).toMatchObject({ reason: 'changed' })
    expect(known?.findings.at(-1)).toEqual(finding('low', 'a'))
  })

  describe('T12 the lock file', () => {
    const lists = { tools: new Map(), prompts: new Map(), templates: new Map(), skills: new Map() }

    test('T12 what it does not have is held with the accepted hash, its changes and its note', () => {
      const acceptance = seen(offer([tool('a')]))
      const lock = { ...lists, note: 'It runs another version.' }
      expect(judge(offer([tool('a')]), acceptance, { lock }).held).toEqual([
        {
          kind: 'tool',
          name: 'a',
          reason: 'lock',
          accepted: acceptance.tools.get('a'),
          current: { hash: hashDefinition(tool('a')), definition: tool('a') },
          findings: [],
          note: 'It runs another version.',
        },
      ])
      const found = [finding('low', 'a')]
      const changed = judge(offer([tool('a', 'Does more.')]), acceptance, {
        lock: lists,
        findingsOf: () => found,
      }).held
      expect(changed).toMatchObject([{ reason: 'lock' }])
      expect(changed[0]).not.toHaveProperty('note')
      expect(changed[0]?.findings.at(-1)).toEqual(found[0])
      expect(changed[0]?.findings.length).toBeGreaterThan(1)
      expect(
        judge(offer([tool('b')]), undefined, { lock: lists, findingsOf: () => found }).held,
      ).toMatchObject([{ reason: 'lock', findings: found }])
    })

    test('T12 instructions are compared with its instructions', () => {
      const lock = { ...lists, instructions: hashDefinition('Be brief.') }
      expect(judge(offer([], { instructions: 'Be brief.' }), undefined, { lock }).held).toEqual([])
      expect(judge(offer([], { instructions: 'Be loud.' }), undefined, { lock }).held).toMatchObject([
        { kind: 'instructions', reason: 'lock' },
      ])
    })

    test('T12 apps count only if it says something about apps', () => {
      const apps = [{ uri: 'ui://a' }]
      const reasons = (lock: JudgeInput<Offers>['lock']) =>
        judge(offer([], { apps }), undefined, { lock }).held.map(({ reason }) => reason)
      expect(reasons(lists)).toEqual([])
      expect(reasons({ ...lists, apps: new Map() })).toEqual(['lock'])
      expect(reasons({ ...lists, apps: new Map([['ui://a', hashDefinition(apps[0]!)]]) })).toEqual([])
    })
  })

  describe('T12 a rejection', () => {
    const rejection = { kind: 'tool', name: 'a', hash: hashDefinition(tool('a')), at: now } as const

    test('T12 of another kind or name says nothing', () => {
      for (const other of [
        { ...rejection, kind: 'prompt' as const },
        { ...rejection, name: 'b' },
      ])
        expect(judge(offer([tool('a')]), { ...noAcceptance, rejected: [other] }).held).toEqual([])
    })

    test('T12 of a changed definition is named before what changed', () => {
      const changed = tool('a', 'Does more.')
      const rejected = [{ ...rejection, hash: hashDefinition(changed) }]
      const acceptance = { ...seen(offer([tool('a')])), rejected }
      expect(judge(offer([changed]), acceptance).held).toMatchObject([{ reason: 'rejected' }])
    })
  })

  test('T12 beyond the accepted names that are kept, what is new is held', () => {
    const [accepted] = seen(offer([tool('a')])).tools.values()
    const full = (count: number) => ({
      ...noAcceptance,
      tools: new Map(Array.from({ length: count }, (_, n) => [`t${n}`, accepted!])),
    })
    const held = (count: number, more: Partial<Offers> = {}) =>
      judge(offer([tool('new', 'Is new.')], more), full(count)).held.map(({ name, reason }) => [name, reason])
    expect([held(19_999), held(20_000)]).toEqual([[], [['new', 'added']]])
    expect(held(19_999, { instructions: 'Be brief.' })).toEqual([])
  })
})

describe('T12 an offer under another name', () => {
  const before = offer([tool('delete_note', 'Deletes.'), tool('b')], { prompts: [{ name: 'p' }] })
  const acceptance = seen(before)
  const renamed = (offered: Offers, known = acceptance) =>
    judge(offered, known).held.map(({ name, reason, renamedFrom }) => [name, reason, renamedFrom])

  test('T12 is held as renamed if only the name differs, or the name looks the same', () => {
    const same = offer([tool('remove_note', 'Deletes.'), tool('b')])
    expect(renamed(same)).toEqual([['remove_note', 'renamed', 'delete_note']])
    expect(judge(same, acceptance).held[0]?.accepted).toEqual(acceptance.tools.get('delete_note'))
    const alike = offer([tool('delete-note', 'Deletes all.'), tool('b')])
    expect(renamed(alike)).toEqual([['delete-note', 'renamed', 'delete_note']])
  })

  test('T12 is new while the earlier one is offered too, or if it is of another kind', () => {
    expect(renamed(offer([...before.tools, tool('remove_note', 'Deletes.')]))).toEqual([])
    const alike = offer([tool('remove_note', 'Deletes.'), tool('b')], {
      prompts: [{ name: 'p' }, { name: 'delete_note' }],
    })
    expect(renamed(alike)).toEqual([['remove_note', 'renamed', 'delete_note']])
    const prompts = [{ name: 'p' }, tool('remove_note', 'Deletes.')]
    expect(renamed(offer([tool('b')], { prompts }))).toEqual([])
  })

  test('T12 that was rejected is held as rejected, with the earlier name', () => {
    const fresh = tool('remove_note', 'Deletes.')
    const rejected = [{ kind: 'tool', name: 'remove_note', hash: hashDefinition(fresh), at: now }] as const
    expect(renamed(offer([fresh, tool('b')]), { ...acceptance, rejected })).toEqual([
      ['remove_note', 'rejected', 'delete_note'],
    ])
  })

  test('T12 of an app is new: apps are read one by one', () => {
    const apps = seen(offer([], { apps: [{ uri: 'ui://a' }] }))
    expect(renamed(offer([], { apps: [{ uri: 'ui://b' }] }), apps)).toEqual([])
  })

  test('T12 a number that no double holds is compared as it is written to a file', () => {
    const huge = (name: string): JsonObject =>
      JSON.parse(`{"name":"${name}","inputSchema":{"type":"object","default":1e999}}`)
    expect(renamed(offer([huge('two')]), seen(offer([huge('one')])))).toEqual([['two', 'renamed', 'one']])
  })
})

describe('T12 removedOffers', () => {
  const all = offer([tool('a')], {
    prompts: [{ name: 'p' }],
    resourceTemplates: [{ uriTemplate: 't' }],
    skills: [{ uri: 'skill://a' }],
    instructions: 'Be brief.',
  })
  const acceptance = seen(all)
  const named = (offers: Parameters<typeof removedOffers>[0], held?: Parameters<typeof removedOffers>[2]) =>
    removedOffers(offers, acceptance, held).map(({ kind, name }) => `${kind} ${name}`)

  test('T12 names what was accepted and is gone, if its list was answered', () => {
    expect(named(all)).toEqual([])
    expect(named(offer([]))).toEqual(['instructions ', 'tool a'])
    const marks = { prompts: 1, resourceTemplates: 1, skills: 1 }
    expect(named({ ...offer([]), marks })).toEqual([
      'instructions ',
      'tool a',
      'prompt p',
      'template t',
      'skill skill://a',
    ])
    expect(removedOffers(offer([]), acceptance)[1]).toEqual({
      kind: 'tool',
      name: 'a',
      accepted: acceptance.tools.get('a'),
    })
    expect(removedOffers(offer([]), noAcceptance)).toEqual([])
  })

  test('T12 a name that is held as renamed is not gone', () => {
    const renamed = offer([tool('z', 'Does a.')], { instructions: 'Be brief.' })
    const { held } = judge(renamed, acceptance)
    expect(held).toMatchObject([{ renamedFrom: 'a' }])
    expect(named(renamed, held)).toEqual([])
    expect(named(renamed)).toEqual(['tool a'])
    expect(named(renamed, [{ ...held[0]!, kind: 'prompt' }])).toEqual(['tool a'])
  })
})
