import type { JsonObject } from '../../model/json.ts'
import { fits, readKeySet } from './verify-token.ts'
import type { SignedToken, VerificationKey } from './verify-token.ts'

export interface IssuerKeysOptions {
  /** Reads the JWK Set. */
  readonly load: () => Promise<JsonObject>
  readonly now: () => number
  /** Says why the keys cannot be read; those that are known stay valid. */
  readonly warn: (message: string) => void
}

/** Known keys are read again behind the requests after this long, so that a withdrawn one ends. */
const refreshMs = 10 * 60_000
/** Keys that could not be read again for so long no longer count. */
const maxAgeMs = 24 * 3600_000
/** The least time between two reads, whatever tokens name. */
const pauseMs = 10_000

/**
 * The keys of one issuer. A token whose key is known never waits for the issuer. One that names an unknown key may be the
 * first after a rotation: it waits for one read, which all of them share and which is not repeated within the pause.
 */
export class IssuerKeys {
  readonly #options: IssuerKeysOptions
  #keys: readonly VerificationKey[] | undefined
  #readAt = -Infinity
  #triedAt = -Infinity
  #reading: Promise<void> | undefined
  #version = 0
  #isWarned = false

  constructor(options: IssuerKeysOptions) {
    this.#options = options
  }

  /** Changes with each read; 0 while no keys count. Old keys are read again meanwhile. */
  version(): number {
    const age = this.#options.now() - this.#readAt
    if (age > refreshMs) void this.#read()
    return age > maxAgeMs ? 0 : this.#version
  }

  /** The keys that may have signed a token; `undefined` if the issuer cannot be asked. A promise only if a key is not known. */
  find(
    token: SignedToken,
  ): readonly VerificationKey[] | undefined | Promise<readonly VerificationKey[] | undefined> {
    const known = this.version() === 0 ? undefined : this.#keys?.filter((key) => fits(key, token))
    if (known && known.length > 0) return known
    return this.#read().then(() => {
      const found = this.version() === 0 ? undefined : this.#keys?.filter((key) => fits(key, token))
      // The issuer may have a key that could not be read.
      return found?.length === 0 && this.#isWarned ? undefined : found
    })
  }

  #read(): Promise<void> {
    if (this.#reading) return this.#reading
    const now = this.#options.now()
    if (now - this.#triedAt < pauseMs) return Promise.resolve()
    this.#triedAt = now
    return (this.#reading = this.#readNow().finally(() => (this.#reading = undefined)))
  }

  async #readNow(): Promise<void> {
    try {
      this.#keys = readKeySet(await this.#options.load())
      this.#readAt = this.#options.now()
      this.#version++
      this.#isWarned = false
    } catch (error) {
      if (!this.#isWarned) this.#options.warn(error instanceof Error ? error.message : String(error))
      this.#isWarned = true
    }
  }
}
