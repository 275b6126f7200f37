import type { Agent, ListDialect } from '../model/agent.ts'
import { hashOf } from '../model/canonical.ts'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import type { Json } from '../model/json.ts'
import type { Approval } from '../model/memory.ts'
import { findApproval } from './approvals.ts'
import { allowingRule, reasonToAsk, writesCondition } from './ask-writes.ts'
import type { AllowingRule, AskWrites } from './ask-writes.ts'
import type { Question } from './approvals.ts'
import { checkGlobs } from './check-globs.ts'
import { globOptions, withDialectNames } from './list-dialect.ts'
import { compileGlobs } from './globs.ts'
import type { ToolGlobs } from './globs.ts'
import { layerKinds, ownerOf } from './layers.ts'
import type { LayerKind } from './layers.ts'
import { predicateHolds } from './predicates.ts'
import type { Predicate } from './predicates.ts'
import type { CompiledGuard, Subject } from './read-only.ts'
import type { TrifectaRisk } from './trifecta.ts'

/** Ordered from the mildest to the strictest. */
export const effects = ['allow', 'ask', 'deny'] as const
export type Effect = (typeof effects)[number]

/**
 * Whether calls of certain tools run. The strictest matching rule wins, within a layer and across layers, whatever their
 * order: no rule can relax another one. An exception belongs into the globs (`['*', '!read_*']`). `allow` has an effect only
 * where the host asks by itself (`asks`): there a rule of the layer `user` admits the calls that no other rule restricts.
 */
export interface Rule {
  readonly effect: Effect
  /** Globs over names or refs, as in a `tools:` list. */
  readonly tools: readonly string[]
  /** The rule applies if all predicates hold. */
  readonly when?: readonly Predicate[]
  readonly reason?: string
  /** `user` by default. */
  readonly layer?: LayerKind
  readonly dialect?: ListDialect
  /** The place in a file, for a declared rule. */
  readonly origin?: Place
}

export interface Decision {
  readonly effect: Effect
  readonly reason: string
  readonly by: 'guard' | 'rule' | 'trifecta' | 'approval' | 'default'
  readonly layer?: LayerKind
  /** For `ask`: the conditions that an approval must cover. */
  readonly asks?: readonly string[]
  /** For `ask` without any rule that asks: the rule that would allow such calls. */
  readonly allowedBy?: AllowingRule
}

interface CompiledRule {
  readonly rule: Rule
  readonly layer: LayerKind
  readonly globs: ToolGlobs
  /** A key for `when`: equal for two rules with the same condition. */
  readonly condition: () => string
}

export type CompiledRules = readonly CompiledRule[]

/** Parses rules. Throws for an invalid one: if it were ignored, calls that it should stop would run. */
export function compileRules(rules: readonly Rule[]): CompiledRules {
  return rules.map(compileRule)
}

/** The `ask` rules that an agent's file declares. */
export function agentRules({ name, asks, dialect, within }: Agent): readonly Rule[] {
  const reason = `The agent "${name}" asks before it uses this tool.`
  const own: Rule = { effect: 'ask', tools: asks ?? [], layer: 'agent', reason, ...(dialect && { dialect }) }
  return [...(within ? agentRules(within) : []), ...(asks ? [own] : [])]
}

export interface Callable extends Subject {
  /** The hash of its definition. */
  readonly hash: string
}

export interface CallPolicy {
  readonly rules: CompiledRules
  readonly guard?: CompiledGuard | undefined
  /** Set if calls ask by default. */
  readonly asksWrites?: AskWrites | undefined
  readonly approvals?: readonly Approval[]
  readonly conversation?: string | undefined
  /** The risk that a call completes the way of private data to strangers (T15). */
  readonly riskOf?: ((tool: Callable) => TrifectaRisk | undefined) | undefined
  /** Identifies the declaration of the tool's server; empty for native tools. */
  readonly entryOf?: (tool: Callable) => string
}

/** Applies the guard, then the rules, the default and the risk of the conversation, then stored approvals: an approval turns `ask` into `allow`, never `deny`. */
export function decideCall(tool: Callable, args: Json, policy: CallPolicy): Decision {
  const refusal = policy.guard?.refusal(tool)
  if (refusal !== undefined) return { effect: 'deny', by: 'guard', reason: refusal }
  const byRules = policy.rules.length === 0 ? allowed : applyRules(tool, args, policy.rules)
  const byDefault = policy.asksWrites ? askByDefault(tool, args, byRules, policy) : byRules
  const risk = policy.riskOf?.(tool)
  const decision = risk ? atRisk(byDefault, risk) : byDefault
  if (decision.effect !== 'ask') return decision
  const approval = findApproval(questionOf(tool, decision, policy), policy.approvals ?? [])
  if (!approval) return decision
  const where = approval.conversation === undefined ? '' : ' for this conversation'
  return { effect: 'allow', by: 'approval', reason: `A person approved it${where} on ${approval.at}.` }
}

/** What the risk makes of a decision: it can only become stricter. */
function atRisk(decision: Decision, { mode, reason, condition }: TrifectaRisk): Decision {
  if (mode === 'warn' || decision.effect === 'deny') return decision
  if (mode === 'block') return { effect: 'deny', by: 'trifecta', reason }
  return { effect: 'ask', by: 'trifecta', reason, asks: [...(decision.asks ?? []), condition] }
}

