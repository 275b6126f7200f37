/** The number of questions that one server may ask between two actions of a person; further ones are declined as a flood. */
export const maxQuestions = 5

interface LimitOptions {
  readonly notify: (text: string) => void
  /** What a person does next, after which servers may ask again: `your next line`. */
  readonly until: string
}

/** Counts the questions of servers, so that none can bury a person in them. */
export class QuestionLimit {
  readonly #options: LimitOptions
  readonly #asked = new Map<string, number>()
  readonly #refused = new Set<string>()

  constructor(options: LimitOptions) {
    this.#options = options
  }

  /** Counts a question. Those within the limit are asked, unless the person declined all. */
  take(server: string): boolean {
    const count = (this.#asked.get(server) ?? 0) + 1
    this.#asked.set(server, count)
    const { notify, until } = this.#options
    if (count === maxQuestions + 1 && !this.isRefused(server))
      notify(`"${server}" asked more than ${maxQuestions} questions: the others are declined until ${until}.`)
    return count <= maxQuestions && !this.isRefused(server)
  }

  /** A question that does not count any more. */
  giveBack(server: string): void {
    this.#asked.set(server, Math.max(0, (this.#asked.get(server) ?? 0) - 1))
  }

  /** Declines all questions of the server until the next action. */
  refuse(server: string): void {
    const { notify, until } = this.#options
    this.#refused.add(server)
    notify(`Further questions from "${server}" are declined until ${until}.`)
  }

  isRefused(server: string): boolean {
    return this.#refused.has(server)
  }

  /** The person did something: servers may ask again. */
  reset(): void {
    this.#asked.clear()
    this.#refused.clear()
  }
}
