/** The roots for servers: the working directories of the host and of the open scopes. */
export class Roots {
  readonly #own: string
  readonly #scopes = new Map<string, number>()
  readonly #onChange = new Set<() => void>()

  constructor(own: string) {
    this.#own = own
  }

  all(): readonly string[] {
    return [...new Set([this.#own, ...this.#scopes.keys()])]
  }

  onChange(listener: () => void): void {
    this.#onChange.add(listener)
  }

  /** Adds a folder until the result is disposed of; several scopes may add the same folder. */
  add(folder: string): Disposable {
    this.#count(folder, 1)
    let isOpen = true
    return {
      [Symbol.dispose]: () => {
        if (isOpen) this.#count(folder, -1)
        isOpen = false
      },
    }
  }

  #count(folder: string, by: 1 | -1): void {
    const before = this.all().length
    const count = (this.#scopes.get(folder) ?? 0) + by
    if (count > 0) this.#scopes.set(folder, count)
    else this.#scopes.delete(folder)
    if (this.all().length !== before) for (const listener of this.#onChange) listener()
  }
}
