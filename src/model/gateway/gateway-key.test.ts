import { expect, test } from 'vitest'
import { createKeySecret, judgeKey, keyIdOf } from './gateway-key.ts'
import type { GatewayKey } from './gateway-key.ts'
import { maskTokens } from '../secrets/token-forms.ts'

const now = Date.parse('2026-06-01T00:00:00.000Z')
const soon = '2026-06-01T00:00:01.000Z'
const before = '2026-05-31T00:00:00.000Z'

function createKey(more: Partial<GatewayKey> = {}) {
  const { secret, kept } = createKeySecret()
  const key: GatewayKey = { name: 'ci', ...kept, createdAt: before, ...more }
  return { secret, key, byId: new Map([[key.id, key]]) }
}

test('a key is valid until it expires, and unknown if one character of it differs', () => {
  const { secret, key, byId } = createKey({ expiresAt: soon })
  expect(judgeKey(byId, secret, now)).toEqual({ kind: 'valid', key })
  expect(judgeKey(byId, secret, Date.parse(soon))).toEqual({ kind: 'expired', key })
  const wrong = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
  expect(judgeKey(byId, wrong, now)).toEqual({ kind: 'unknown' })
  expect(judgeKey(byId, '', now)).toEqual({ kind: 'unknown' })
})

test('the hash of a key is not a key, and a row without a hash opens nothing', () => {
  const { secret, key } = createKey()
  expect(judgeKey(new Map([[key.id, key]]), key.hash, now)).toEqual({ kind: 'unknown' })
  expect(judgeKey(new Map([[key.id, { ...key, hash: '' }]]), secret, now)).toEqual({ kind: 'unknown' })
  expect(judgeKey(new Map([[key.id, { ...key, hash: '00'.repeat(32) }]]), secret, now)).toEqual({
    kind: 'unknown',
  })
  expect(JSON.stringify(key)).not.toContain(secret.slice(-43))
})

test('after a rotation the old key is valid until its time, and never longer than the key itself', () => {
  const { secret: old, key } = createKey()
  const { secret, kept } = createKeySecret(key.id)
  expect(keyIdOf(secret)).toBe(keyIdOf(old))
  const rotated = { ...key, ...kept, previous: { hash: key.hash, until: soon } }
  const byId = new Map([[key.id, rotated]])
  expect([judgeKey(byId, old, now).kind, judgeKey(byId, secret, now).kind]).toEqual(['valid', 'valid'])
  expect(judgeKey(byId, old, Date.parse(soon)).kind).toBe('expired')
  expect(judgeKey(byId, secret, Date.parse(soon)).kind).toBe('valid')
  const ended = new Map([[key.id, { ...rotated, expiresAt: before }]])
  expect(judgeKey(ended, old, now).kind).toBe('expired')
})

test('a key in a text is masked by its form', () => {
  const { secret } = createKeySecret()
  expect(maskTokens(`curl -H "X: ${secret}"`, '***')).toBe('curl -H "X: ***"')
})
