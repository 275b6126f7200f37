import type { Json, JsonObject } from './json.ts'

export type Mask = (text: string) => string

/**
 * Applies `mask` to every text and key of a value; returns the identical object if nothing changed. With `hasBytes`, the
 * base64 in `data` and `blob` is skipped: it may be megabytes.
 */
export function maskTexts(value: Json, mask: Mask, hasBytes = false): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value as readonly Json[] // isArray does not narrow a readonly union
    const masked = list.map((item) => maskTexts(item, mask, hasBytes))
    return masked.some((item, at) => item !== list[at]) ? masked : list
  }
  const object = value as JsonObject // neither null nor an array
  const isBytes = (key: string) => hasBytes && (key === 'data' || key === 'blob')
  const entries = Object.entries(object)
  const masked = entries.map(([key, item]): [string, Json] => [
    mask(key),
    isBytes(key) ? item : maskTexts(item, mask, hasBytes),
  ])
  const isChanged = masked.some(([key, item], at) => key !== entries[at]?.[0] || item !== entries[at]?.[1])
  return isChanged ? Object.fromEntries(masked) : object
}
