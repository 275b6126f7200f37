import type { Diagnostic } from '../model/diagnostic.ts'
import { isInCode } from '../model/server.ts'
import type { Preview } from '../model/resolved.ts'
import type { Authority, Discovery, Server, ShadowedServer, TrustState } from '../model/server.ts'

/** Where a name is declared, which declaration is in force, and why. */
export interface Explanation {
  readonly name: string
  readonly winner?: Server
  readonly trust?: TrustState
  readonly resolved?: Preview
  readonly reason: string
  readonly hidden: readonly ShadowedServer[]
  readonly diagnostics: readonly Diagnostic[]
}

/** One explanation per server of that name. There are several only if an owner allows names to repeat. */
export function explain(discovery: Discovery, name: string): readonly Explanation[] {
  const winners = discovery.servers.filter((server) => server.name === name)
  const hidden = discovery.shadowed.filter(({ server }) => server.name === name)
  const diagnostics = discovery.diagnostics.filter(({ server }) => server === name)
  if (winners.length === 0 && hidden.length === 0 && diagnostics.length === 0) return []
  if (winners.length === 0) return [{ name, reason: unusableReason(hidden.length), hidden, diagnostics }]
  return winners.map((winner) => {
    const trust = discovery.trust.get(winner)
    const resolved = discovery.resolved?.get(winner)
    return {
      name,
      winner,
      ...(trust && { trust }),
      ...(resolved && { resolved }),
      reason: reasonFor(winner, hidden),
      hidden,
      diagnostics,
    }
  })
}

function unusableReason(hidden: number): string {
  return hidden > 0
    ? 'The declaration that claims this name cannot be used, and it still hides the others.'
    : 'It is declared, but no declaration can be used.'
}

function reasonFor(winner: Server, all: readonly ShadowedServer[]): string {
  const { scope, source, authority } = winner.origin
  const waiting = all.find(({ trust }) => trust)
  if (waiting)
    return `It is in force while the project’s entry in ${waiting.server.origin.file}, which ranks higher, waits for your trust.`
  const hidden = all.map(({ server }) => server)
  if (winner.mergedFrom) return `It is merged from ${winner.mergedFrom.length + 1} layers, as ${source} does.`
  if (hidden.length === 0) return `It is the only declaration of this name (${scope}).`
  const clients = [...new Set(hidden.map(({ origin }) => origin.source))].filter((id) => id !== source)
  const isWithin = authority === 'explicit' || hidden.some(({ origin }) => origin.source === source)
  const reasons = [
    ...(isWithin ? [isInCode(winner) ? ofCode : ranks[authority]] : []),
    ...(clients.length > 0 && authority !== 'explicit' ? [orderOf(source, clients)] : []),
  ]
  return `Of ${hidden.length + 1} declarations, this one is in force: ${reasons.join(', and ')}.`
}

const ofCode = 'the program declares it in code, which ranks highest'

/** Reasons for the rank within one client. */
const ranks: Readonly<Record<Authority, string>> = {
  explicit: 'it was named by the operator, which ranks highest',
  managed: 'it is managed, which ranks above projects and users',
  project: 'it is the nearest declaration of the project',
  user: 'it is the user’s own',
}

/** The reason for the rank between clients, which does not depend on scopes (D-16). */
function orderOf(source: string, clients: readonly string[]): string {
  const others = clients.join(' and ')
  return source === 'plugboard'
    ? `files of plugboard come before those of ${others}`
    : `${source} was turned on before ${others}`
}
