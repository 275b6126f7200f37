import type { LimitName, Usage } from './agent-events.ts'
import type { AgentLimits } from './agent-options.ts'

const minute = 60_000

export const defaultLimits: AgentLimits = {
  steps: 50,
  tokens: 2_000_000,
  cost: 5,
  timeMs: 60 * minute,
  sameCalls: 3,
  maxSameCalls: 10,
  tools: 100,
  toolShare: 0.2,
  taskMs: 20_000,
  idleMs: 2 * minute,
  streamMs: 15 * minute,
  output: 1_000_000,
}

export interface TurnProgress {
  readonly steps: number
  readonly usage: Usage
  readonly ms: number
}

/** The limit that a turn has reached before its next step. */
export function reachedLimit({ steps, usage, ms }: TurnProgress, limits: AgentLimits): LimitName | undefined {
  if (steps >= limits.steps) return 'steps'
  if (usage.inputTokens + usage.outputTokens >= limits.tokens) return 'tokens'
  if ((usage.cost ?? 0) >= limits.cost) return 'cost'
  return ms >= limits.timeMs ? 'timeMs' : undefined
}

/** The sentence for a limit, and how to raise it. */
export function describeLimit(
  limit: LimitName,
  limits: AgentLimits,
): { readonly reason: string; readonly hint: string } {
  const value = limit === 'sameCalls' ? limits.maxSameCalls : limits[limit]
  const name = limit === 'sameCalls' ? 'maxSameCalls' : limit
  return {
    reason: reasons[limit](value),
    hint: `Send a prompt to go on from here, or raise limits.${name} (now ${value}).`,
  }
}

const toMinutes = (ms: number) =>
  ms >= minute ? `${Math.round(ms / minute)} min` : `${Math.round(ms / 1000)} s`

const reasons: Readonly<Record<LimitName, (value: number) => string>> = {
  steps: (value) => `The turn had ${value} steps, its limit.`,
  tokens: (value) => `The turn used ${value} tokens, its limit.`,
  cost: (value) => `The turn cost ${value} USD, its limit.`,
  timeMs: (value) => `The turn took ${toMinutes(value)}, its limit.`,
  sameCalls: (value) => `The model made the same call ${value} times with the same result.`,
  idleMs: (value) => `The model sent nothing for ${toMinutes(value)}.`,
  streamMs: (value) => `The answer of the model took ${toMinutes(value)}, its limit.`,
  output: (value) => `The answer of the model has more than ${value} characters.`,
}
