import type { HeldOffer } from '../../acceptances/acceptance.ts'
import type { HeldTool } from '../../calls/view/view-context.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { createClaims } from '../../catalog/tool-names.ts'
import type { NamingRules } from '../../model/preset.ts'
import { isAtLeast } from '../../model/finding.ts'
import { toRef } from '../../model/tool.ts'
import { heldAt } from './held-addresses.ts'
import type { OfferGate } from './offer-gate.ts'

interface HeldToolOptions {
  readonly naming: NamingRules
  readonly catalog: Pick<Catalog, 'byRef' | 'snapshotOf'>
}

/** The held tools as views explain them, by the names that models knew or would know them by. */
export class HeldToolNames {
  readonly #gate: Pick<OfferGate, 'heldOf'>
  readonly #options: HeldToolOptions
  /** The names that models knew tools by before they were held, by ref. */
  readonly #names = new Map<string, string>()

  constructor(gate: Pick<OfferGate, 'heldOf'>, options: HeldToolOptions) {
    this.#gate = gate
    this.#options = options
  }

  /** Before the catalog loses what is held now. */
  remember(server: string): void {
    for (const { kind, name } of this.#gate.heldOf(server)) {
      const ref = toRef(server, name)
      const known = kind === 'tool' ? this.#options.catalog.byRef(ref)?.name : undefined
      if (known !== undefined) this.#names.set(ref, known)
    }
  }

  of(servers: readonly string[]): readonly HeldTool[] {
    return servers.flatMap((server) => {
      const held = this.#gate.heldOf(server).filter(({ kind }) => kind === 'tool')
      if (held.length === 0) return []
      const claim = createClaims(this.#options.naming, server)
      return held.map((offer) => {
        const { ref, ...rest } = toHeld(server, offer)
        return { ...rest, ref, name: this.#names.get(ref) ?? claim(offer.name).plain }
      })
    })
  }

  /** The held prompts of a server, by its own names. */
  promptsOf(server: string): readonly HeldTool[] {
    const held = this.#gate.heldOf(server).filter(({ kind }) => kind === 'prompt')
    return held.map((offer) => ({ ...toHeld(server, offer), name: offer.name }))
  }

  /** The held offer of a server that an address belongs to, unless something accepted has that address too. */
  at(server: string, uri: string): HeldTool | undefined {
    const found = heldAt(uri, this.#gate.heldOf(server), this.#options.catalog.snapshotOf(server))
    return found && { ...toHeld(server, found), name: found.name }
  }
}

function toHeld(server: string, offer: HeldOffer): Omit<HeldTool, 'name'> {
  const { name, reason } = offer
  return { ref: toRef(server, name), server, tool: name, reason, why: whyHeld(offer) }
}

/** Says why an offer is held, in words of ours: the texts of the server would reach a model that way. */
export function whyHeld({ reason, findings, accepted, renamedFrom, note }: HeldOffer): string {
  switch (reason) {
    case 'changed':
      return 'Its definition has changed since it was accepted.'
    case 'loosened':
      return 'Its definition has changed since it was accepted: it declares less harmless behavior, or takes more.'
    case 'renamed':
      return `It was accepted under another name${renamedFrom === undefined ? '' : `, ${JSON.stringify(renamedFrom.slice(0, 100))}`}.`
    case 'added':
      return 'It was never accepted, and what is new is held.'
    case 'scan':
      return `The scanner found ${badRules(findings)} in its definition.`
    case 'rejected':
      return accepted ? 'A person rejected the change of its definition.' : 'A person rejected it.'
    case 'lock':
      return note ?? 'It is not the one in the lock file of the project.'
    default:
      return reason satisfies never
  }
}

function badRules(findings: HeldOffer['findings']): string {
  const bad = findings.filter(({ severity }) => isAtLeast(severity, 'high'))
  const worst = bad.some(({ severity }) => severity === 'critical')
    ? 'something critical'
    : 'something suspicious'
  return `${worst} (${[...new Set(bad.map(({ rule }) => rule))].slice(0, 5).join(', ')})`
}
