import { expect, test } from 'vitest'
import { openLogin, sealLogin } from './login-seal.ts'

const secret = 'a secret of at least 32 characters'

test('a login is opened only with the same secret, for the same row, and unchanged', () => {
  const sealed = sealLogin('{"access":"token"}', 'row', secret)
  expect(openLogin(sealed, 'row', secret)).toBe('{"access":"token"}')
  expect(openLogin(sealed, 'other', secret)).toBeUndefined()
  expect(openLogin(sealed, 'row', `${secret}!`)).toBeUndefined()
  const end = sealed.endsWith('A') ? 'B' : 'A'
  for (const wrong of [
    sealed.slice(0, -2) + end + end,
    sealed.slice(0, 20),
    '',
    'v1.',
    `v2.${sealed.slice(3)}`,
  ])
    expect(openLogin(wrong, 'row', secret)).toBeUndefined()
})

test('equal logins are sealed to different texts, which hold nothing of them', () => {
  const [one, other] = [sealLogin('token', 'row', secret), sealLogin('token', 'row', secret)]
  expect(one).not.toBe(other)
  expect(Buffer.from(one.slice(3), 'base64url').toString('latin1')).not.toContain('token')
})
