import { describe, expect, test } from 'vitest'
import { hashDefinition } from '../model/definition/canonical-definition.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance } from './acceptance.ts'
import { areAllAccepted, hashOffered, listOffers } from './offered-list.ts'
import type { Offers } from './offered-list.ts'

const at = '2026-11-17T00:00:00.000Z'
const none: Offers = { tools: [], prompts: [], resourceTemplates: [] }
const a = { name: 'a', description: 'Does a.' }

describe('T12 listOffers', () => {
  test('names each kind by what identifies it', () => {
    const offers: Offers = {
      tools: [a],
      prompts: [{ name: 'p' }],
      resourceTemplates: [{ uriTemplate: 'file:///{path}' }],
      apps: [{ uri: 'ui://a' }],
      skills: [{ uri: 'skill://a' }],
      instructions: 'Be brief.',
    }
    expect(listOffers(offers)).toEqual([
      { kind: 'instructions', name: '', sent: 'Be brief.' },
      { kind: 'tool', name: 'a', sent: a },
      { kind: 'prompt', name: 'p', sent: { name: 'p' } },
      { kind: 'template', name: 'file:///{path}', sent: { uriTemplate: 'file:///{path}' } },
      { kind: 'app', name: 'ui://a', sent: { uri: 'ui://a' } },
      { kind: 'skill', name: 'skill://a', sent: { uri: 'skill://a' } },
    ])
  })

  test('empty instructions are none', () => {
    expect(listOffers({ ...none, instructions: '' })).toEqual([])
  })

  test('a name with two definitions keeps both; one that is sent twice is one', () => {
    const other = { ...a, description: 'Does b.' }
    const conflicting = [{ kind: 'tool', name: 'a', sent: a, conflicting: other }]
    expect(listOffers({ ...none, tools: [a, other] })).toEqual(conflicting)
    expect(listOffers({ ...none, tools: [a], conflicts: [other] })).toEqual(conflicting)
    expect(listOffers({ ...none, tools: [a, { ...a, icons: [] }] })).toEqual([
      { kind: 'tool', name: 'a', sent: a },
    ])
  })
})

test('T12 hashOffered: of a tool with a masked secret, the hash of what was sent counts', () => {
  const hashes = { a: 'sha256:sent' }
  const hashOf = (kind: 'tool' | 'prompt', name: string) =>
    hashOffered({ kind, name, sent: a }, { ...none, hashes })
  expect(hashOf('tool', 'a')).toBe('sha256:sent')
  expect([hashOf('prompt', 'a'), hashOf('tool', 'b'), hashOf('tool', 'constructor')]).toEqual([
    hashDefinition(a),
    hashDefinition(a),
    hashDefinition(a),
  ])
})

describe('T12 areAllAccepted', () => {
  const accepted = { hash: hashDefinition(a), definition: a, at, how: 'added' } as const
  const acceptance: Acceptance = { ...noAcceptance, tools: new Map([['a', accepted]]) }

  test('every offer has to be accepted', () => {
    expect(areAllAccepted({ ...none, tools: [a] }, acceptance)).toBe(true)
    expect(areAllAccepted(none, acceptance)).toBe(true)
    expect(areAllAccepted({ ...none, tools: [a, { name: 'b' }] }, acceptance)).toBe(false)
    expect(areAllAccepted({ ...none, tools: [a], instructions: 'Be brief.' }, acceptance)).toBe(false)
  })

  test('the same definition or the same hash is enough', () => {
    const masked: Acceptance = {
      ...noAcceptance,
      tools: new Map([['a', { ...accepted, definition: { name: 'a', description: '***' } }]]),
    }
    expect(areAllAccepted({ ...none, tools: [a] }, masked)).toBe(true)
    const replaced: Acceptance = {
      ...noAcceptance,
      tools: new Map([['a', { ...accepted, hash: 'sha256:earlier' }]]),
    }
    expect(areAllAccepted({ ...none, tools: [a] }, replaced)).toBe(true)
    expect(areAllAccepted({ ...none, tools: [{ ...a, title: 'A' }] }, acceptance)).toBe(false)
  })

  test('a second definition of the name is never accepted', () => {
    expect(areAllAccepted({ ...none, tools: [a], conflicts: [{ name: 'a' }] }, acceptance)).toBe(false)
  })
})
