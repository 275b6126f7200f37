type Mask = (text: string) => string

/**
 * Serializes a value without secrets. All of its texts are searched at once, because there is nearly always nothing to hide,
 * and only then one by one: in the serialized text a mask could break it, and escapes could hide a secret.
 */
export function toMaskedJson(value: unknown, mask: Mask): string {
  const texts: string[] = []
  const json = JSON.stringify(value, (key, item: unknown) => {
    if (typeof item === 'string') texts.push(item)
    if (key.length >= shortestSecret) texts.push(key)
    return item
  })
  const all = texts.join('\n\0\n')
  return mask(all) === all ? json : JSON.stringify(maskValue(JSON.parse(json), mask))
}

/** Of the keys. Most are ours and short. */
const shortestSecret = 8

function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskValue(item, mask)]))
}
