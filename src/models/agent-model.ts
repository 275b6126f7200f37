import type { LanguageModel } from 'ai'
import type { Provider } from '../catalog/provider-schema.ts'
import type { HostError } from '../model/error.ts'

/** A model for an agent: an object of the AI SDK, and what is known about it. */
export interface AgentModel {
  /** Never a string: the AI SDK would send that to a gateway of its own. */
  readonly model: Exclude<LanguageModel, string>
  /** As people see it; for a model of an endpoint its reference, such as `openai/gpt-5`. */
  readonly name: string
  /** Whose dialect the schemas of its tools have; `openai` by default. */
  readonly provider?: Provider
  /** Tokens that fit into a request and its answer. Absent: not known. */
  readonly window?: number
  readonly maxOutput?: number
  /** Absent: not known. */
  readonly price?: ModelPrice
  /** Whether results with images can be passed on as images. */
  readonly images?: boolean
  /** Masks the key of the model's endpoint. */
  readonly redact?: (text: string) => string
  /** Words an error of a request, with the next step. `undefined`: it is none of the endpoint's. */
  readonly toError?: (error: unknown) => Promise<HostError | undefined>
}

/** US dollars for a million tokens. */
export interface ModelPrice extends TokenPrices {
  /** The prices of a request with more input tokens than that, for models whose long requests cost more. */
  readonly long?: TokenPrices & { readonly above: number }
}

interface TokenPrices {
  readonly input: number
  readonly output: number
  /** Input that the provider had in its cache; absent: it costs as any other. */
  readonly cachedInput?: number
  /** Input that the provider puts into its cache. */
  readonly cacheWrite?: number
}

/** The tokens of one request. */
export interface RequestUsage {
  /** All of the input, cached or not. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of the input that was read from the cache. */
  readonly cachedTokens?: number
  /** The part of the input that was written to the cache. */
  readonly cacheWriteTokens?: number
}

/** The cost of one request in US dollars. Requests of different sizes may have different prices: add up costs, not tokens. */
export function costOf(usage: RequestUsage, price: ModelPrice): number {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const { long } = price
  const prices: TokenPrices = long && inputTokens > long.above ? long : price
  const { input, output, cachedInput = input, cacheWrite = input } = prices
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  return (
    (fresh * input + cachedTokens * cachedInput + cacheWriteTokens * cacheWrite + outputTokens * output) / 1e6
  )
}
