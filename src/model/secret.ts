/** The symbol `util.inspect.custom`, which `console.log` uses, without loading `node:util`. */
const inspect = Symbol.for('nodejs.util.inspect.custom')
export const mask = '•••'

/** A resolved secret. It prints as `•••` everywhere; only `reveal` returns the value. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return mask
  }
  toJSON(): string {
    return mask
  }
  [inspect](): string {
    return mask
  }
}
