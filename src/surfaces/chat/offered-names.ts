import type { AgentEvent } from '../../agent.ts'

type Offer = Extract<AgentEvent, { readonly type: 'tools.offered' }>

/** Knows which tools were announced. An agent that was given another model announces all of its tools again. */
export class OfferedNames {
  #names = new Set<string>()
  #last: Offer | undefined

  /** Whether the offer says something that is not known yet. */
  isNew(offer: Offer): boolean {
    const last = this.#last
    const isWhole = offer.added.length === offer.count
    const isSame =
      last !== undefined &&
      isWhole &&
      offer.added.every((name) => this.#names.has(name)) &&
      this.#names.size === offer.count &&
      offer.mode === last.mode &&
      offer.reason === last.reason
    if (isWhole) this.#names = new Set(offer.added)
    for (const name of offer.added) this.#names.add(name)
    for (const name of offer.removed) this.#names.delete(name)
    this.#last = offer
    return !isSame
  }
}
