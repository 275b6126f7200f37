import type { WireError } from '../wire/wire-error.ts'
import type { Link } from './link.ts'

/** Links that are being let go. */
export class Leaving {
  readonly #links = new Map<Link, Promise<void>>()
  readonly #hurried = new AbortController()

  /** Tells those that are let go before they became a link. */
  get hurried(): AbortSignal {
    return this.#hurried.signal
  }

  add(link: Link, reason: WireError): void {
    const left = link.close(reason).catch(() => undefined)
    this.#links.set(link, left)
    void left.then(() => this.#links.delete(link))
  }

  /** Waits no longer for servers that take their time. */
  hurry(reason: WireError): void {
    this.#hurried.abort()
    for (const link of this.#links.keys()) link.close(reason).catch(() => undefined)
  }

  /** When all of them are gone. */
  async all(): Promise<void> {
    await Promise.all(this.#links.values())
  }

  /** When the programs among them are gone; nothing when there are none. */
  programs(): Promise<unknown> | undefined {
    const ending = [...this.#links].filter(([{ kind }]) => kind === 'stdio')
    return ending.length > 0 ? Promise.all(ending.map(([, left]) => left)) : undefined
  }
}
