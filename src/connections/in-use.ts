/** What is under way on a link. One that is let go in the middle of it stays until it is over. */
export class InUse {
  #count = 0
  #onIdle: (() => void) | undefined

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#onIdle?.()
  }

  /** When nothing is. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve()
      else this.#onIdle = resolve
    })
  }
}
