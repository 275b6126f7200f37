import { costOf } from '../models/model-price.ts'
import type { Usage } from './agent-events.ts'
import type { AgentModel } from './agent-options.ts'

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, isEstimated: false }

interface StepTokens {
  readonly input: number
  readonly output: number
  readonly cached: number
  /** Put into the provider's cache. */
  readonly written: number
}

/** The usage of one step: as the provider reports it, or as it is estimated. */
export function toUsage(
  reported: StepTokens | undefined,
  estimated: Pick<StepTokens, 'input' | 'output'>,
  { price }: Pick<AgentModel, 'price'>,
): Usage {
  const { input, output, cached, written } = reported ?? { ...estimated, cached: 0, written: 0 }
  const tokens = { inputTokens: input, outputTokens: output, cachedTokens: cached }
  const cost = price && costOf({ ...tokens, cacheWriteTokens: written }, price)
  return {
    ...tokens,
    isEstimated: reported === undefined,
    ...(cost !== undefined && { cost }),
  }
}

/** The cost of a sum is known only if the cost of each part is. */
export function addUsage(
  sum: Usage,
  { inputTokens, outputTokens, cachedTokens, isEstimated, cost }: Usage,
): Usage {
  if (inputTokens + outputTokens === 0) return sum
  const isFirst = sum.inputTokens + sum.outputTokens === 0
  const total = isFirst ? cost : sum.cost !== undefined && cost !== undefined ? sum.cost + cost : undefined
  return {
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
    cachedTokens: sum.cachedTokens + cachedTokens,
    isEstimated: sum.isEstimated || isEstimated,
    ...(total !== undefined && { cost: total }),
  }
}
