import { hashDefinition, offerName } from './canonical-definition.ts'
import type { Definition, OfferKind } from './canonical-definition.ts'

/** What a server offers, identified by the hash of its definition as the server sent it. */
export interface OfferedHash {
  readonly kind: OfferKind
  /** The server's own name; of a template, its pattern; empty for instructions. */
  readonly name: string
  readonly hash: string
}

interface SentOffers {
  readonly tools: readonly unknown[]
  readonly prompts: readonly unknown[]
  readonly resourceTemplates: readonly unknown[]
  readonly skills?: readonly unknown[]
  readonly instructions?: string
  /** Hashes of the tools as sent, by name, for those in whose texts a secret was masked. */
  readonly hashes?: Readonly<Record<string, string>>
}

/** Everything that a person can accept, or a team agree on. */
export function hashOffers(offers: SentOffers): readonly OfferedHash[] {
  const { tools, prompts, resourceTemplates, skills = [], instructions = '', hashes = {} } = offers
  const toOffer = (kind: OfferKind) => (sent: unknown) => {
    const definition = sent as Definition // definitions are JSON
    const name = offerName(kind, definition)
    const original = kind === 'tool' && Object.hasOwn(hashes, name) ? hashes[name] : undefined
    return { kind, name, hash: original ?? hashDefinition(definition) }
  }
  return [
    ...(instructions === '' ? [] : [toOffer('instructions')(instructions)]),
    ...tools.map(toOffer('tool')),
    ...prompts.map(toOffer('prompt')),
    ...resourceTemplates.map(toOffer('template')),
    ...skills.map(toOffer('skill')),
  ]
}
