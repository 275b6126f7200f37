import type { Json } from '../../model/json.ts'

/** Compact JSON. What is nested so deep that it cannot be written is said instead of thrown. */
export function toJsonText(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '"(nested too deep to be shown)"'
  }
}

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // what it gives is JSON
  } catch {
    return undefined
  }
}
