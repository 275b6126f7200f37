import { isAtLeast } from '../model/finding.ts'
import { noAcceptance } from './acceptance.ts'
import type { Acceptance, AcceptedOffer, HeldOffer, OfferRef, ScanRecord } from './acceptance.ts'
import type { AcceptedAddition } from './judge-offers.ts'
import { acceptedOf, listKeys } from './offered-list.ts'

/** The last decisions against a definition; older ones are forgotten, and their definitions are held as changed. */
const maxRejected = 1000

/** Adds what was accepted at first sight or as an addition. What another process accepted meanwhile stays. */
export function withAdditions(
  acceptance: Acceptance = noAcceptance,
  additions: readonly AcceptedAddition[],
): Acceptance {
  const fresh = additions.filter((each) => !acceptedOf(acceptance, each))
  return fresh.reduce((result, { offer, ...ref }) => withOffer(result, ref, offer), copy(acceptance))
}

/** What the scanner found in the definitions that are held now; records of others are dropped. */
export function withScans(
  acceptance: Acceptance,
  held: readonly HeldOffer[],
  scans: ReadonlyMap<string, ScanRecord>,
): Acceptance {
  const hashes = new Set(held.map(({ current }) => current.hash))
  return { ...acceptance, scans: new Map([...scans].filter(([hash]) => hashes.has(hash))) }
}

/** A person accepts a held offer: it replaces what was accepted under its name, or under its earlier one. */
export function withAccepted(acceptance: Acceptance, offer: HeldOffer, at: string): Acceptance {
  const { kind, name, current, renamedFrom } = offer
  const result = copy(acceptance)
  if (renamedFrom !== undefined && kind !== 'instructions') result[listKeys[kind]].delete(renamedFrom)
  return withoutRejected(withOffer(result, offer, { ...current, at, how: 'person' }), { kind, name })
}

/** A person forgets what the server no longer offers: if it comes back, it is new. */
export function withForgotten(acceptance: Acceptance, { kind, name }: OfferRef): Acceptance {
  const result = copy(acceptance)
  if (kind !== 'instructions') result[listKeys[kind]].delete(name)
  const { instructions, ...rest } = result
  return { ...rest, ...(kind !== 'instructions' && instructions && { instructions }) }
}

/** A person rejects exactly this definition. */
export function withRejected(acceptance: Acceptance, offer: HeldOffer, at: string): Acceptance {
  const { kind, name, current } = offer
  const others = withoutRejected(acceptance, { kind, name }, current.hash).rejected
  const rejected = [...others, { kind, name, hash: current.hash, at }].slice(-maxRejected)
  return { ...acceptance, rejected }
}

/** Critical findings of the scanner are not a person's to accept by the way: they are ignored one by one, with a reason. */
export function isQuarantined({ findings }: HeldOffer): boolean {
  return findings.some(
    ({ rule, severity }) =>
      isAtLeast(severity, 'critical') && (!rule.startsWith('DRF-') || rule === 'DRF-004'),
  )
}

function withoutRejected(acceptance: Acceptance, { kind, name }: OfferRef, hash?: string): Acceptance {
  const rejected = acceptance.rejected.filter(
    (each) => each.kind !== kind || each.name !== name || (hash !== undefined && each.hash !== hash),
  )
  return { ...acceptance, rejected }
}

type MutableAcceptance = ReturnType<typeof copy>

function copy(acceptance: Acceptance) {
  const { tools, prompts, templates, apps, skills, resources } = acceptance
  return {
    ...acceptance,
    tools: new Map(tools),
    prompts: new Map(prompts),
    templates: new Map(templates),
    apps: new Map(apps),
    skills: new Map(skills),
    resources: new Map(resources),
  }
}

/** Changes the copy in place: thousands of offers are added at first sight. */
function withOffer(result: MutableAcceptance, { kind, name }: OfferRef, offer: AcceptedOffer) {
  if (kind === 'instructions') return { ...result, instructions: offer }
  result[listKeys[kind]].set(name, offer)
  return result
}
