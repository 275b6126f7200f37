import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import type { JsonWebKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { readClaims, clientAssertion, createProofKey, createProof, readDisplayName } from './jwt.ts'

const now = 1_800_000_000_000

test('clientAssertion: signs with RSA, PSS, EC and Ed25519 keys', () => {
  const kinds = [
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'sha256'],
    ['PS256', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'sha256'],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sha256'],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'sha384'],
    ['EdDSA', generateKeyPairSync('ed25519'), null],
  ] as const
  for (const [algorithm, { privateKey, publicKey }, hash] of kinds) {
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const token = clientAssertion({
      clientId: 'me',
      audience: 'https://issuer',
      privateKey: pem,
      algorithm,
      now,
    })
    const [head = '', body = '', signature = ''] = token.split('.')
    const options = {
      key: publicKey,
      ...(algorithm.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
      ...(algorithm.startsWith('PS') && { padding: 6, saltLength: -1 }),
    }
    expect({
      algorithm,
      isRight: verify(hash, Buffer.from(`${head}.${body}`), options, Buffer.from(signature, 'base64url')),
      claims: readClaims(token),
    }).toMatchObject({
      algorithm,
      isRight: true,
      claims: { iss: 'me', sub: 'me', aud: 'https://issuer', iat: 1_800_000_000, exp: 1_800_000_300 },
    })
  }
})

test('clientAssertion: refuses HMAC, "none" and an invalid key with a message', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const base = { clientId: 'me', audience: 'x', now }
  expect(() => clientAssertion({ ...base, privateKey: pem, algorithm: 'HS256' })).toThrow('"HS256"')
  expect(() => clientAssertion({ ...base, privateKey: pem, algorithm: 'none' })).toThrow('"none"')
  expect(() => clientAssertion({ ...base, privateKey: 'not a key', algorithm: 'ES256' })).toThrow(
    'not a private key in PEM',
  )
})

test('createProof: binds method, address and token, and contains only the public key', () => {
  const key = createProofKey()
  const url = new URL('https://x.example/mcp?secret=1#y')
  const proof = createProof(key, { method: 'POST', url, now, accessToken: 'token', nonce: 'n' })
  const [head = '', body = '', signature = ''] = proof.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { jwk: JsonWebKey }
  expect(header).toEqual({
    alg: 'ES256',
    typ: 'dpop+jwt',
    jwk: { kty: 'EC', crv: 'P-256', x: key['x'], y: key['y'] },
  })
  const verifying = {
    key: createPublicKey({ key: header.jwk, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363' as const,
  }
  expect(
    verify('sha256', Buffer.from(`${head}.${body}`), verifying, Buffer.from(signature, 'base64url')),
  ).toBe(true)
  expect(readClaims(proof)).toMatchObject({
    htm: 'POST',
    htu: 'https://x.example/mcp',
    iat: 1_800_000_000,
    nonce: 'n',
    ath: 'PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A',
  })
})

test('readDisplayName: reads the name from a JWT, and undefined from anything else', () => {
  const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
  expect([
    readDisplayName(token({ sub: '1', email: 'dana@x.example' })),
    readDisplayName(token({ sub: '1' })),
    readDisplayName(token({ sub: 7 })),
    readDisplayName('opaque'),
    readDisplayName('a.%%%.c'),
    readDisplayName(undefined),
  ]).toEqual(['dana@x.example', '1', undefined, undefined, undefined, undefined])
})
