import { canonicalDefinition, hashDefinition, offerName } from '../model/definition/canonical-definition.ts'
import type { Definition, OfferKind } from '../model/definition/canonical-definition.ts'
import { isAtLeast } from '../model/finding.ts'
import type { Finding, FindingSubject } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { compareForDrift } from '../scan/compare-for-drift.ts'
import { noAcceptance } from './acceptance.ts'
import type {
  Acceptance,
  AcceptedOffer,
  HeldOffer,
  HeldReason,
  LockedOffers,
  OfferRef,
} from './acceptance.ts'
import { acceptedOf, hashOffered, isAsAccepted, listKeys, listOffers } from './offered-list.ts'
import type { Offered, Offers } from './offered-list.ts'
import { createRenames } from './renamed-offers.ts'

/** `tofu` accepts what is new if the scanner finds nothing bad; `strict` holds it too. */
export type JudgingMode = 'tofu' | 'strict'

export interface JudgeInput<O extends Offers> {
  readonly server: string
  readonly offered: O
  /** Absent at first sight. */
  readonly acceptance: Acceptance | undefined
  readonly mode: JudgingMode
  /** What the scanner finds in the definition of this hash, without what a person ignores. */
  readonly findingsOf: (hash: string) => readonly Finding[]
  readonly lock?: LockedOffers | undefined
  /** ISO 8601. */
  readonly now: string
}

export interface AcceptedAddition extends OfferRef {
  readonly offer: AcceptedOffer
}

export interface Judgement<O extends Offers> {
  /** What a model gets: the accepted part, and the accepted instructions. */
  readonly snapshot: O
  readonly held: readonly HeldOffer[]
  /** What was accepted just now. */
  readonly additions: readonly AcceptedAddition[]
}

/** Beyond that, what is new is held: names that are never the same would push the accepted ones out. */
const maxAccepted = 20_000

/** Judges what a server offers against what was accepted of it. Pure. */
export function judgeOffers<O extends Offers>(input: JudgeInput<O>): Judgement<O> {
  const { offered, acceptance = noAcceptance, now } = input
  const offers = listOffers(offered)
  const renames = createRenames(offers, acceptance)
  const held: HeldOffer[] = []
  const additions: AcceptedAddition[] = []
  for (const offer of offers) {
    const hash = hashOf(offer, input)
    const found = hold(offer, hash, input, renames)
    if (found) held.push(found)
    else if (hash !== undefined) {
      const how = input.acceptance ? 'added' : 'first-sight'
      const definition = canonicalDefinition(offer.sent)
      additions.push({ kind: offer.kind, name: offer.name, offer: { hash, definition, at: now, how } })
    }
  }
  return { snapshot: withoutHeld(held, input), held, additions }
}

/** The hash of an offer that is not accepted as it is; the others are not hashed, unless a lock file needs it. */
function hashOf<O extends Offers>(offer: Offered, input: JudgeInput<O>): string | undefined {
  const { acceptance = noAcceptance, offered } = input
  const accepted = acceptedOf(acceptance, offer)
  if (accepted && isAsAccepted(offer, accepted, offered)) return undefined
  return offer.conflicting === undefined ? hashOffered(offer, offered) : hashDefinition(offer.conflicting)
}

