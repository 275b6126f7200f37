import { Secret } from '../../index.ts'
import type { ResolvedValues } from '../../index.ts'
import { redactArguments, redactText } from '../../internal.ts'
import { escapeLine } from '../terminal/escape.ts'

/** A value after expansion, with secrets hidden. */
export interface ShownValue {
  /** `command`, `args`, `env`, … */
  readonly field: string
  /** The name within `env`, `headers` and the like. */
  readonly name?: string
  readonly value: string
}

export function describeResolved(resolved: ResolvedValues): readonly ShownValue[] {
  return Object.entries(resolved).flatMap(([field, value]: readonly [string, unknown]) => {
    if (Array.isArray(value))
      return [{ field, value: escapeLine(redactArguments(value.map(String)).join(' ')) }]
    if (typeof value !== 'object' || value === null || value instanceof Secret)
      return [{ field, value: escapeLine(redactText(String(value))) }]
    return Object.entries(value).map(([name, item]) => ({
      field,
      name: escapeLine(name),
      value: escapeLine(redactText(String(item), name)),
    }))
  })
}