/** Adds the question of the default to those of the rules; only a rule of the person or the embedder lifts it. */
function askByDefault(
  tool: Callable,
  args: Json,
  decision: Decision,
  { rules, asksWrites }: CallPolicy,
): Decision {
  const reason = asksWrites && decision.effect !== 'deny' ? reasonToAsk(tool, asksWrites) : undefined
  if (!asksWrites || reason === undefined) return decision
  if (rules.some((compiled) => isLifting(compiled) && applies(compiled, tool, args))) return decision
  const asks = [...(decision.asks ?? []), writesCondition]
  if (decision.effect === 'ask') return { ...decision, asks }
  const allowedBy = allowingRule(tool, asksWrites)
  return { effect: 'ask', by: 'default', reason, asks, ...(allowedBy && { allowedBy }) }
}

function isLifting({ rule, layer }: CompiledRule): boolean {
  return rule.effect === 'allow' && layer === 'user'
}

/** What a person is asked when a decision is `ask`. The hash of the definition is computed on first access. */
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

/** Patterns of rules that match no tool; `tools` must be all tools. A rule with a typo would not restrict anything. */
export function checkRules(rules: CompiledRules, tools: readonly Subject[]): readonly Diagnostic[] {
  return rules.flatMap(({ rule: { tools: patterns, dialect, origin }, layer }) =>
    checkGlobs(
      {
        patterns,
        owner: `a rule of ${ownerOf({ kind: layer, ...(origin && { origin }) })}`,
        ...(origin && { origin }),
        isForeign: dialect !== undefined,
        ...globOptions(dialect),
      },
      tools.map((tool) => withDialectNames(tool, dialect)),
    ),
  )
}

/** A rule that restricts a tool only for certain arguments. */
export interface ConditionalRule {
  readonly effect: Effect
  /** The rule applies if all predicates hold. */
  readonly when: readonly Predicate[]
  readonly reason: string
  readonly layer: LayerKind
}

/** The rules that apply whatever the arguments are. */
export function withoutConditions(rules: CompiledRules): CompiledRules {
  return rules.filter(({ rule }) => !isConditional(rule.when))
}

/** The conditional rules that change the decision on a tool: stricter ones, and those that lift the default. The strictest first. */
export function conditionalRules(
  tool: Subject,
  rules: CompiledRules,
  { effect: beyond, by }: Pick<Decision, 'effect' | 'by'>,
): readonly ConditionalRule[] {
  const rank = (effect: Effect) => effects.indexOf(effect)
  const isDefaultAsk = by === 'default' && beyond === 'ask'
  return rules
    .filter(({ rule }) => isConditional(rule.when))
    .filter((compiled) => rank(compiled.rule.effect) > rank(beyond) || (isDefaultAsk && isLifting(compiled)))
    .filter(({ rule, globs }) => globs.admits(withDialectNames(tool, rule.dialect)))
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

function applyRules(tool: Callable, args: Json, rules: CompiledRules): Decision {
  const matching = rules.filter((compiled) => applies(compiled, tool, args))
  const strictest = matching.reduce<Effect>((effect, { rule }) => stricter(effect, rule.effect), 'allow')
  const deciding = matching.filter(({ rule }) => rule.effect === strictest)
  const [first] = deciding
  if (!first) return allowed
  const { rule, layer } = first
  const asks = strictest === 'ask' && [...new Set(deciding.map(({ condition }) => condition()))]
  return { effect: strictest, by: 'rule', layer, reason: reasonOf(rule, layer), ...(asks && { asks }) }
}

/** The rule because of which a call asks; `undefined` if the default asks. */
export function findAskingRule(tool: Callable, args: Json, rules: CompiledRules): Rule | undefined {
  return rules.find((compiled) => compiled.rule.effect === 'ask' && applies(compiled, tool, args))?.rule
}

function reasonOf(rule: Rule, layer: LayerKind): string {
  return rule.reason ?? `A rule of ${ownerOf({ ...rule, kind: layer })} says ${rule.effect}.`
}

const allowed: Decision = { effect: 'allow', by: 'default', reason: 'No rule forbids it.' }

function applies({ rule, globs }: CompiledRule, tool: Callable, args: Json): boolean {
  if (!globs.admits(withDialectNames(tool, rule.dialect))) return false
  const need = rule.effect === 'allow' ? 'all' : 'any'
  return (rule.when ?? []).every((predicate) => predicateHolds(predicate, args, need))
}

function stricter(a: Effect, b: Effect): Effect {
  return effects.indexOf(a) >= effects.indexOf(b) ? a : b
}

function compileRule(rule: Rule): CompiledRule {
  const { effect, tools, when = [], layer = 'user', dialect } = rule
  if (!effects.includes(effect)) throw invalidRule(rule, `"effect" must be one of ${effects.join(', ')}`)
  if (!layerKinds.includes(layer)) throw invalidRule(rule, `"layer" must be one of ${layerKinds.join(', ')}`)
  if (!tools.some((pattern) => !pattern.startsWith('!'))) throw invalidRule(rule, '"tools" names no tool')
  for (const { at } of when) {
    if (at !== '' && !at.startsWith('/'))
      throw invalidRule(rule, `"at" must be a JSON pointer such as "/${at}"`)
  }
  const purpose = effect === 'allow' ? 'admit' : 'restrict'
  const globs = compileGlobs(tools, { ...globOptions(dialect), purpose })
  return { rule, layer, globs, condition: () => (when.length === 0 ? '' : hashOf(when)) }
}

function invalidRule(rule: Rule, message: string): HostError {
  return new HostError('config.invalid', {}, `The rule ${JSON.stringify(rule)} is invalid: ${message}.`)
}
