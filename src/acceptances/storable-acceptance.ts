import type { Acceptance, AcceptedOffer } from './acceptance.ts'
import type { AcceptanceOwner } from './acceptance-store.ts'
import { toAcceptanceText } from './acceptance-text.ts'
import { hideNames } from './hidden-names.ts'

/** Text that would hold a secret is stored without its definitions: hashes still tell what was accepted. */
export function toStorableText(
  acceptance: Acceptance,
  owner: Pick<AcceptanceOwner, 'account'>,
  isStorable: (text: string) => boolean,
): string {
  const text = toAcceptanceText(acceptance, owner)
  if (isStorable(text)) return text
  const bare = (offer: AcceptedOffer): AcceptedOffer =>
    isStorable(JSON.stringify(offer.definition)) ? offer : { ...offer, definition: {} }
  const { resourceScan: _, ...kept } = hideNames(mapOffers(acceptance, bare), (name) =>
    isStorable(JSON.stringify(name)),
  )
  return toAcceptanceText({ ...kept, scans: new Map() }, owner)
}

/** What was accepted of an earlier declaration of a server. */
export function carryOver(acceptance: Acceptance): Acceptance {
  return mapOffers(acceptance, (offer) => ({ ...offer, how: 'carried' }))
}

function mapOffers(acceptance: Acceptance, map: (offer: AcceptedOffer) => AcceptedOffer): Acceptance {
  const { instructions, tools, prompts, templates, apps, resources } = acceptance
  const mapped = (list: ReadonlyMap<string, AcceptedOffer>) =>
    new Map([...list].map(([name, offer]) => [name, map(offer)]))
  return {
    ...acceptance,
    ...(instructions && { instructions: map(instructions) }),
    tools: mapped(tools),
    prompts: mapped(prompts),
    templates: mapped(templates),
    apps: mapped(apps),
    resources: mapped(resources),
  }
}
