/** Who has the terminal: one at a time, in the order in which they came. */
export class Turns {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Somebody else wants it. */
  get isWanted(): boolean {
    return this.#waiting > 0
  }

  async take(): Promise<Disposable> {
    const before = this.#last
    let release = (): void => undefined
    this.#last = new Promise((resolve) => (release = resolve))
    this.#waiting++
    await before
    this.#waiting--
    return { [Symbol.dispose]: release }
  }
}
