import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signJwt } from '../../../login/jwt.ts'
import { createFakePlatform } from '../../../testing/fake-platform.ts'
import type { TokenIssuer } from '../../../internal.ts'
import { createTokenCheck } from './caller-tokens.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { d: _, ...publicKey } = privateKey.export({ format: 'jwk' })
const keys = JSON.stringify({ keys: [{ ...publicKey, kid: 'first', use: 'sig' }] })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })

const address = 'https://mcp.example/mcp'
const now = 1_800_000_000_000
const issuer: TokenIssuer = {
  issuer: 'https://login.example',
  jwks: 'keys.json',
  rules: [{ claims: { groups: 'eng' }, views: 'all' }],
}

function tokenWith(claims: Readonly<Record<string, string | readonly string[]>> = {}) {
  const iat = now / 1000
  const all = { iss: issuer.issuer, sub: 'dana', aud: address, iat, exp: iat + 60, groups: 'eng', ...claims }
  return signJwt({ alg: 'ES256', kid: 'first', typ: 'at+jwt' }, all, createPrivateKey(pem))
}

interface Machine {
  /** Texts by path. */
  readonly files?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Judges a token by the keys of the settings folder, and says what was warned about. */
async function judge(token: string, more: Partial<TokenIssuer> = {}, machine: Machine = {}) {
  const {
    files = { '/home/dana/.config/plugboard/keys.json': keys },
    signal = new AbortController().signal,
  } = machine
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const platform = createFakePlatform({ files })
  const check = await createTokenCheck([{ ...issuer, ...more }], { platform, now: () => now, signal, warn })
  return { verdict: await check(token, [address]), warnings }
}

const dana = {
  caller: {
    id: 'token:["https://login.example","dana"]',
    name: 'dana',
    kind: 'token',
    until: now + 60_000,
  },
}
const otherAudience = { refused: 'The token is for another audience.', isBad: true }
const otherClient = { refused: 'The token is of another client.', isBad: true }

describe('T31 createTokenCheck', () => {
  test('T31 the caller of a token follows from its claims', async () => {
    expect(await judge(tokenWith())).toEqual({ verdict: dana, warnings: [] })
  })

  test('T31 a token that is not valid is bad; one that no rule is for is not', async () => {
    expect((await judge(tokenWith({ iss: 'https://evil.example' }))).verdict).toEqual({
      refused: 'The token is of another issuer.',
      isBad: true,
    })
    expect((await judge(tokenWith({ groups: 'sales' }))).verdict).toEqual({
      refused: 'No rule of this gateway is for the claims of this token.',
      isBad: false,
      status: 403,
    })
  })

  test('T31 the audience is the address of the request, or what the settings say: one, or several', async () => {
    const other = tokenWith({ aud: 'api://tools' })
    expect((await judge(other)).verdict).toEqual(otherAudience)
    expect((await judge(other, { audience: 'api://tools' })).verdict).toEqual(dana)
    expect((await judge(other, { audience: ['api://other', 'api://tools'] })).verdict).toEqual(dana)
    expect((await judge(tokenWith(), { audience: 'api://tools' })).verdict).toEqual(otherAudience)
  })

  test('T31 the tokens of some clients count, if the settings name them', async () => {
    const ofDesk = tokenWith({ azp: 'desk-1' })
    expect((await judge(ofDesk)).verdict).toEqual(dana)
    expect((await judge(ofDesk, { clients: ['ci', 'desk-*'] })).verdict).toEqual(dana)
    expect((await judge(ofDesk, { clients: ['ci'] })).verdict).toEqual(otherClient)
    expect((await judge(ofDesk, { clients: [] })).verdict).toEqual(otherClient)
  })

  test('T31 while the keys cannot be read, a token may be a good one; the reason is said once', async () => {
    const { verdict, warnings } = await judge(tokenWith(), {}, { files: {} })
    expect(verdict).toMatchObject({ isBad: false, status: 503 })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('/home/dana/.config/plugboard/keys.json')
  })

  test('T31 keys at an address are read from there, not from a file', async () => {
    const { warnings } = await judge(tokenWith(), { jwks: 'HTTPS://keys.example/jwks' })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).not.toContain('/home/dana')
  })

  test('T31 a gateway that has ended says nothing more about keys', async () => {
    const { warnings } = await judge(tokenWith(), {}, { files: {}, signal: AbortSignal.abort() })
    expect(warnings).toEqual([])
  })
})
