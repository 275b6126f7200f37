import { canonicalDefinition } from '../model/definition/canonical-definition.ts'
import type { Definition, OfferKind } from '../model/definition/canonical-definition.ts'
import { canonicalize } from '../model/canonical.ts'
import { joinWords, skeletonOf } from '../scan/cross/look-alike.ts'
import type { Acceptance } from './acceptance.ts'
import { acceptedOf, listKeys } from './offered-list.ts'
import type { Offered } from './offered-list.ts'

type NamedKind = Exclude<OfferKind, 'instructions' | 'app'>

/**
 * Finds the earlier name of a new offer: an accepted one that is not offered any more has the same definition but for
 * the name, or a name that looks the same. Computed for a kind when its first new offer is looked up.
 */
export function createRenames(offers: readonly Offered[], acceptance: Acceptance) {
  const tables = new Map<NamedKind, Table>()
  return {
    earlierName({ kind, name, sent }: Offered): string | undefined {
      // An app is read alone, so others are not gone.
      if (kind === 'instructions' || kind === 'app') return undefined
      const table = tables.get(kind) ?? goneOffers(kind, offers, acceptance)
      tables.set(kind, table)
      if (table.byRest.size === 0) return undefined
      return table.byRest.get(restOf(canonicalDefinition(sent))) ?? table.byLook.get(lookOf(name))
    },
  }
}

interface Table {
  readonly byRest: ReadonlyMap<string, string>
  readonly byLook: ReadonlyMap<string, string>
}

function goneOffers(kind: NamedKind, offers: readonly Offered[], acceptance: Acceptance): Table {
  const offered = new Set(offers.filter((each) => each.kind === kind).map(({ name }) => name))
  const gone = [...acceptance[listKeys[kind]].keys()].filter((name) => !offered.has(name))
  const definitionOf = (name: string) => acceptedOf(acceptance, { kind, name })?.definition ?? {}
  return {
    byRest: new Map(gone.map((name) => [restOf(definitionOf(name)), name])),
    byLook: new Map(gone.map((name) => [lookOf(name), name])),
  }
}

/** The definition without what names it. */
function restOf(definition: Definition): string {
  if (typeof definition === 'string') return definition
  const { name: _, uriTemplate: _uri, title: _title, ...rest } = definition
  try {
    return canonicalize(rest)
  } catch {
    return JSON.stringify(rest)
  }
}

function lookOf(name: string): string {
  return skeletonOf(joinWords(name))
}
