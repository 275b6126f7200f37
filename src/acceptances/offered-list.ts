import { canonicalDefinition, hashDefinition, offerName } from '../model/definition/canonical-definition.ts'
import type { Definition, OfferKind } from '../model/definition/canonical-definition.ts'
import { isEqual } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Acceptance, AcceptedOffer } from './acceptance.ts'

/** The parts of a snapshot that are accepted or held. */
export interface Offers {
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  /** Documents of apps that were read. */
  readonly apps?: readonly JsonObject[]
  readonly skills?: readonly JsonObject[]
  readonly instructions?: string
  /** Other definitions of names in `tools`, from the same list. */
  readonly conflicts?: readonly JsonObject[]
  /** Hashes of the tools as sent, by name, for those in whose texts a secret was masked. */
  readonly hashes?: Readonly<Record<string, string>>
}

/** One thing that a server offers. */
export interface Offered {
  readonly kind: OfferKind
  readonly name: string
  readonly sent: Definition
  /** Another definition of the same name in the same list. */
  readonly conflicting?: Definition
}

/** Everything that a server offers, each name once; a name with two definitions keeps both. */
export function listOffers(offers: Offers): readonly Offered[] {
  const { instructions = '' } = offers
  return [
    ...(instructions === '' ? [] : [{ kind: 'instructions', name: '', sent: instructions } as const]),
    ...namedOffers('tool', [...offers.tools, ...(offers.conflicts ?? [])]),
    ...namedOffers('prompt', offers.prompts),
    ...namedOffers('template', offers.resourceTemplates),
    ...namedOffers('app', offers.apps ?? []),
    ...namedOffers('skill', offers.skills ?? []),
  ]
}

function namedOffers(kind: OfferKind, list: readonly JsonObject[]): readonly Offered[] {
  const byName = new Map<string, Offered>()
  for (const sent of list) {
    const name = offerName(kind, sent)
    const first = byName.get(name)
    if (!first) byName.set(name, { kind, name, sent })
    else if (!isEqual(canonicalDefinition(first.sent), canonicalDefinition(sent)))
      byName.set(name, { ...first, conflicting: sent })
  }
  return [...byName.values()]
}

export function hashOffered({ kind, name, sent }: Offered, { hashes = {} }: Offers): string {
  const known = kind === 'tool' && Object.hasOwn(hashes, name) ? hashes[name] : undefined
  return known ?? hashDefinition(sent)
}

export function acceptedOf(
  acceptance: Acceptance,
  { kind, name }: Pick<Offered, 'kind' | 'name'>,
): AcceptedOffer | undefined {
  return kind === 'instructions' ? acceptance.instructions : acceptance[listKeys[kind]].get(name)
}

/** Where each kind is in an acceptance. */
export const listKeys = {
  tool: 'tools',
  prompt: 'prompts',
  template: 'templates',
  app: 'apps',
  skill: 'skills',
  resource: 'resources',
} as const

/**
 * Whether an offer is the accepted one. Definitions are compared before hashes: that is faster, and a secret that is
 * masked in both may have been replaced since.
 */
export function isAsAccepted(offer: Offered, accepted: AcceptedOffer, offers: Offers): boolean {
  if (offer.conflicting !== undefined) return false
  return (
    isEqual(canonicalDefinition(offer.sent), accepted.definition) ||
    hashOffered(offer, offers) === accepted.hash
  )
}

/** Whether everything that a server offers is what was accepted: then nothing has to be judged. */
export function areAllAccepted(offers: Offers, acceptance: Acceptance): boolean {
  return listOffers(offers).every((offer) => {
    const accepted = acceptedOf(acceptance, offer)
    return accepted !== undefined && isAsAccepted(offer, accepted, offers)
  })
}
