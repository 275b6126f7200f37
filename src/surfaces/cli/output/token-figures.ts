/** A number of tokens in few characters: `980`, `12.3k`, `400k`, `1M`; nothing if it is not known. */
export function amount(tokens: number | undefined): string {
  if (tokens === undefined) return ''
  if (tokens < 1000) return String(tokens)
  const [value, unit] = tokens < 999_500 ? [tokens / 1000, 'k'] : [tokens / 1_000_000, 'M']
  return `${value < 100 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`
}

/** A price in US dollars without trailing zeros; nothing if it is not known. */
export function dollars(price: number | undefined): string {
  return price === undefined ? '' : String(Number(price.toFixed(4)))
}
