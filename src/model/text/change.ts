import { isObject, toPointer } from '../json.ts'
import type { Json } from '../json.ts'

/** One difference between two values. `before` is absent for an addition, `after` for a removal. */
export interface Change {
  readonly pointer: string
  readonly before?: Json
  readonly after?: Json
}

/** Lists every difference between two values, to show a person what changed since they agreed to it. */
export function changesBetween(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly (string | number)[] = [],
): readonly Change[] {
  if (before === undefined && after === undefined) return []
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => changesBetween(before[key], after[key], [...path, key]))
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now] = [before as readonly Json[], after as readonly Json[]]
    const length = Math.max(old.length, now.length)
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      changesBetween(old[index], now[index], [...path, index]),
    )
  }
  if (before === after) return []
  return [
    {
      pointer: toPointer(path),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
  ]
}
