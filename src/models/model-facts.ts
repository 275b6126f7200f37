import { calcPrice } from '@pydantic/genai-prices'
import type { ModelPrice } from './model-price.ts'

/** What is known about a model without asking its endpoint. */
export interface ModelFacts {
  /** Tokens that fit into a request and its answer. */
  readonly window?: number
  readonly maxOutput?: number
  readonly price?: ModelPrice
}

/** Where a model is reached, for the table of prices: one of its providers, or an address that it knows. */
export type PricedPlace = { readonly providerId: string } | { readonly providerApiUrl: string }

/** Looks a model up in the table that is part of the program; nothing is fetched. Empty if the table does not have it. */
export function lookUpFacts(id: string, place: PricedPlace): ModelFacts {
  // The table is searched by a calculation: the tokens do not matter.
  const found = calcPrice({ input_tokens: 1 }, id, place)
  if (!found) return {}
  const price = toPrice(found.model_price)
  const window = found.model.context_window
  return { ...(window !== undefined && { window }), ...(price && { price }) }
}

type TablePrice = NonNullable<ReturnType<typeof calcPrice>>['model_price']
type TableValue = TablePrice[string]

function toPrice(table: TablePrice): ModelPrice | undefined {
  const base = toPrices(table, baseOf)
  if (!base) return undefined
  const input = table['input_mtok']
  const [tier] = typeof input === 'object' ? input.tiers : []
  const long = tier && toPrices(table, (value) => longOf(value, tier.start))
  return { ...base, ...(tier && long && { long: { ...long, above: tier.start } }) }
}

function toPrices(table: TablePrice, priceOf: (value: TableValue) => number | undefined) {
  const [input, output] = [priceOf(table['input_mtok']), priceOf(table['output_mtok'])]
  if (input === undefined || output === undefined) return undefined
  const cachedInput = priceOf(table['cache_read_mtok'])
  const cacheWrite = priceOf(table['cache_write_mtok'])
  return {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}

function baseOf(value: TableValue): number | undefined {
  return typeof value === 'object' ? value.base : value
}

/** The price of a request with more input tokens than `above`. */
function longOf(value: TableValue, above: number): number | undefined {
  if (typeof value !== 'object') return value
  return value.tiers.findLast(({ start }) => start <= above)?.price ?? value.base
}
