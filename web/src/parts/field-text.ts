import type { Field } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'

/** The text of a value in a control of one line. */
export function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A number; or the text itself if it is none or would lose digits, so that the check can say so. */
export function toNumber(text: string): number | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return text
  const number = Number(trimmed)
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number) || /[.e]/i.test(trimmed)
  return Number.isFinite(number) && isExact ? number : text
}

/** The default as it is shown; it is not sent unless the field is touched. */
export function placeholderOf(field: Field): string {
  if (field.initial === undefined) return ''
  return `default: ${typeof field.initial === 'string' ? field.initial : JSON.stringify(field.initial)}`
}
