/** US dollars for a million tokens. */
export interface ModelPrice extends TokenPrices {
  /** The prices of a request with more input tokens than that, for models whose long requests cost more. */
  readonly long?: TokenPrices & { readonly above: number }
}

export interface TokenPrices {
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
