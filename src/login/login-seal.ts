import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16
const saltBytes = 16
/** Of the form of a sealed text, so that another one can follow. */
const version = 'v1.'

/**
 * Seals the text of a login (AES-256-GCM). Each text has a key of its own, derived from the secret and a random salt, and is
 * bound to the id of its row: one row cannot stand in for another.
 */
export function sealLogin(text: string, id: string, secret: string): string {
  const salt = randomBytes(saltBytes)
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, salt), iv).setAAD(Buffer.from(id))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return version + Buffer.concat([salt, iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** The text; `undefined` if it was sealed with another secret, for another row, or was changed. */
export function openLogin(sealed: string, id: string, secret: string): string | undefined {
  const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
  if (!sealed.startsWith(version) || bytes.length < saltBytes + ivBytes + tagBytes) return undefined
  const salt = bytes.subarray(0, saltBytes)
  const iv = bytes.subarray(saltBytes, saltBytes + ivBytes)
  const rest = bytes.subarray(saltBytes + ivBytes)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, salt), iv).setAAD(Buffer.from(id))
  decipher.setAuthTag(rest.subarray(0, tagBytes))
  try {
    return Buffer.concat([decipher.update(rest.subarray(tagBytes)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'plugboard team logins', 32))
}
