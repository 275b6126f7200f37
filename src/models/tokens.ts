import { estimateTokenCount } from 'tokenx'
import type { JsonObject } from '../model/json.ts'
import type { EndpointKind } from '../config/endpoints/built-in-endpoints.ts'

/** A longer text is estimated from its beginning. */
const sampleLength = 50_000

/**
 * About how many tokens a text has. The exact number depends on the model, and tokenizers differ by more than this estimate
 * does; what a provider reports after a request is exact.
 */
export function estimateTokens(text: string): number {
  if (text.length <= sampleLength) return estimateTokenCount(text)
  return Math.ceil((estimateTokenCount(text.slice(0, sampleLength)) * text.length) / sampleLength)
}

/** A tool as a model sees it: its name for models, and its schema compiled for the provider. */
export interface ToolText {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
}

/** About how many tokens the definition of a tool takes in every request. */
export function estimateToolTokens({ name, description, schema }: ToolText): number {
  return estimateTokens(JSON.stringify({ name, description, parameters: schema }))
}

/**
 * How many tools one request may have. OpenAI answers 400 `array_above_max_length` beyond that; the others document no
 * number that holds for all of their models.
 */
export const toolLimits: Readonly<Partial<Record<EndpointKind, number>>> = { openai: 128 }
