import { describe, expect, test } from 'vitest'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance, AcceptedOffer } from './acceptance.ts'
import { parseAcceptance, toAcceptanceText } from './acceptance-text.ts'

const owner = { account: 'dana' }
const at = '2026-11-17T00:00:00.000Z'
const offer: AcceptedOffer = { hash: 'sha256:1', definition: { name: 'a' }, at, how: 'first-sight' }
const finding = {
  rule: 'INJ-001',
  severity: 'high',
  subject: { kind: 'tool', server: 's', name: 'a' },
  pointer: '/description',
  message: 'm',
  remedy: 'r',
} as const
const record = { rules: '7', findings: [finding] }
const full: Acceptance = {
  instructions: { ...offer, definition: 'Be brief.', how: 'added' },
  tools: new Map([
    ['a', offer],
    ['__proto__', { ...offer, how: 'person' }],
  ]),
  prompts: new Map([['p', { ...offer, how: 'carried' }]]),
  templates: new Map([['file:///{path}', offer]]),
  apps: new Map([['ui://a', offer]]),
  skills: new Map([['skill://a', offer]]),
  resources: new Map([['file:///a', offer]]),
  resourceScan: { hash: 'sha256:9', ...record },
  rejected: (['tool', 'prompt', 'template', 'app', 'skill', 'resource', 'instructions'] as const).map(
    (kind) => ({ kind, name: 'b', hash: 'sha256:2', at }),
  ),
  scans: new Map([['sha256:3', record]]),
}

/** What is read from a text in which one place was replaced; a place without a value was removed. */
function readWith(path: readonly (string | number)[], value?: unknown): Acceptance | undefined {
  const written = JSON.parse(toAcceptanceText(full, owner))
  const inner = path.slice(0, -1).reduce((found, key) => found[key], written)
  if (value === undefined) delete inner[path.at(-1) as string]
  else inner[path.at(-1) as string] = value
  return parseAcceptance(JSON.stringify(written), owner)
}

describe('T12 the text of an acceptance', () => {
  test('is read as it was written', () => {
    expect(parseAcceptance(toAcceptanceText(full, owner), owner)).toEqual(full)
    expect(parseAcceptance(toAcceptanceText(noAcceptance, owner), owner)).toEqual(noAcceptance)
  })

  test('has a version, the account, and no key for what is empty, as earlier versions wrote it', () => {
    expect(JSON.parse(toAcceptanceText(noAcceptance, owner))).toEqual({
      version: 1,
      account: 'dana',
      tools: [],
      prompts: [],
      templates: [],
      rejected: [],
      scans: [],
    })
  })

  test('of another account, of another version, or that is no object is not read', () => {
    expect(parseAcceptance(toAcceptanceText(full, owner), { account: 'eve' })).toBeUndefined()
    expect([readWith(['version'], 2), readWith(['version']), readWith(['account'])]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    for (const text of ['', '{', 'null', '[]', '"x"']) expect(parseAcceptance(text, owner)).toBeUndefined()
  })

  test.each(['tools', 'prompts', 'templates', 'rejected'])('without %s is not read', (key) => {
    expect(readWith([key])).toBeUndefined()
    expect(readWith([key], {})).toBeUndefined()
  })

  test.each(['apps', 'skills', 'resources'])('of a version that did not know %s has none', (key) => {
    expect(readWith([key])).toEqual({ ...full, [key]: new Map() })
    expect(readWith([key], {})).toBeUndefined()
  })

  test('without instructions has none; with instructions that cannot be read, it is not read', () => {
    const { instructions: _, ...rest } = full
    expect(readWith(['instructions'])).toEqual(rest)
    expect(readWith(['instructions'], 'Be brief.')).toBeUndefined()
  })

  test.each(['tools', 'prompts', 'templates', 'apps', 'skills', 'resources'])(
    'with one offer in %s that cannot be read is not read: a part of it would hold what was accepted',
    (list) => {
      expect(readWith([list, 0, 'name'], 7)).toBeUndefined()
      expect(readWith([list, 0, 'hash'], 7)).toBeUndefined()
      expect(readWith([list, 0, 'at'], 7)).toBeUndefined()
      expect(readWith([list, 0, 'how'], 'by itself')).toBeUndefined()
      expect(readWith([list, 0, 'definition'], 7)).toBeUndefined()
      expect(readWith([list, 0], 'a')).toBeUndefined()
    },
  )

  test.each(['name', 'hash', 'at'])('with a rejection whose %s is no text is not read', (key) => {
    expect(readWith(['rejected', 1, key], 7)).toBeUndefined()
  })

  test('with a rejection of an unknown kind is not read', () => {
    expect(readWith(['rejected', 1, 'kind'], 'widget')).toBeUndefined()
    expect(readWith(['rejected', 1, 'kind'])).toBeUndefined()
    expect(readWith(['rejected', 1], 'tool')).toBeUndefined()
  })

  describe('what the scanner found is only a record: one that cannot be read is left out', () => {
    test.each([
      ['hash', 7],
      ['rules', 7],
      ['findings', {}],
    ])('a record whose %s is %j', (key, value) => {
      expect(readWith(['scans', 0, key], value)).toEqual({ ...full, scans: new Map() })
      const { resourceScan: _, ...rest } = full
      expect(readWith(['resourceScan', key], value)).toEqual(rest)
    })

    test.each(['rule', 'pointer', 'message', 'remedy', 'severity', 'subject'])(
      'a record with a finding whose %s cannot be read',
      (key) => {
        const damaged = { ...finding, [key]: 7 }
        expect(readWith(['scans', 0, 'findings'], [finding, damaged])).toEqual({ ...full, scans: new Map() })
      },
    )

    test('a list that is none, an item that is none, and a finding that is none', () => {
      expect(readWith(['scans'], {})).toEqual({ ...full, scans: new Map() })
      expect(readWith(['scans', 0], 'x')).toEqual({ ...full, scans: new Map() })
      expect(readWith(['scans', 0, 'findings'], ['x'])).toEqual({ ...full, scans: new Map() })
    })
  })
})
