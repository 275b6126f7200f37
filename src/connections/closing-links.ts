import { WireError } from '../wire/wire-error.ts'
import type { Link } from './link.ts'

/** Links that are being closed. */
export class ClosingLinks {
  readonly #links = new Map<Link, Promise<void>>()
  /** Those among them that are still used. */
  readonly #retiring = new Set<Link>()
  readonly #hurried = new AbortController()

  /** Tells those that are let go before they became a link. */
  get hurried(): AbortSignal {
    return this.#hurried.signal
  }

  add(link: Link, reason: WireError): void {
    this.#keep(link, link.close(reason))
  }

  /**
   * After an error that one request found. It says nothing about the others that are under way, which may come to their
   * own end; only a server that forgot us answers none of them.
   */
  dropped(link: Link, error: WireError): void {
    const reason = new WireError('closed', error.message, { sent: true, cause: error })
    if (error.code === 'session') return this.add(link, reason)
    this.#retiring.add(link)
    this.#keep(link, link.retire(reason))
  }

  #keep(link: Link, leaving: Promise<void>): void {
    const left = leaving.catch(() => undefined)
    this.#links.set(link, left)
    void left.then(() => {
      this.#links.delete(link)
      this.#retiring.delete(link)
    })
  }

  /** Waits no longer for servers that take their time. */
  hurry(reason: WireError): void {
    this.#hurried.abort()
    for (const link of this.#links.keys()) link.close(reason).catch(() => undefined)
  }

  /** What is still under way on them ends with this reason. */
  endUsed(reason: WireError): void {
    for (const link of this.#retiring) link.close(reason).catch(() => undefined)
    this.#retiring.clear()
  }

  /** When all are gone that nobody uses. */
  async unused(): Promise<void> {
    const ending = [...this.#links].filter(([link]) => !this.#retiring.has(link))
    await Promise.all(ending.map(([, left]) => left))
  }

  /** When the programs among them are gone; nothing when there are none. */
  programs(): Promise<unknown> | undefined {
    const ending = [...this.#links].filter(([{ kind }]) => kind === 'stdio')
    return ending.length > 0 ? Promise.all(ending.map(([, left]) => left)) : undefined
  }
}
