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
})
