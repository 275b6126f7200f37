import type { Finding } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import { Budget, serverBudget } from './engine/budget.ts'
import { scanValue } from './engine/scan-value.ts'
import type { ScanOptions } from './engine/scan-value.ts'
import { textsOf, toSubject } from './scan-definition.ts'
import type { DefinitionKind } from './scan-definition.ts'

/** Everything that one server offers, as it sent it. */
export interface ServerOffers {
  readonly server: string
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly skills?: readonly JsonObject[]
  readonly instructions?: string
}

/**
 * Scans all definitions of a server for text that would instruct a model. Offline, and deterministic: equal offers give
 * equal findings.
 */
export function scanOffers(offers: ServerOffers, options?: ScanOptions): readonly Finding[] {
  const { server, instructions } = offers
  const total = new Budget(serverBudget)
  const of = (kind: DefinitionKind, list: readonly JsonObject[]) =>
    list.flatMap((definition) =>
      scanValue(toSubject(kind, definition, server), textsOf(kind, definition), options, total),
    )
  return [
    ...(instructions === undefined
      ? []
      : scanValue({ kind: 'instructions', server }, instructions, options, total)),
    ...of('tool', offers.tools),
    ...of('prompt', offers.prompts),
    ...of('resource', offers.resources),
    ...of('template', offers.resourceTemplates),
    ...of('skill', offers.skills ?? []),
  ]
}