/** Why an offer is held, if it is. `hash` is absent for one that is accepted as it is. */
function hold<O extends Offers>(
  offer: Offered,
  hash: string | undefined,
  input: JudgeInput<O>,
  renames: ReturnType<typeof createRenames>,
): HeldOffer | undefined {
  const { kind, name, conflicting } = offer
  const { server, acceptance = noAcceptance, lock } = input
  const accepted = acceptedOf(acceptance, offer)
  const definition = canonicalDefinition(conflicting ?? offer.sent)
  const subject: FindingSubject = { kind, server, ...(kind !== 'instructions' && { name }) }
  const found = hash === undefined ? [] : input.findingsOf(hash)
  const toHeld = (reason: HeldReason, more: Partial<HeldOffer> = {}): HeldOffer => ({
    kind,
    name,
    reason,
    ...(accepted && { accepted }),
    current: { hash: hash ?? accepted?.hash ?? '', definition },
    findings: found,
    ...more,
  })
  if (conflicting !== undefined) {
    // Which of two definitions a model would get depends on the page that is read last (DRF-004).
    const first = canonicalDefinition(offer.sent)
    const findings = [...drift(first, definition, subject, { isInSession: true }), ...found]
    return toHeld(accepted ? 'changed' : 'scan', { findings })
  }
  // A lock file without apps says nothing about them.
  const isPinned = kind !== 'app' || lock?.apps !== undefined
  if (lock && isPinned && lockedHash(lock, offer) !== hashOffered(offer, input.offered)) {
    const changes = hash !== undefined && accepted ? drift(accepted.definition, definition, subject) : []
    return toHeld('lock', {
      findings: [...changes, ...found],
      ...(lock.note !== undefined && { note: lock.note }),
    })
  }
  if (hash === undefined) return undefined
  const rejected = acceptance.rejected.filter((each) => each.kind === kind && each.name === name)
  const isRejected = rejected.some((each) => each.hash === hash)
  if (accepted) {
    const changes = drift(accepted.definition, definition, subject)
    const isLooser = changes.some(({ rule }) => rule === 'DRF-003')
    const reason = isRejected ? 'rejected' : isLooser ? 'loosened' : 'changed'
    return toHeld(reason, { findings: [...changes, ...found] })
  }
  const renamedFrom = renames.earlierName(offer)
  const before = renamedFrom === undefined ? undefined : acceptedOf(acceptance, { kind, name: renamedFrom })
  const renamed = before && renamedFrom !== undefined ? { renamedFrom, accepted: before } : {}
  if (isRejected) return toHeld('rejected', renamed)
  if (renamedFrom !== undefined) return toHeld('renamed', renamed)
  if (found.some(({ severity }) => isAtLeast(severity, 'high'))) return toHeld('scan')
  // A person said no to this name: another text under it is for them to look at, too.
  if (input.mode === 'strict' || rejected.length > 0 || isFull(acceptance, kind)) return toHeld('added')
  return undefined
}

function isFull(acceptance: Acceptance, kind: OfferKind): boolean {
  return kind !== 'instructions' && acceptance[listKeys[kind]].size >= maxAccepted
}

function lockedHash(lock: LockedOffers, { kind, name }: Offered): string | undefined {
  if (kind === 'resource') return undefined
  return kind === 'instructions' ? lock.instructions : lock[listKeys[kind]]?.get(name)
}

/** What changed for the worse. A number beyond the range of a double has no canonical form, so it is read as null. */
function drift(
  before: Definition,
  after: Definition,
  subject: FindingSubject,
  options?: { readonly isInSession: boolean },
): readonly Finding[] {
  const toObject = (definition: Definition): JsonObject =>
    typeof definition === 'string' ? { text: definition } : JSON.parse(JSON.stringify(definition))
  return compareForDrift(toObject(before), toObject(after), subject, options)
}

/** The same snapshot if nothing is held. */
function withoutHeld<O extends Offers>(held: readonly HeldOffer[], input: JudgeInput<O>): O {
  const { offered } = input
  if (held.length === 0) return offered
  const names = (kind: OfferKind) =>
    new Set(held.filter((each) => each.kind === kind).map(({ name }) => name))
  const without = (kind: OfferKind, list: readonly JsonObject[]) => {
    const gone = names(kind)
    return gone.size === 0 ? list : list.filter((each) => !gone.has(offerName(kind, each)))
  }
  const { instructions, ...rest } = offered
  const kept = instructionsAs(instructions, held, input)
  // The lists lose items only, so the snapshot keeps its type.
  return {
    ...rest,
    tools: without('tool', offered.tools),
    prompts: without('prompt', offered.prompts),
    resourceTemplates: without('template', offered.resourceTemplates),
    ...(offered.skills && { skills: without('skill', offered.skills) }),
    ...(kept !== undefined && { instructions: kept }),
  } as unknown as O
}

/** Held instructions are replaced by the accepted ones, if the lock file agrees with those. */
function instructionsAs(
  sent: string | undefined,
  held: readonly HeldOffer[],
  { acceptance = noAcceptance, lock }: Pick<JudgeInput<Offers>, 'acceptance' | 'lock'>,
): string | undefined {
  if (!held.some(({ kind }) => kind === 'instructions')) return sent
  const { hash, definition } = acceptance.instructions ?? {}
  const isAgreed = !lock || lock.instructions === hash
  return isAgreed && typeof definition === 'string' ? definition : undefined
}
