import { randomBytes } from 'node:crypto'

const validMs = 60_000

/**
 * Addresses that lead a browser to the page once. The address that opens a browser is an argument of a program, which other
 * people of the machine can read; the token must not be in it.
 */
export class OpenLinks {
  readonly #print: (text: string) => void
  readonly #now: () => number
  readonly #open = new Map<string, { readonly until: number; readonly path: string }>()
  readonly #used = new Set<string>()

  constructor(print: (text: string) => void, now: () => number = Date.now) {
    this.#print = print
    this.#now = now
  }

  /** A path that leads to `path` of the page. */
  create(path = '/'): string {
    const ticket = randomBytes(24).toString('base64url')
    this.#open.set(ticket, { until: this.#now() + validMs, path })
    return `/open/${ticket}`
  }

  /** Where it leads to; `undefined` if it leads nowhere now. */
  use(ticket: string): string | undefined {
    if (this.#used.has(ticket))
      this.#print('The link for the browser was opened twice. If that was not you, end this with Ctrl-C.')
    const link = this.#open.get(ticket)
    if (!link) return undefined
    this.#open.delete(ticket)
    this.#used.add(ticket)
    return this.#now() <= link.until ? link.path : undefined
  }
}
