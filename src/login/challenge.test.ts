import { assert, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { parseChallenge, toScopes } from './challenge.ts'

test('parseChallenge: finds the known scheme among several, with quoted and bare values in any order', () => {
  const headers = [
    'Bearer resource_metadata="https://x.example/.well-known/oauth-protected-resource", scope="a b"',
    'Basic realm="x, y", Bearer error="insufficient_scope",scope=write , error_description="say \\"please\\""',
    'bearer',
    'DPoP algs="ES256", error="use_dpop_nonce"',
    'Bearer realm="scope=\\"not this\\""',
    'Negotiate',
    '',
    undefined,
  ]
  expect(headers.map(parseChallenge)).toEqual([
    {
      scheme: 'bearer',
      resourceMetadata: 'https://x.example/.well-known/oauth-protected-resource',
      scopes: ['a', 'b'],
    },
    { scheme: 'bearer', error: 'insufficient_scope', scopes: ['write'] },
    { scheme: 'bearer' },
    { scheme: 'dpop', error: 'use_dpop_nonce' },
    { scheme: 'bearer' },
    undefined,
    undefined,
    undefined,
  ])
})

test('parseChallenge: does not throw or hang on any header', () => {
  assert(property(string({ maxLength: 300 }), (text) => void parseChallenge(`Bearer ${text}`)))
  expect(parseChallenge(`Bearer x="${'\\'.repeat(100_000)}`)).toBeDefined()
  expect(parseChallenge(`Bearer ${'a='.repeat(50_000)}`)).toBeDefined()
})

test('toScopes: keeps valid scopes only, each once', () => {
  expect(toScopes('read  write read "evil" \u001b[2J a:b/c')).toEqual(
    ['read', 'write', '\u001b[2J', 'a:b/c'].filter((each) => !each.startsWith('\u001b')),
  )
})
