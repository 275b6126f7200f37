import type { Diagnostic } from '../model/diagnostic.ts'
import type { Acceptance } from './acceptance.ts'

/** Whose acceptance it is: one declaration of one server, as one account. */
export interface AcceptanceOwner {
  /** Of the entry; for a project's entry, of its place too. */
  readonly key: string
  /** Of the server's name and the place of its declaration: an edited entry finds what was accepted before by it. */
  readonly placeKey: string
  /** The server's name, by which a team finds it: the places of its machines differ. */
  readonly server: string
  /** The account of the connection: a server may offer other things to another one. */
  readonly account: string
}

export type AcceptanceReading =
  /** Nothing was accepted yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly acceptance: Acceptance }
  /** What was accepted is unknown, so nothing counts as accepted, and first sight neither. */
  | { readonly kind: 'damaged'; readonly problem: Diagnostic }

/** Where acceptances are kept: private files, or the database of a team. */
export interface AcceptanceStore {
  read(owner: AcceptanceOwner): Promise<AcceptanceReading>
  /** Replaces an acceptance by one made from the current one, while no other process changes it. Throws if it is damaged. */
  change(
    owner: AcceptanceOwner,
    change: (acceptance: Acceptance | undefined) => Acceptance,
  ): Promise<Acceptance>
}
