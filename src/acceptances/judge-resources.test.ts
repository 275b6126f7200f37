import { expect, test } from 'vitest'
import { hashDefinition } from '../model/definition/canonical-definition.ts'
import type { Finding, Severity } from '../model/finding.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance } from './acceptance.ts'
import { isCritical, withSkillHeld } from './hold-skill.ts'
import { judgeResources } from './judge-resources.ts'
import { rulesVersion } from '../scan/rules-version.ts'

const at = '2026-11-17T00:00:00.000Z'
const bad = { uri: 'file:///bad', name: 'bad' }
const good = { uri: 'file:///good', name: 'good' }
const hash = hashDefinition(bad)

function finding(severity: Severity, name?: string): Finding {
  const subject = { kind: 'resource', server: 's', ...(name !== undefined && { name }) } as const
  return { rule: 'INJ-001', severity, subject, pointer: '', message: 'm', remedy: 'r' }
}

function judge(findings: readonly Finding[], acceptance?: Acceptance, counted = findings) {
  return judgeResources({
    resources: [good, bad],
    acceptance,
    findings,
    counted: (found) => found.filter((each) => counted.includes(each)),
  })
}

test.each(['high', 'critical'] as const)(
  'T11 a resource with a finding that is %s is held, with its findings alone',
  (severity) => {
    const own = [finding('low', bad.uri), finding(severity, bad.uri)]
    expect(judge([...own, finding('medium', good.uri)])).toEqual([
      { kind: 'resource', name: bad.uri, reason: 'scan', current: { hash, definition: bad }, findings: own },
    ])
  },
)

test('T11 a resource with milder findings, or with findings that a person ignores, is shown', () => {
  expect(judge([finding('medium', bad.uri)])).toEqual([])
  expect(judge([finding('high', bad.uri)], undefined, [])).toEqual([])
  expect(judge([finding('high')])).toEqual([])
})

test('T11 a finding about no name is about resources without an address', () => {
  const nameless = { name: 'x' }
  const findings = [finding('high')]
  const held = judgeResources({
    resources: [nameless, good],
    acceptance: undefined,
    findings,
    counted: (found) => found,
  })
  expect(held).toMatchObject([{ name: '', reason: 'scan', findings }])
})

test('T12 a person accepts exactly the definition that was found bad', () => {
  const accepted = { hash, definition: bad, at, how: 'person' } as const
  const resources = new Map([[bad.uri, accepted]])
  expect(judge([finding('high', bad.uri)], { ...noAcceptance, resources })).toEqual([])
  const earlier = new Map([[bad.uri, { ...accepted, hash: 'sha256:earlier' }]])
  expect(judge([finding('high', bad.uri)], { ...noAcceptance, resources: earlier })).toMatchObject([
    { reason: 'scan' },
  ])
})

test('T12 a resource that a person rejected is held as rejected', () => {
  const rejection = { kind: 'resource', name: bad.uri, hash, at } as const
  const reasonWith = (rejected: Acceptance['rejected']) =>
    judge([finding('high', bad.uri)], { ...noAcceptance, rejected }).map(({ reason }) => reason)
  expect(reasonWith([rejection])).toEqual(['rejected'])
  expect(reasonWith([{ ...rejection, kind: 'tool' }])).toEqual(['scan'])
  expect(reasonWith([{ ...rejection, hash: 'sha256:other' }])).toEqual(['scan'])
})

test('T11 withSkillHeld: a skill that was accepted without its text is not accepted any more', () => {
  const accepted = { hash, definition: bad, at, how: 'added' } as const
  const findings = [finding('high', 'skill://a')]
  const before: Acceptance = {
    ...noAcceptance,
    skills: new Map([
      ['skill://a', accepted],
      ['skill://b', accepted],
    ]),
    scans: new Map([['sha256:1', { rules: '1', findings: [] }]]),
  }
  expect(withSkillHeld(before, { uri: 'skill://a', hash, findings })).toEqual({
    ...before,
    skills: new Map([['skill://b', accepted]]),
    scans: new Map([...before.scans, [hash, { rules: rulesVersion, findings }]]),
  })
  expect(before.skills.size).toBe(2)
})

test('T11 isCritical: one finding is enough, and a high one is not', () => {
  expect(isCritical([finding('low'), finding('critical')])).toBe(true)
  expect(isCritical([finding('high')])).toBe(false)
})
