import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'

const maxDepth = 5
/** Of one object or list. */
const maxItems = 50
/** In all. */
const maxParts = 300
const maxKey = 64

/**
 * The names and types of a value without its texts and numbers: `{ "path": "string(12)", "lines": ["number", "× 3"] }`. It is
 * bounded, whatever the value is.
 */
export function shapeOf(value: Json): Json {
  let parts = 0
  const shape = (each: Json, depth: number): Json => {
    if (++parts > maxParts) return '…'
    if (each === null) return 'null'
    if (typeof each === 'string') return `string(${each.length})`
    if (Array.isArray(each)) return ofList(each as readonly Json[], depth)
    if (isObject(each)) return depth >= maxDepth ? 'object' : ofObject(Object.entries(each), depth)
    return typeof each
  }
  const ofList = (list: readonly Json[], depth: number): Json => {
    const [first] = list
    if (first === undefined || depth >= maxDepth) return `list(${list.length})`
    return [shape(first, depth + 1), ...(list.length > 1 ? [`× ${list.length}`] : [])]
  }
  const ofObject = (entries: readonly (readonly [string, Json])[], depth: number): Json => {
    const shown = entries
      .slice(0, maxItems)
      .map(([key, item]) => [key.length > maxKey ? `${key.slice(0, maxKey)}…` : key, shape(item, depth + 1)])
    const more = entries.length - shown.length
    return Object.fromEntries(more > 0 ? [...shown, ['…', `${more} more`]] : shown) as Json // keys and shapes
  }
  return shape(value, 0)
}
