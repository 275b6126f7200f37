import type { Acceptance, HeldOffer, LockedOffers } from '../../acceptances/acceptance.ts'
import { judgeOffers } from '../../acceptances/judge-offers.ts'
import type { AcceptedAddition, JudgingMode } from '../../acceptances/judge-offers.ts'
import type { JsonObject } from '../../model/json.ts'

interface AppInput {
  readonly server: string
  /** Its hash and what it asks for. */
  readonly definition: JsonObject
  readonly acceptance: Acceptance | undefined
  readonly mode: JudgingMode
  readonly lock: LockedOffers | undefined
  readonly now: string
}

/** Judges the document of an app as a definition is judged. Its texts are shown to a person, so they hold nothing by themselves. */
export function judgeApp({ definition, ...input }: AppInput): {
  readonly held?: HeldOffer
  readonly addition?: AcceptedAddition
} {
  const offered = { tools: [], prompts: [], resourceTemplates: [], apps: [definition] }
  const { held, additions } = judgeOffers({ ...input, offered, findingsOf: () => [] })
  const [heldApp] = held
  const [addition] = additions
  return { ...(heldApp && { held: heldApp }), ...(addition && { addition }) }
}
