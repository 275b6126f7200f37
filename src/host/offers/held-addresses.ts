import type { HeldOffer } from '../../acceptances/acceptance.ts'
import { isComparable, literalStart, matchesTemplate } from '../../calls/resources/resource-owners.ts'
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
  const matching = held.find(({ kind, name }) => kind === 'template' && isOfHeldTemplate(name, uri))
  const isAccepted = accepted?.resourceTemplates.some(
    ({ uriTemplate }) => typeof uriTemplate === 'string' && isOfTemplate(uriTemplate, uri),
  )
  return isAccepted ? undefined : matching
}

const addressed: ReadonlySet<string> = new Set(['resource', 'template', 'app', 'skill'])

/** The same address in other letters, or a file beside a SKILL.md. */
function isOtherSpelling({ kind, name }: HeldOffer, uri: string): boolean {
  if (kind === 'resource' || kind === 'app') return spellingsOf(uri).includes(plain(name))
  if (kind !== 'skill' || !name.endsWith('/SKILL.md')) return false
  const folder = plain(name.slice(0, -'SKILL.md'.length))
  return spellingsOf(uri).some((each) => each.startsWith(folder))
}

/** An address that is too long to be compared with the template belongs to it if it starts in the same way. */
function isOfHeldTemplate(template: string, uri: string): boolean {
  if (isOfTemplate(template, uri)) return true
  const spelled = spellingsOf(uri)
  return isComparable(template, uri)
    ? spelled.some((each) => matchesTemplate(plain(template), each))
    : spelled.some((each) => each.startsWith(plain(literalStart(template))))
}

/** Completion names a template by its pattern. */
function isOfTemplate(template: string, uri: string): boolean {
  return template === uri || matchesTemplate(template, uri)
}

/** A server may take other spellings of an address for the same one, also one with `..` in it. */
function spellingsOf(uri: string): readonly string[] {
  return [
    ...new Set([plain(uri), uri.toLowerCase(), ...(URL.canParse(uri) ? [plain(new URL(uri).href)] : [])]),
  ]
}

/** In lower case, and without escapes. */
function plain(uri: string): string {
  try {
    return decodeURIComponent(uri).toLowerCase()
  } catch {
    return uri.toLowerCase()
  }
}
