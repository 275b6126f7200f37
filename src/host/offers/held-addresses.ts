import type { HeldOffer } from '../../acceptances/acceptance.ts'
import { matchesTemplate } from '../../calls/resources/resource-owners.ts'
import type { Snapshot } from '../../catalog/catalog.ts'

/**
 * The held offer that an address belongs to: a resource or an app of that address, a skill with the file, or a template that
 * matches it. An address that the accepted part lists, or has a template for, is held only by its exact name.
 */
export function heldAt(
  uri: string,
  held: readonly HeldOffer[],
  accepted: Pick<Snapshot, 'resources' | 'resourceTemplates'> | undefined,
): HeldOffer | undefined {
  const exact = held.find(({ kind, name }) => addressed.has(kind) && name === uri)
  if (exact || accepted?.resources.some((resource) => resource['uri'] === uri)) return exact
  const similar = held.find((offer) => isOtherSpelling(offer, uri))
  if (similar) return similar
  const matching = held.find(({ kind, name }) => kind === 'template' && isOfTemplate(name, uri))
  const isAccepted = accepted?.resourceTemplates.some(
    ({ uriTemplate }) => typeof uriTemplate === 'string' && isOfTemplate(uriTemplate, uri),
  )
  return isAccepted ? undefined : matching
}

const addressed: ReadonlySet<string> = new Set(['resource', 'template', 'app', 'skill'])

/** The same address in other letters, or a file beside a SKILL.md. */
function isOtherSpelling({ kind, name }: HeldOffer, uri: string): boolean {
  if (kind === 'resource' || kind === 'app') return plain(uri) === plain(name)
  if (kind !== 'skill' || !name.endsWith('/SKILL.md')) return false
  return plain(uri).startsWith(plain(name.slice(0, -'SKILL.md'.length)))
}

/** Completion names a template by its pattern. */
function isOfTemplate(template: string, uri: string): boolean {
  return template === uri || matchesTemplate(template, uri)
}

/** A server may take other spellings of an address for the same one: in upper case, or with escaped letters. */
function plain(uri: string): string {
  try {
    return decodeURIComponent(uri).toLowerCase()
  } catch {
    return uri.toLowerCase()
  }
}
