import type { JsonObject } from '../model/json.ts'
import type { Snapshot } from './catalog.ts'

/** An address that several servers list. It belongs to the one that listed it first. */
export interface AddressClash {
  readonly uri: string
  readonly kept: string
  /** The others, sorted. */
  readonly others: readonly string[]
}

/** When the addresses of a server were first listed. */
export type AddressTimes = Pick<Snapshot, 'resources' | 'at' | 'since' | 'addressTimes'>

/** What a new snapshot says about the first listing of its addresses, from the one before. */
export function addressTimesOf(
  resources: readonly JsonObject[],
  at: string,
  before: AddressTimes | undefined,
): Pick<Snapshot, 'since' | 'addressTimes'> {
  if (!before) return { since: at }
  const since = before.since ?? before.at
  const known = firstListings(before)
  const later = resources.flatMap(({ uri }): readonly (readonly [string, string])[] => {
    if (typeof uri !== 'string') return []
    const first = known.get(uri) ?? at
    return first === since ? [] : [[uri, first]]
  })
  return { since, ...(later.length > 0 && { addressTimes: later }) }
}

function firstListings({
  resources,
  at,
  since = at,
  addressTimes = [],
}: AddressTimes): ReadonlyMap<string, string> {
  const later = new Map(addressTimes)
  const times = new Map<string, string>()
  for (const { uri } of resources) if (typeof uri === 'string') times.set(uri, later.get(uri) ?? since)
  return times
}

/** @param snapshots By server, sorted by name: of two servers that listed an address at the same time the first one keeps it. */
export function findAddressClashes(
  snapshots: readonly (readonly [server: string, snapshot: AddressTimes])[],
): readonly AddressClash[] {
  const owners = new Map<string, { readonly server: string; readonly first: string }[]>()
  for (const [server, snapshot] of snapshots)
    for (const [uri, first] of firstListings(snapshot)) {
      const known = owners.get(uri)
      if (known) known.push({ server, first })
      else owners.set(uri, [{ server, first }])
    }
  return [...owners].flatMap(([uri, listing]) => {
    if (listing.length < 2) return []
    const kept = listing.reduce((oldest, each) => (each.first < oldest.first ? each : oldest)).server
    const others = listing.map(({ server }) => server).filter((server) => server !== kept)
    return [{ uri, kept, others }]
  })
}
