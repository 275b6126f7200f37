import { describe, expect, test } from 'vitest'
import type { Finding, Severity } from '../model/finding.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance, AcceptedOffer, HeldOffer } from './acceptance.ts'
import {
  isQuarantined,
  withAccepted,
  withAdditions,
  withForgotten,
  withRejected,
  withScans,
} from './change-acceptance.ts'

const at = '2026-11-17T00:00:00.000Z'
const first: AcceptedOffer = { hash: 'sha256:1', definition: { name: 'a' }, at, how: 'first-sight' }
const added: AcceptedOffer = { ...first, hash: 'sha256:2', how: 'added' }
const instructions: AcceptedOffer = { ...first, definition: 'Be brief.' }
const current = { hash: 'sha256:3', definition: { name: 'a', title: 'A' } }
const held: HeldOffer = { kind: 'tool', name: 'a', reason: 'changed', current, findings: [] }
const withA: Acceptance = { ...noAcceptance, tools: new Map([['a', first]]) }
const rejection = { kind: 'tool', name: 'a', hash: 'sha256:3', at } as const

function finding(rule: string, severity: Severity): Finding {
  const subject = { kind: 'tool', server: 's', name: 'a' } as const
  return { rule, severity, subject, pointer: '', message: 'm', remedy: 'r' }
}

describe('T12 withAdditions', () => {
  test.each([
    ['tool', 'tools'],
    ['prompt', 'prompts'],
    ['template', 'templates'],
    ['app', 'apps'],
    ['skill', 'skills'],
    ['resource', 'resources'],
  ] as const)('adds a %s to %s, and changes no earlier acceptance', (kind, key) => {
    const result = withAdditions(noAcceptance, [{ kind, name: 'a', offer: added }])
    expect(result).toEqual({ ...noAcceptance, [key]: new Map([['a', added]]) })
    expect(noAcceptance[key].size).toBe(0)
  })

  test('what another process accepted meanwhile stays', () => {
    const additions = [
      { kind: 'tool', name: 'a', offer: added },
      { kind: 'instructions', name: '', offer: { ...instructions, definition: 'Be loud.' } },
    ] as const
    expect(withAdditions({ ...withA, instructions }, additions)).toEqual({ ...withA, instructions })
  })

  test('at first sight, everything is added', () => {
    const addition = { kind: 'instructions', name: '', offer: instructions } as const
    expect(withAdditions(undefined, [addition])).toEqual({ ...noAcceptance, instructions })
  })
})

test('T12 withScans: only what the scanner found in definitions that are held now is kept', () => {
  const record = { rules: '1', findings: [] }
  const scans = new Map([
    ['sha256:3', record],
    ['sha256:4', record],
  ])
  expect(withScans(withA, [held], scans)).toEqual({ ...withA, scans: new Map([['sha256:3', record]]) })
})

describe('T12 withAccepted', () => {
  const accepted = { ...current, at: 'later', how: 'person' }

  test('replaces what was accepted under the name, and forgets that it was rejected', () => {
    const others = [
      { ...rejection, name: 'b' },
      { ...rejection, kind: 'prompt' as const },
    ]
    const before = { ...withA, rejected: [rejection, { ...rejection, hash: 'sha256:9' }, ...others] }
    expect(withAccepted(before, held, 'later')).toEqual({
      ...withA,
      tools: new Map([['a', accepted]]),
      rejected: others,
    })
    expect(withA.tools.get('a')).toEqual(first)
  })

  test('of a renamed offer replaces the earlier name', () => {
    const renamed: HeldOffer = { ...held, name: 'b', reason: 'renamed', renamedFrom: 'a' }
    expect(withAccepted(withA, renamed, 'later').tools).toEqual(new Map([['b', accepted]]))
  })

  test('of instructions replaces those alone', () => {
    const text: HeldOffer = { ...held, kind: 'instructions', name: '', renamedFrom: 'a' }
    expect(withAccepted({ ...withA, instructions }, text, 'later')).toEqual({
      ...withA,
      instructions: accepted,
    })
  })
})

describe('T12 withForgotten', () => {
  test('removes one name of one kind', () => {
    const before = { ...withA, instructions, prompts: new Map([['a', first]]) }
    const after = withForgotten(before, { kind: 'tool', name: 'a' })
    expect(after).toEqual({ ...before, tools: new Map() })
    expect(withForgotten(withA, { kind: 'tool', name: 'a' })).not.toHaveProperty('instructions')
  })

  test('of the instructions removes only them', () => {
    expect(withForgotten({ ...withA, instructions }, { kind: 'instructions', name: '' })).toEqual(withA)
  })
})

describe('T12 withRejected', () => {
  test('keeps one entry for a definition, the newest', () => {
    const before = { ...withA, rejected: [rejection, { ...rejection, hash: 'sha256:9' }] }
    expect(withRejected(before, held, 'later').rejected).toEqual([
      { ...rejection, hash: 'sha256:9' },
      { ...rejection, at: 'later' },
    ])
  })

  test('keeps the last thousand', () => {
    const rejected = Array.from({ length: 1000 }, (_, n) => ({ ...rejection, hash: `sha256:x${n}` }))
    const after = withRejected({ ...withA, rejected }, held, at).rejected
    expect([after.length, after[0], after.at(-1)]).toEqual([1000, rejected[1], rejection])
    const few = withRejected({ ...withA, rejected: rejected.slice(1) }, held, at).rejected
    expect([few.length, few[0]]).toEqual([1000, rejected[1]])
  })
})

test.each([
  ['INJ-001', 'critical', true],
  ['INJ-001', 'high', false],
  ['DRF-004', 'critical', true],
  ['DRF-003', 'critical', false],
] as const)('T11 isQuarantined: %s that is %s: %s', (rule, severity, expected) => {
  expect(isQuarantined({ ...held, findings: [finding('INJ-002', 'low'), finding(rule, severity)] })).toBe(
    expected,
  )
  expect(isQuarantined(held)).toBe(false)
})
