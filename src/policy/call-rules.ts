import type { Agent, ListDialect } from '../model/agent.ts'
import { hashOf } from '../model/canonical.ts'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import type { Json } from '../model/json.ts'
import type { Approval } from '../model/memory.ts'
import { findApproval } from './approvals.ts'
import type { Question } from './approvals.ts'
import { checkGlobs } from './check-globs.ts'
import { globOptions, inDialect } from './list-dialect.ts'
import { toGlobs } from './globs.ts'
import type { ToolGlobs } from './globs.ts'
import { layerKinds, ownerOf } from './layers.ts'
import type { LayerKind } from './layers.ts'
import { holds } from './predicates.ts'
import type { Predicate } from './predicates.ts'
import type { ReadyGuard, Subject } from './read-only.ts'

/** From the mildest to the strictest. */
export const effects = ['allow', 'ask', 'deny'] as const
export type Effect = (typeof effects)[number]

/**
 * Whether calls of some tools run. Within a layer the strictest rule that applies counts, whatever their order: an
 * exception is written into the globs (`['*', '!read_*']`). Between layers too: none can lift what another one demands.
 */
export interface Rule {
  readonly effect: Effect
  /** Globs over names or refs, as in a `tools:` list. */
  readonly tools: readonly string[]
  /** All of them must hold. */
  readonly when?: readonly Predicate[]
  readonly reason?: string
  /** `user` by default. */
  readonly layer?: LayerKind
  readonly dialect?: ListDialect
  /** Where it stands, if in a file. */
  readonly origin?: Place
}

export interface Decision {
  readonly effect: Effect
  readonly reason: string
  readonly by: 'guard' | 'rule' | 'approval' | 'default'
  readonly layer?: LayerKind
  /** For `ask`: what a person's yes must cover. */
  readonly asks?: readonly string[]
}

interface ReadyRule {
  readonly rule: Rule
  readonly layer: LayerKind
  readonly globs: ToolGlobs
  /** The same for two rules that ask about the same condition. */
  readonly condition: () => string
}

export type ReadyRules = readonly ReadyRule[]

/** Throws for a rule that says nothing: one that does not apply by mistake would let calls through. */
export function toRules(rules: readonly Rule[]): ReadyRules {
  return rules.map(toReady)
}

/** What an agent's own file asks for. */
export function agentRules({ name, asks, dialect, within }: Agent): readonly Rule[] {
  const reason = `The agent "${name}" asks before it uses this tool.`
  const own: Rule = { effect: 'ask', tools: asks ?? [], layer: 'agent', reason, ...(dialect && { dialect }) }
  return [...(within ? agentRules(within) : []), ...(asks ? [own] : [])]
}

export interface Callable extends Subject {
  /** Of its definition. */
  readonly hash: string
}

export interface CallPolicy {
  readonly rules: ReadyRules
  readonly guard?: ReadyGuard | undefined
  readonly approvals?: readonly Approval[]
  readonly conversation?: string | undefined
  /** What stands for the declaration of a tool's server; empty for the embedder's own tools. */
  readonly entryOf?: (tool: Callable) => string
}

/** Guard, then rules, then what a person said before: an approval answers a question and lifts no denial. */
export function decideCall(tool: Callable, args: Json, policy: CallPolicy): Decision {
  const refusal = policy.guard?.refusal(tool)
  if (refusal !== undefined) return { effect: 'deny', by: 'guard', reason: refusal }
  const decision = policy.rules.length === 0 ? allowed : applyRules(tool, args, policy.rules)
  if (decision.effect !== 'ask') return decision
  const approval = findApproval(questionOf(tool, decision, policy), policy.approvals ?? [])
  if (!approval) return decision
  const where = approval.conversation === undefined ? '' : ' for this conversation'
  return { effect: 'allow', by: 'approval', reason: `A person approved it${where} on ${approval.at}.` }
}

