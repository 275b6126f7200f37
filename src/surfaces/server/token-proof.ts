import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What only a program that knows the token can answer. It tells nothing of the token. */
export function proveToken(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`plugboard serve ${nonce}`).digest('hex')
}

export function createNonce(): string {
  return randomBytes(32).toString('hex')
}

export function isProof(proof: string, token: string, nonce: string): boolean {
  const [given, expected] = [Buffer.from(proof), Buffer.from(proveToken(token, nonce))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
