import { afterEach, describe, expect, test } from 'vitest'
import { createKeySecret } from '../../../internal.ts'
import type { Caller } from '../../../internal.ts'
import { createCallerCheck } from './check-caller.ts'
import type { CallerChecks } from './check-caller.ts'
import { KeyRing } from './key-ring.ts'

const rings: KeyRing[] = []
afterEach(() => Promise.all(rings.splice(0).map((each) => each.close())))

const { secret, kept } = createKeySecret()
const { secret: expired, kept: old } = createKeySecret()
const createdAt = '2026-01-01T00:00:00.000Z'
const never = () => Promise.reject(new Error('nothing is written here'))

function checkWith(more: Partial<CallerChecks> = {}) {
  const list = async () => [
    { name: 'ci', ...kept, createdAt, views: ['ours'] },
    { name: 'old', ...old, createdAt, expiresAt: createdAt },
  ]
  const open = async () => ({ list, add: never, replace: never, remove: never, close: async () => undefined })
  const keys = new KeyRing({ open, warn: () => undefined })
  rings.push(keys)
  const check = createCallerCheck({ token: 'own-token', keys, tokens: () => undefined, ...more })
  return (authorization: string | undefined) => check(authorization, () => ['https://mcp.example/mcp'])
}

const notValid = { refused: 'The token or key is not valid here.', isBad: true }

describe('createCallerCheck', () => {
  test.each([
    [undefined, false],
    ['', false],
    ['Bearer', true],
    ['Bearer ', true],
    ['Basic own-token', true],
    ['Bearer own token', true],
    ['x Bearer own-token', true],
    ['Bearer own-tokén', true],
  ])('the header %j proves nothing; it is a bad one: %s', async (header, isBad) => {
    const refused = 'A request needs the header "Authorization: Bearer …" with a token or a key.'
    expect(await checkWith()(header)).toEqual({ refused, isBad })
  })

  test('the token of the person who started the gateway is the owner, in any case of the scheme', async () => {
    const owner = { caller: { id: 'owner', name: 'owner', kind: 'owner' } }
    expect(await checkWith()('Bearer own-token')).toEqual(owner)
    expect(await checkWith()('bearer  own-token')).toEqual(owner)
    expect(await checkWith()('Bearer own-token2')).toEqual(notValid)
    expect(await checkWith({ token: undefined })('Bearer own-token')).toEqual(notValid)
  })

  test('a key is the caller of its name with its views; an expired one and an unknown one are refused', async () => {
    const check = checkWith()
    expect(await check(`Bearer ${secret}`)).toEqual({
      caller: { id: `key:${kept.id}`, name: 'ci', kind: 'key', views: ['ours'] },
    })
    expect(await check(`Bearer ${expired}`)).toEqual({ refused: 'The key has expired.', isBad: true })
    expect(await check(`Bearer ${createKeySecret().secret}`)).toEqual(notValid)
  })

  test('what has the form of a signed token is judged by the issuers, with the audiences of the address', async () => {
    const asked: unknown[] = []
    const dana: Caller = { id: 'token:dana', name: 'dana', kind: 'token' }
    const check = checkWith({
      tokens:
        () =>
        (...given) => {
          asked.push(given)
          return { caller: dana }
        },
    })
    expect([await check('Bearer a.b.c'), await check('Bearer a.b.')]).toEqual([
      { caller: dana },
      { caller: dana },
    ])
    for (const other of ['a.b', '.b.c', 'a..c', 'a.b.c.d', secret]) await check(`Bearer ${other}`)
    expect(asked).toEqual([
      ['a.b.c', ['https://mcp.example/mcp']],
      ['a.b.', ['https://mcp.example/mcp']],
    ])
  })

  test('without an issuer a signed token is looked up as a key', async () => {
    expect(await checkWith()('Bearer a.b.c')).toEqual(notValid)
  })
})