/** What a person is asked when a decision is `ask`. The hash of a definition is computed only when it is looked at. */
export function questionOf(
  tool: Callable,
  { asks = [] }: Pick<Decision, 'asks'>,
  { entryOf, conversation }: Pick<CallPolicy, 'entryOf' | 'conversation'>,
): Question {
  return {
    ref: tool.ref ?? tool.name,
    get definition() {
      return tool.hash
    },
    entry: entryOf?.(tool) ?? '',
    asks,
    ...(conversation !== undefined && { conversation }),
  }
}

/** Patterns that match nothing, once all tools are known: a rule with a slip of the pen lets through what it was written against. */
export function checkRules(rules: ReadyRules, tools: readonly Subject[]): readonly Diagnostic[] {
  return rules.flatMap(({ rule: { tools: patterns, dialect, origin }, layer }) =>
    checkGlobs(
      {
        patterns,
        owner: `a rule of ${ownerOf({ kind: layer, ...(origin && { origin }) })}`,
        ...(origin && { origin }),
        isForeign: dialect !== undefined,
        ...globOptions(dialect),
      },
      tools.map((tool) => inDialect(tool, dialect)),
    ),
  )
}

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
      reason: reasonOf(rule, layer),
      layer,
    }))
    .toSorted((a, b) => rank(b.effect) - rank(a.effect))
}

function isConditional(when: readonly Predicate[] = []): boolean {
  return when.length > 0
}

function applyRules(tool: Callable, args: Json, rules: ReadyRules): Decision {
  const matching = rules.filter((ready) => applies(ready, tool, args))
  const strictest = matching.reduce<Effect>((effect, { rule }) => stricter(effect, rule.effect), 'allow')
  const deciding = matching.filter(({ rule }) => rule.effect === strictest)
  const [first] = deciding
  if (!first) return allowed
  const { rule, layer } = first
  const asks = strictest === 'ask' && [...new Set(deciding.map(({ condition }) => condition()))]
  return { effect: strictest, by: 'rule', layer, reason: reasonOf(rule, layer), ...(asks && { asks }) }
}

function reasonOf(rule: Rule, layer: LayerKind): string {
  return rule.reason ?? `A rule of ${ownerOf({ ...rule, kind: layer })} says ${rule.effect}.`
}

const allowed: Decision = { effect: 'allow', by: 'default', reason: 'No rule speaks against it.' }

function applies({ rule, globs }: ReadyRule, tool: Callable, args: Json): boolean {
  if (!globs.admits(inDialect(tool, rule.dialect))) return false
  const need = rule.effect === 'allow' ? 'all' : 'any'
  return (rule.when ?? []).every((predicate) => holds(predicate, args, need))
}

function stricter(a: Effect, b: Effect): Effect {
  return effects.indexOf(a) >= effects.indexOf(b) ? a : b
}

function toReady(rule: Rule): ReadyRule {
  const { effect, tools, when = [], layer = 'user', dialect } = rule
  if (!effects.includes(effect)) throw invalid(rule, `"effect" is one of ${effects.join(', ')}`)
  if (!layerKinds.includes(layer)) throw invalid(rule, `"layer" is one of ${layerKinds.join(', ')}`)
  if (!tools.some((pattern) => !pattern.startsWith('!'))) throw invalid(rule, '"tools" names no tool')
  for (const { at } of when) {
    if (at !== '' && !at.startsWith('/')) throw invalid(rule, `"at" is a JSON pointer such as "/${at}"`)
  }
  const purpose = effect === 'allow' ? 'admit' : 'restrict'
  const globs = toGlobs(tools, { ...globOptions(dialect), purpose })
  return { rule, layer, globs, condition: () => (when.length === 0 ? '' : hashOf(when)) }
}

function invalid(rule: Rule, message: string): HostError {
  return new HostError('config.invalid', {}, `The rule ${JSON.stringify(rule)} cannot be used: ${message}.`)
}
