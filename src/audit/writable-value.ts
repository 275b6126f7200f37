import type { Json } from '../model/json.ts'

/** Deeper values would end the recursion that hashes and prints a row. */
const maxDepth = 500

/** Whether a value can be hashed and printed: `1e999` is read as an infinite number, which no JSON has. */
export function isWritable(value: Json, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= maxDepth) return false
  for (const item of Object.values(value)) if (!isWritable(item, depth + 1)) return false
  return true
}
