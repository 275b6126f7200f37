import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { parseMessage } from '../../../serving.ts'

const ivBytes = 12
const tagBytes = 16

/**
 * Marks and seals what the gateway gives to a client and gets back: only a gateway with the same secret can have written it,
 * and it counts only for what it was bound to. Without a secret of its own a process makes one, and its seals end with it.
 */
export class Seals {
  readonly #macKey: Buffer
  readonly #cipherKey: Buffer

  constructor(secret: string | undefined) {
    const from = secret === undefined ? randomBytes(32) : Buffer.from(secret, 'utf8')
    const derive = (use: string) => Buffer.from(hkdfSync('sha256', from, '', use, 32))
    this.#macKey = derive('plugboard gateway ids')
    this.#cipherKey = derive('plugboard gateway states')
  }

  /** A short proof that these parts were joined here. */
  mark(...parts: readonly string[]): string {
    const mac = createHmac('sha256', this.#macKey).update(JSON.stringify(parts)).digest()
    return mac.subarray(0, 16).toString('base64url')
  }

  isMarked(mark: string, ...parts: readonly string[]): boolean {
    const expected = Buffer.from(this.mark(...parts))
    const given = Buffer.from(mark)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** Encrypts a value that a client keeps for us (AES-256-GCM); `boundTo` is needed to open it. */
  seal(value: unknown, boundTo: string): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#cipherKey, iv).setAAD(Buffer.from(boundTo))
    const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
  }

  /** The value that was sealed; `undefined` if it was not sealed here, was changed, or is bound to something else. */
  open(sealed: string, boundTo: string): unknown {
    const bytes = Buffer.from(sealed, 'base64url')
    // Node ignores what is no base64url: only one text may open to a value.
    if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#cipherKey, bytes.subarray(0, ivBytes))
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
      return parseMessage(text.toString('utf8'))
    } catch {
      return undefined
    }
  }
}
