/** T24: a server that asks and asks, and takes none of our answers, gets no more of them. */
const most = 256

/** How much is on its way that nobody waits for: answers of ours and notifications, until the server took them. */
export class Untaken {
  #count = 0

  get isFull(): boolean {
    return this.#count >= most
  }

  add(): void {
    this.#count++
  }

  /** It was taken, or never will be. */
  done(): void {
    this.#count--
  }
}
