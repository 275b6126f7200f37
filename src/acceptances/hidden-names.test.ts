import { describe, expect, test } from 'vitest'
import { sha256Hex } from '../model/canonical.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance, AcceptedOffer } from './acceptance.ts'
import { parseAcceptance } from './acceptance-text.ts'
import { hideNames, showNames } from './hidden-names.ts'
import { carryOver, toStorableText } from './storable-acceptance.ts'

const at = '2026-11-17T00:00:00.000Z'
const offer: AcceptedOffer = { hash: 'sha256:1', definition: { name: 'a' }, at, how: 'first-sight' }
const isStorable = (text: string) => !text.includes('token')
const hidden = `sha256:${sha256Hex('token')}`
const none = { tools: [], prompts: [], resourceTemplates: [] }

describe('names that hold a secret', () => {
  test.each(['tools', 'prompts', 'templates', 'apps', 'resources'] as const)(
    'are hashed in %s, and the others stay',
    (list) => {
      const named = new Map([
        ['token', offer],
        ['a', offer],
      ])
      expect(hideNames({ ...noAcceptance, [list]: named }, isStorable)).toEqual({
        ...noAcceptance,
        [list]: new Map([
          [hidden, offer],
          ['a', offer],
        ]),
      })
    },
  )

  test('are hashed where they were rejected', () => {
    const rejected = [{ kind: 'tool', name: 'token', hash: 'sha256:2', at }] as const
    expect(hideNames({ ...noAcceptance, rejected }, isStorable).rejected).toEqual([
      { ...rejected[0], name: hidden },
    ])
  })

  test.each([
    ['tools', { tools: [{ name: 'token' }] }],
    ['prompts', { prompts: [{ name: 'token' }] }],
    ['templates', { resourceTemplates: [{ uriTemplate: 'token' }] }],
    ['resources', { resources: [{ uri: 'token' }] }],
  ] as const)('are shown again in %s for a server that offers them', (list, offers) => {
    const stored: Acceptance = { ...noAcceptance, [list]: new Map([[hidden, offer]]) }
    expect(showNames(stored, { ...none, ...offers })).toEqual({
      ...noAcceptance,
      [list]: new Map([['token', offer]]),
    })
    expect(showNames(stored, none)).toEqual(stored)
  })

  test('are shown again where they were rejected', () => {
    const rejection = { kind: 'tool', name: hidden, hash: 'sha256:2', at } as const
    const shown = showNames(
      { ...noAcceptance, rejected: [rejection] },
      { ...none, tools: [{ name: 'token' }] },
    )
    expect(shown.rejected).toEqual([{ ...rejection, name: 'token' }])
  })

  test('an acceptance without hashed names stays the same one', () => {
    const acceptance: Acceptance = { ...noAcceptance, tools: new Map([['a', offer]]) }
    expect(showNames(acceptance, { ...none, tools: [{ name: 'a' }] })).toBe(acceptance)
  })
})

describe('T12 toStorableText', () => {
  const record = { rules: '1', findings: [] }
  const acceptance: Acceptance = {
    ...noAcceptance,
    instructions: { ...offer, definition: 'Use token 1.' },
    tools: new Map([
      ['a', offer],
      ['b', { ...offer, definition: { name: 'b', note: 'token' } }],
      ['token', offer],
    ]),
    prompts: new Map([['p', { ...offer, definition: { note: 'token' } }]]),
    templates: new Map([['t', { ...offer, definition: { note: 'token' } }]]),
    apps: new Map([['ui://a', { ...offer, definition: { note: 'token' } }]]),
    resources: new Map([['file:///a', { ...offer, definition: { note: 'token' } }]]),
    resourceScan: { hash: 'sha256:9', ...record },
    scans: new Map([['sha256:3', record]]),
  }
  const read = (text: string) => parseAcceptance(text, { account: '' })

  test('a text without a secret is stored whole', () => {
    expect(read(toStorableText(acceptance, { account: '' }, () => true))).toEqual(acceptance)
  })

  test('where there is a secret, definitions with one are stored by their hash, names hashed, and no findings', () => {
    const bare = { ...offer, definition: {} }
    const text = toStorableText(acceptance, { account: '' }, isStorable)
    expect(text).not.toContain('token')
    expect(read(text)).toEqual({
      ...noAcceptance,
      instructions: bare,
      tools: new Map([
        ['a', offer],
        ['b', bare],
        [hidden, offer],
      ]),
      prompts: new Map([['p', bare]]),
      templates: new Map([['t', bare]]),
      apps: new Map([['ui://a', bare]]),
      resources: new Map([['file:///a', bare]]),
    })
  })
})

test('T12 carryOver: everything that an earlier declaration offered counts as carried', () => {
  const lists = ['tools', 'prompts', 'templates', 'apps', 'resources'] as const
  const before: Acceptance = {
    ...noAcceptance,
    ...Object.fromEntries(lists.map((list) => [list, new Map([['a', offer]])])),
    instructions: offer,
  }
  const carried = { ...offer, how: 'carried' }
  expect(carryOver(before)).toEqual({
    ...noAcceptance,
    ...Object.fromEntries(lists.map((list) => [list, new Map([['a', carried]])])),
    instructions: carried,
  })
  expect(carryOver(noAcceptance)).toEqual(noAcceptance)
})
