import { isList, isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Looks } from './looks.ts'

/** What a value or a key costs: as much as a few characters. */
const valueCost = 16

/** Data that values are looked for in, each after the one before: most stand in the same order. */
export class Data {
  readonly #all: readonly Json[]
  readonly #looks: Looks
  #next = 0

  constructor(all: readonly Json[], looks: Looks) {
    this.#all = all
    this.#looks = looks
  }

  /** Whether one of them is the value, or has all of its members among its own. */
  holds(value: Json): boolean {
    const count = this.#all.length
    for (let tried = 0; tried < count && !this.#looks.areSpent; tried++) {
      const at = (this.#next + tried) % count
      if (!isWithin(value, this.#all[at] ?? null, this.#looks)) continue
      this.#next = at + 1
      return true
    }
    return false
  }
}

function isWithin(value: Json, whole: Json, looks: Looks): boolean {
  try {
    return compare(value, whole, looks)
  } catch {
    // Nested too deep.
    return false
  }
}

function compare(value: Json, whole: Json | undefined, looks: Looks): boolean {
  if (!looks.spend(valueCost)) return false
  if (isList(value)) {
    return (
      isList(whole) &&
      value.length === whole.length &&
      value.every((item, at) => compare(item, whole[at], looks))
    )
  }
  if (!isObject(value)) return isSame(value, whole, looks)
  if (!isObject(whole)) return false
  const keys = Object.keys(value)
  if (keys.length === 0) return Object.keys(whole).length === 0
  return (
    looks.spend(keys.length * valueCost) &&
    keys.every((key) => Object.hasOwn(whole, key) && compare(value[key]!, whole[key], looks))
  )
}

/** Texts of one length are compared character by character. */
function isSame(value: Json, whole: Json | undefined, looks: Looks): boolean {
  if (typeof value !== 'string' || typeof whole !== 'string') return value === whole
  return value.length === whole.length && looks.spend(value.length) && value === whole
}
