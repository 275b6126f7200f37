/** How much may still be looked at: a server decides how much there is to find, and in what. */
export class Looks {
  #left: number

  constructor(left: number) {
    this.#left = left
  }

  get areSpent(): boolean {
    return this.#left < 0
  }

  /** Whether there was enough left. */
  spend(cost: number): boolean {
    this.#left -= cost
    return this.#left >= 0
  }
}
