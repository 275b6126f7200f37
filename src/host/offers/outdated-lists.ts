import type { Clock } from '../../platform/platform.ts'

interface ListAgainOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Servers that announced other tools, until a listing that began after the last announcement has arrived. */
export class OutdatedLists {
  readonly #counts = new Map<string, number>()

  has(server: string): boolean {
    return this.#counts.has(server)
  }

  announced(server: string): void {
    this.#counts.set(server, (this.#counts.get(server) ?? 0) + 1)
  }

  /** What a listing that begins now covers. */
  mark(server: string): number | undefined {
    return this.#counts.get(server)
  }

  /** A change that was announced after `mark` is listed by the next listing. */
  listed(server: string, mark: number | undefined): void {
    if (this.#counts.get(server) === mark) this.#counts.delete(server)
  }

  forget(server: string): void {
    this.#counts.delete(server)
  }

  /** Lists a server: at once, and again if the listing that was under way began before the last announcement. */
  async listAgain(
    server: string,
    { timeoutMs, signal }: ListAgainOptions,
    { list, clock }: { readonly list: (options: ListAgainOptions) => Promise<void>; readonly clock: Clock },
  ): Promise<void> {
    const until = clock.monotonic() + timeoutMs
    await list({ timeoutMs, signal })
    const leftMs = until - clock.monotonic()
    if (this.has(server) && leftMs > 0) await list({ timeoutMs: leftMs, signal })
  }
}
