/** What a legacy client subscribed to: one subscription for each uri, however many requests ask for it at once. */
export class ClientSubscriptions {
  readonly #byUri = new Map<string, Promise<Disposable>>()
  #isClosed = false

  /** Opens a subscription unless there is one. One that was removed while it was being opened is disposed of. */
  async add(uri: string, open: () => Promise<Disposable>): Promise<void> {
    for (let known = this.#byUri.get(uri); known; known = this.#byUri.get(uri)) {
      const isOpen = await known.then(
        () => true,
        () => false,
      )
      // If the request that opened it was cancelled or refused, this one asks for itself.
      if (isOpen) return
    }
    const opening = open()
    this.#byUri.set(uri, opening)
    if (this.#isClosed) this.remove(uri)
    try {
      await opening
    } catch (error) {
      if (this.#byUri.get(uri) === opening) this.#byUri.delete(uri)
      throw error
    }
  }

  remove(uri: string): void {
    const found = this.#byUri.get(uri)
    this.#byUri.delete(uri)
    found?.then(
      (subscription) => subscription[Symbol.dispose](),
      () => undefined,
    )
  }

  /** Ends all of them, and returns what they were for: another gateway can open them again. */
  take(): readonly string[] {
    const uris = [...this.#byUri.keys()]
    for (const uri of uris) this.remove(uri)
    return uris
  }

  close(): void {
    this.#isClosed = true
    this.take()
  }
}
