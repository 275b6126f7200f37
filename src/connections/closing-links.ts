import { WireError } from '../wire/wire-error.ts'
import type { Link } from './link.ts'

/** Links that are being closed. */
export class ClosingLinks {
  readonly #links = new Map<Link, Promise<void>>()
  /** Links among them that still have requests in flight. */
  readonly #retiring = new Set<Link>()
  readonly #hurry = new AbortController()

  /** Aborts when waiting for slow servers ends; also used by attempts that never became a link. */
  get hurrySignal(): AbortSignal {
    return this.#hurry.signal
  }

  add(link: Link, reason: WireError): void {
    this.#track(link, link.close(reason))
  }

  /**
   * Closes a link after an error of one request. Other requests in flight may still succeed and are left to finish,
   * except after a lost session: then the server answers none of them.
   */
  retire(link: Link, error: WireError): void {
    const reason = new WireError('closed', error.message, { sent: true, cause: error })
    if (error.code === 'session') return this.add(link, reason)
    this.#retiring.add(link)
    this.#track(link, link.retire(reason))
  }

  #track(link: Link, closing: Promise<void>): void {
    const closed = closing.catch(() => undefined)
    this.#links.set(link, closed)
    void closed.then(() => {
      this.#links.delete(link)
      this.#retiring.delete(link)
    })
  }

  /** Stops waiting for servers that are slow to close. */
  hurry(reason: WireError): void {
    this.#hurry.abort()
    for (const link of this.#links.keys()) link.close(reason).catch(() => undefined)
  }

  /** Fails the requests that are still in flight on these links. */
  closeRetiring(reason: WireError): void {
    for (const link of this.#retiring) link.close(reason).catch(() => undefined)
    this.#retiring.clear()
  }

  /** Resolves when all links without requests in flight are closed. */
  async unusedClosed(): Promise<void> {
    const links = [...this.#links].filter(([link]) => !this.#retiring.has(link))
    await Promise.all(links.map(([, closed]) => closed))
  }

  /** Resolves when all links to local programs are closed; undefined when there are none. */
  programsClosed(): Promise<unknown> | undefined {
    const links = [...this.#links].filter(([{ kind }]) => kind === 'stdio')
    return links.length > 0 ? Promise.all(links.map(([, closed]) => closed)) : undefined
  }
}
