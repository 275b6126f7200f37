import { expect, test } from 'vitest'
import { callerOfClaims } from './claim-rules.ts'
import type { ClaimRule } from './claim-rules.ts'

const issuer = 'https://login.example.com'
const viewsFor = (claims: ClaimRule['claims'], given: object) =>
  callerOfClaims({ issuer, rules: [{ claims, views: ['a'] }] }, { sub: 's', ...given })?.views

test.each([
  [{}, {}, ['a']],
  [{ groups: 'eng-*' }, { groups: ['x', 'eng-1'] }, ['a']],
  [{ groups: ['x', 'eng-*'] }, { groups: 'eng-1' }, ['a']],
  [{ groups: 'eng-*' }, { groups: ['x'] }, undefined],
  [{ groups: '*' }, {}, undefined],
  [{ groups: [] }, { groups: ['x'] }, undefined],
  [{ groups: 'x', email: '*@example.com' }, { groups: ['x'], email: 'a@other.com' }, undefined],
  [{ scope: 'read' }, { scope: 'openid read' }, ['a']],
  [{ scope: 'read' }, { scope: 'readonly' }, undefined],
  [{ 'realm_access.roles': 'dev' }, { realm_access: { roles: ['dev'] } }, ['a']],
  [{ 'https://example.com/roles': 'dev' }, { 'https://example.com/roles': ['dev'] }, ['a']],
  [{ 'constructor.name': '*' }, {}, undefined],
  [{ email_verified: 'true' }, { email_verified: true }, ['a']],
  [{ groups: '*' }, { groups: { a: 'x' } }, undefined],
])('a rule for %j opens its view to claims with %j: %j', (claims, given, views) => {
  expect(viewsFor(claims, given)).toEqual(views)
})

test('the views of all rules that match count together, and "all" is everything', () => {
  const rules: readonly ClaimRule[] = [
    { claims: { g: '1' }, views: ['a', 'b'] },
    { claims: { g: '2' }, views: ['b', 'c'] },
    { claims: { g: '3' }, views: 'all' },
  ]
  const callerFor = (g: readonly string[]) => callerOfClaims({ issuer, rules }, { sub: 's', g, exp: 2 })
  const id = 'token:["https://login.example.com","s"]'
  expect(callerFor(['1', '2'])).toEqual({ id, name: 's', kind: 'token', views: ['a', 'b', 'c'], until: 2000 })
  expect(callerFor(['1', '3'])).toEqual({ id, name: 's', kind: 'token', until: 2000 })
  expect(callerFor(['4'])).toBeUndefined()
})

test('a caller has the name that a claim gives, and its subject where there is none', () => {
  const named = { issuer, name: 'email', rules: [{ claims: {}, views: 'all' as const }] }
  expect(callerOfClaims(named, { sub: 's', email: 'dana@example.com' })?.name).toBe('dana@example.com')
  expect(callerOfClaims(named, { sub: 's', email: 7 })?.name).toBe('s')
})
