import { findActions } from './actions.ts'
import type { Action } from './actions.ts'
import { findConcept } from './concepts.ts'
import type { Concept, Span } from './concepts.ts'
import { findSecrets } from './secrets.ts'
import type { SecretTargets } from './secrets.ts'
import { tokenize } from './split-words.ts'
import type { Token } from './split-words.ts'
import { modelNouns } from './word-lists.ts'

/** A sentence with what can be known of it. Everything is found when it is first asked for. */
export class Sentence {
  readonly text: string
  /** In lower case, with single blanks; positions are those of `text`. */
  readonly lower: string
  readonly index: number
  #tokens: readonly Token[] | undefined
  #actions: readonly Action[] | undefined
  #secrets: SecretTargets | undefined
  readonly #concepts = new Map<Concept, Span | undefined>()

  constructor(text: string, index: number) {
    this.text = text.replace(/[\s*_]*\n[\s*_]*|\t/g, ' ').replaceAll('**', '')
    this.lower = toLower(this.text)
    this.index = index
  }

  get tokens(): readonly Token[] {
    return (this.#tokens ??= tokenize(this.text))
  }

  get actions(): readonly Action[] {
    return (this.#actions ??= findActions(this.tokens))
  }

  get secrets(): SecretTargets {
    return (this.#secrets ??= findSecrets(this.text, this.lower))
  }

  has(concept: Concept): boolean {
    return this.find(concept) !== undefined
  }

  find(concept: Concept): Span | undefined {
    if (this.#concepts.has(concept)) return this.#concepts.get(concept)
    const span = findConcept(concept, this.lower)
    this.#concepts.set(concept, span)
    return span
  }

  /** Whether it speaks to a model, or of it. */
  get isAboutModel(): boolean {
    return this.tokens.some(({ text, kind }) => kind === 'word' && (modelNouns.has(text) || text === 'your'))
  }

  /** Whether the position is inside quotation marks. */
  isQuoted(at: number): boolean {
    const before = this.text.slice(0, at)
    const open = before.match(/"|(?<!\w)'|`/g)?.length ?? 0
    return open % 2 === 1 && /["'`]/.test(this.text.slice(at))
  }
}

/** Lower case without a change of length. */
function toLower(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
