import type { Json } from '../../model/json.ts'

/** `Array.isArray` does not see the readonly arrays of a union. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : []
}
