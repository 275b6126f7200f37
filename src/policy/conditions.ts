import { inDialect } from './list-dialect.ts'
import { ownerOf } from './layers.ts'
import type { LayerKind } from './layers.ts'
import type { Predicate } from './predicates.ts'
import type { Subject } from './read-only.ts'
import { effects } from './call-rules.ts'
import type { Effect, ReadyRules } from './call-rules.ts'

/** A rule that speaks against some calls of a tool: whether it does depends on their arguments. */
export interface ConditionalRule {
  readonly effect: Effect
  /** All of them must hold. */
  readonly when: readonly Predicate[]
  readonly reason: string
  readonly layer: LayerKind
}

/** The rules that count whatever the arguments are. */
export function withoutConditions(rules: ReadyRules): ReadyRules {
  return rules.filter(({ rule }) => !isConditional(rule.when))
}

/** Those that some arguments bring into force, where they demand more than counts for all of them; the strictest first. */
export function conditionalRules(
  tool: Subject,
  rules: ReadyRules,
  { beyond }: { readonly beyond: Effect },
): readonly ConditionalRule[] {
  const rank = (effect: Effect) => effects.indexOf(effect)
  return rules
    .filter(({ rule }) => isConditional(rule.when) && rank(rule.effect) > rank(beyond))
    .filter(({ rule, globs }) => globs.admits(inDialect(tool, rule.dialect)))
    .map(({ rule, layer }) => ({
      effect: rule.effect,
      when: rule.when ?? [],
      reason: rule.reason ?? `A rule of ${ownerOf({ ...rule, kind: layer })} says ${rule.effect}.`,
      layer,
    }))
    .toSorted((a, b) => rank(b.effect) - rank(a.effect))
}

function isConditional(when: readonly Predicate[] = []): boolean {
  return when.length > 0
}
