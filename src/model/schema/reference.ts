import { fromPointer, isObject, valueAt } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/** Longer chains of references are cut: they may be a cycle. */
const maxHops = 8

/**
 * The part of a schema document that a `$ref` such as `#/$defs/a~1b` points to. Only pointers into the same document
 * are resolved; nothing is fetched. As RFC 6901 says, the fragment is percent-decoded first, then split, then `~1` and
 * `~0` are decoded. A fragment that is not valid percent-encoding (`#/$defs/100%`) is taken literally.
 */
export function resolveRef(ref: Json | undefined, root: JsonObject): Json | undefined {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined
  return valueAt(root, fromPointer(decodeFragment(ref.slice(1))))
}

function decodeFragment(fragment: string): string {
  if (!fragment.includes('%')) return fragment
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/**
 * Replaces the `$ref` of a schema by the schema it points to; keywords beside the `$ref` win. A reference that cannot be
 * resolved, or is part of a chain of more than eight, is dropped.
 */
export function replaceRef(schema: JsonObject, root: JsonObject): JsonObject {
  let current = schema
  for (let hops = 0; current['$ref'] !== undefined; hops++) {
    const { $ref: ref, ...beside } = current
    const target = hops < maxHops ? resolveRef(ref, root) : undefined
    current = isObject(target) ? { ...target, ...beside } : beside
  }
  return current
}
