import { randomBytes } from 'node:crypto'

/** A gateway that no longer asks is forgotten after this time: its configuration may have changed. */
const rememberedMs = 5 * 60_000
const maxAbove = 64

/**
 * Notices a gateway that is behind itself, directly or through others. Everything that its servers offer is offered to the
 * gateways that use it, so it tells its servers of all of these: a gateway that finds its own id is part of a ring.
 */
export class GatewayRing {
  readonly #id = randomBytes(12).toString('base64url')
  /** The gateways that use this one, with the time of their last request. */
  readonly #above = new Map<string, number>()

  /** The value of the header: who is above, then this gateway. */
  value(): string {
    const since = performance.now() - rememberedMs
    for (const [id, at] of this.#above) if (at < since) this.#above.delete(id)
    return [...this.#above.keys(), this.#id].join(',')
  }

  /** Whether a request with this header has come back to where it passed before. */
  isClosedBy(header: string | readonly string[] | undefined): boolean {
    if (typeof header !== 'string') return false
    const ids = header.split(',').filter((id) => /^[\w-]{1,64}$/.test(id))
    if (ids.includes(this.#id)) return true
    for (const id of ids)
      if (this.#above.size < maxAbove || this.#above.has(id)) this.#above.set(id, performance.now())
    return false
  }
}
