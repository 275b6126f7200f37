/**
 * Whether a request was cancelled. Its signal is made with its first use: lists need none, and making one takes as long as
 * reading a short message.
 */
export class Cancellation {
  #controller: AbortController | undefined
  #isCancelled = false

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  abort(): void {
    this.#isCancelled = true
    this.#controller?.abort()
  }
}
