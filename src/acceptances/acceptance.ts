import type { Definition, OfferKind } from '../model/definition/canonical-definition.ts'
import type { Finding } from '../model/finding.ts'

/**
 * How an offer came to be accepted: with the first list of its server, as an addition to a later one, by a person, or
 * with an earlier declaration of the same server.
 */
export type AcceptedHow = 'first-sight' | 'added' | 'person' | 'carried'

/** An offer as it was accepted. */
export interface AcceptedOffer {
  /** Of the canonical definition (`model/definition/canonical-definition.ts`), before secrets in it were masked. */
  readonly hash: string
  /** The canonical definition, with secrets masked. */
  readonly definition: Definition
  /** ISO 8601. */
  readonly at: string
  readonly how: AcceptedHow
}

/** A definition that a person has rejected: it stays held while the server offers exactly this one. */
export interface RejectedOffer {
  readonly kind: OfferKind
  readonly name: string
  readonly hash: string
  readonly at: string
}

/** What was accepted of one server. */
export interface Acceptance {
  readonly instructions?: AcceptedOffer
  /** By the server's own names; templates by their pattern, skills by their address. Maps: a server may call a tool `__proto__`. */
  readonly tools: ReadonlyMap<string, AcceptedOffer>
  readonly prompts: ReadonlyMap<string, AcceptedOffer>
  readonly templates: ReadonlyMap<string, AcceptedOffer>
  /** Documents of apps by their address: their hash and what they ask for, not their text. */
  readonly apps: ReadonlyMap<string, AcceptedOffer>
  readonly skills: ReadonlyMap<string, AcceptedOffer>
  /** Only those that a person accepted although the scanner found something in them, by their address. */
  readonly resources: ReadonlyMap<string, AcceptedOffer>
  /** What the scanner found in the list of resources that has this hash: it is not scanned again at every start. */
  readonly resourceScan?: ScanRecord & { readonly hash: string }
  readonly rejected: readonly RejectedOffer[]
  /** What the scanner found in definitions that are held, by their hash: they are not scanned again at every start. */
  readonly scans: ReadonlyMap<string, ScanRecord>
}

export interface ScanRecord {
  /** The version of the rules; other rules scan again. */
  readonly rules: string
  readonly findings: readonly Finding[]
}

/** Which offers a file agreed on by a team admits: by name the hash of each definition. It only narrows. */
export interface LockedOffers {
  readonly instructions?: string
  readonly tools: ReadonlyMap<string, string>
  readonly prompts: ReadonlyMap<string, string>
  readonly templates: ReadonlyMap<string, string>
  /** Absent in a file that says nothing about apps. */
  readonly apps?: ReadonlyMap<string, string>
  readonly skills: ReadonlyMap<string, string>
  /** Why it admits nothing, as a sentence. */
  readonly note?: string
}

/** Names an offer of a server; the instructions have an empty name. */
export interface OfferRef {
  readonly kind: OfferKind
  readonly name: string
}

export const noAcceptance: Acceptance = {
  tools: new Map(),
  prompts: new Map(),
  templates: new Map(),
  apps: new Map(),
  skills: new Map(),
  resources: new Map(),
  rejected: [],
  scans: new Map(),
}

/**
 * Why an offer is held: it is another definition than the accepted one, the accepted one under another name, one that
 * declares less harmless behavior or takes more; it is new and the mode is `strict`; the scanner found something high or
 * critical; a person rejected it; it differs from the lock file.
 */
export type HeldReason = 'changed' | 'renamed' | 'loosened' | 'added' | 'scan' | 'rejected' | 'lock'

/** What a server offers now, and a model does not get. */
export interface HeldOffer {
  readonly kind: OfferKind
  /** The server's own name; of a template, its pattern; of a skill, its address; empty for instructions. */
  readonly name: string
  readonly reason: HeldReason
  /** What was accepted under this name, or under `renamedFrom`. */
  readonly accepted?: AcceptedOffer
  readonly current: OfferedDefinition
  /** What the scanner found in the current definition, and what changed for the worse. */
  readonly findings: readonly Finding[]
  readonly renamedFrom?: string
  /** Why the lock file admits nothing of the server, if it does not. */
  readonly note?: string
}

/** What was accepted, and the server no longer offers. It is compared with that if it comes back, until a person forgets it. */
export interface RemovedOffer extends OfferRef {
  readonly accepted: AcceptedOffer
}

/** A definition as it is offered now. A decision of a person is bound to the hash that they were shown. */
export interface OfferedDefinition {
  readonly hash: string
  /** The canonical definition, with secrets masked. */
  readonly definition: Definition
}
