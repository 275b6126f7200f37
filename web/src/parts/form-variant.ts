import type { Field } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'
import { isEqual, isList, isObject } from '../../../src/model/json.ts'

/** The variant that a person chose, else the one that fits the value best. `undefined`: none is chosen and nothing entered. */
export function chosenVariant(
  field: Extract<Field, { kind: 'one-of' }>,
  value: Json | undefined,
  chosen: number | undefined,
): number | undefined {
  if (chosen !== undefined && chosen < field.variants.length) return chosen
  if (value === undefined) return undefined
  let best: { readonly index: number; readonly score: number } | undefined
  for (const [index, variant] of field.variants.entries()) {
    const score = fitOf(variant, value)
    if (score > (best?.score ?? 0)) best = { index, score }
  }
  return best?.index
}

/** How well a value fits a shape: 0 is not at all, a constant that is equal counts most. */
function fitOf(field: Field, value: Json): number {
  if (field.kind === 'constant') return isEqual(field.value, value) ? 4 : 0
  if (value === null) return field.isNullable ? 1 : 0
  switch (field.kind) {
    case 'choice':
      return field.options.some((option) => isEqual(option.value, value)) ? 3 : 0
    case 'text':
      return typeof value === 'string' ? 2 : 0
    case 'number':
      return typeof value === 'number' ? 2 : 0
    case 'yes-no':
      return typeof value === 'boolean' ? 2 : 0
    case 'list': {
      if (!isList(value)) return 0
      const [first] = value
      return first === undefined ? 1 : 1 + fitOf(field.item, first)
    }
    case 'choices':
      return isList(value) ? 2 : 0
    case 'map':
      return isObject(value) ? 1 : 0
    case 'object':
      return isObject(value) ? fitOfObject(field.fields, value) : 0
    case 'one-of':
      return Math.max(0, ...field.variants.map((variant) => fitOf(variant, value)))
    case 'json':
      return 0.5
  }
}

function fitOfObject(fields: readonly Field[], value: Readonly<Record<string, Json>>): number {
  let score = 1
  for (const field of fields) {
    const inner = Object.hasOwn(value, field.name) ? value[field.name] : undefined
    if (inner === undefined) score -= field.isRequired ? 0.1 : 0
    else if (field.kind !== 'constant') score += 0.5
    else if (isEqual(field.value, inner)) score += 4
    else return 0
  }
  return Math.max(score, 0.1)
}
