/** Characters of one definition that are examined, decoded texts included. */
export const definitionBudget = 1024 * 1024
/** Characters of all definitions of one server. */
export const serverBudget = 64 * 1024 * 1024
/** Characters of a result that are examined. */
export const resultBudget = 64 * 1024
/** Texts of one definition: more are not examined. */
export const maxTexts = 20_000
/** Levels of nesting. */
export const maxDepth = 128

/**
 * Counts the work of a scan in characters. Time would depend on the machine; a count gives the same findings everywhere.
 * An exhausted budget is a critical finding (GRD-001): otherwise padding would hide what follows it.
 */
export class Budget {
  #left: number
  readonly #parent: Budget | undefined

  constructor(characters: number, parent?: Budget) {
    this.#left = characters
    this.#parent = parent
  }

  /** Whether the work may be done. */
  spend(characters: number): boolean {
    if (this.#left < 0) return false
    this.#left -= characters
    const isAllowed = this.#left >= 0
    return this.#parent ? this.#parent.spend(characters) && isAllowed : isAllowed
  }

  get isExhausted(): boolean {
    return this.#left < 0 || (this.#parent?.isExhausted ?? false)
  }
}
