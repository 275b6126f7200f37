import { describe, expect, test } from 'vitest'
import { serverOf } from '../../test/support/server.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Authority, Discovery, Server } from '../model/server.ts'
import { explain } from './explain-server.ts'

const empty: Discovery = { servers: [], shadowed: [], diagnostics: [], trust: new Map(), others: [] }
const at = (authority: Authority, file: string) =>
  serverOf('a', { origin: { authority, file, scope: authority } })
const hide = (server: Server, by: Server) => ({ server, by: by.origin })
const reasons = (discovery: Partial<Discovery>, name = 'a') =>
  explain({ ...empty, ...discovery }, name).map(({ reason }) => reason)

describe('explain', () => {
  test('returns nothing for a name that is not declared', () => {
    expect(explain({ ...empty, servers: [serverOf('b')] }, 'a')).toEqual([])
  })

  test('returns the winner with its trust, values, hidden declarations and diagnostics', () => {
    const [winner, hidden] = [at('project', '/p.json'), at('user', '/u.json')]
    const mine: Diagnostic = { code: 'missing-env', severity: 'warn', message: 'm', server: 'a' }
    const found = explain(
      {
        ...empty,
        servers: [winner, serverOf('b')],
        shadowed: [hide(hidden, winner)],
        diagnostics: [mine, { ...mine, server: 'b' }],
        trust: new Map([[winner, 'pending']]),
        resolved: new Map([[winner, { args: ['x'] }]]),
      },
      'a',
    )
    expect(found).toEqual([
      {
        name: 'a',
        winner,
        trust: 'pending',
        resolved: { args: ['x'] },
        reason: 'Of 2 declarations, this one is in force: it is the nearest declaration of the project.',
        hidden: [{ server: hidden, by: winner.origin }],
        diagnostics: [mine],
      },
    ])
  })

  test.each([
    ['explicit', 'it was named by the operator, which ranks highest'],
    ['managed', 'it is managed, which ranks above projects and users'],
    ['project', 'it is the nearest declaration of the project'],
    ['user', 'it is the user’s own'],
  ] as const)('the reason for authority %s', (authority, rank) => {
    const winner = at(authority, '/w.json')
    const shadowed = [hide(at('user', '/1.json'), winner), hide(at('user', '/2.json'), winner)]
    expect(reasons({ servers: [winner], shadowed })).toEqual([
      `Of 3 declarations, this one is in force: ${rank}.`,
    ])
  })

  test('D-16 between clients the reason is the order in which they were enabled, whatever their scopes', () => {
    const of = (source: string, authority: Authority = 'user') =>
      serverOf('a', { origin: { source, authority, scope: authority, file: `/${source}.json` } })
    const reasonOf = (winner: Server, ...others: readonly Server[]) =>
      reasons({ servers: [winner], shadowed: others.map((each) => hide(each, winner)) })
    expect([
      ...reasonOf(of('cursor'), of('windsurf')),
      ...reasonOf(of('plugboard'), of('cursor', 'project'), of('windsurf')),
      ...reasonOf(of('cursor', 'project'), of('cursor'), of('windsurf')),
      ...reasonOf(of('plugboard', 'explicit'), of('cursor')),
    ]).toEqual([
      'Of 2 declarations, this one is in force: cursor was turned on before windsurf.',
      'Of 3 declarations, this one is in force: files of plugboard come before those of cursor and windsurf.',
      'Of 3 declarations, this one is in force: it is the nearest declaration of the project, and cursor was turned on before windsurf.',
      'Of 2 declarations, this one is in force: it was named by the operator, which ranks highest.',
    ])
  })

  test('the reason for a single declaration and for a merged one', () => {
    expect(reasons({ servers: [at('user', '/u.json')] })).toEqual([
      'It is the only declaration of this name (user).',
    ])
    const joined = { ...at('project', '/p.json'), mergedFrom: [at('user', '/u.json').origin] }
    expect(reasons({ servers: [joined] })).toEqual(['It is merged from 2 layers, as plugboard does.'])
  })

  test('O1 the reason for an invalid declaration, with and without hidden ones', () => {
    const broken: Diagnostic = { code: 'missing-endpoint', severity: 'error', message: 'm', server: 'a' }
    expect(reasons({ diagnostics: [broken] })).toEqual(['It is declared, but no declaration can be used.'])
    const [claim, low] = [at('project', '/p.json'), at('user', '/u.json')]
    expect(reasons({ diagnostics: [broken], shadowed: [hide(low, claim)] })).toEqual([
      'The declaration that claims this name cannot be used, and it still hides the others.',
    ])
  })

  test('returns one explanation for each server of a repeated name', () => {
    expect(reasons({ servers: [at('user', '/1.yaml'), at('user', '/2.yaml')] })).toHaveLength(2)
  })
})
