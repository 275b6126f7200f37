import type { Acceptance, AcceptedOffer, HeldOffer, OfferRef, RemovedOffer } from './acceptance.ts'
import { listOffers } from './offered-list.ts'
import type { Offers } from './offered-list.ts'

/** A snapshot that says which lists the server answered. */
interface ListedOffers extends Offers {
  readonly marks?: Readonly<Record<string, unknown>>
}

/**
 * What was accepted and is not offered now. Prompts, templates and skills count only if their list was answered: one that failed or
 * was not asked for says nothing. A name that is held as renamed is shown there.
 */
export function removedOffers(
  offered: ListedOffers,
  acceptance: Acceptance,
  held: readonly HeldOffer[] = [],
): readonly RemovedOffer[] {
  const { marks = {} } = offered
  const known: readonly RemovedOffer[] = [
    ...(acceptance.instructions
      ? [{ kind: 'instructions', name: '', accepted: acceptance.instructions } as const]
      : []),
    ...toRemoved('tool', acceptance.tools),
    ...(marks['prompts'] === undefined ? [] : toRemoved('prompt', acceptance.prompts)),
    ...(marks['resourceTemplates'] === undefined ? [] : toRemoved('template', acceptance.templates)),
    ...(marks['skills'] === undefined ? [] : toRemoved('skill', acceptance.skills)),
  ]
  const renamed = held.flatMap(({ kind, renamedFrom }) =>
    renamedFrom === undefined ? [] : [{ kind, name: renamedFrom }],
  )
  const present = new Set([...listOffers(offered), ...renamed].map(identityOf))
  return known.filter((each) => !present.has(identityOf(each)))
}

function toRemoved(kind: OfferRef['kind'], offers: ReadonlyMap<string, AcceptedOffer>) {
  return [...offers].map(([name, accepted]): RemovedOffer => ({ kind, name, accepted }))
}

function identityOf({ kind, name }: OfferRef): string {
  return `${kind} ${name}`
}
