/** A JSON value. Pointers (RFC 6901) name a place in it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a text; `undefined` if it is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Narrows to a readonly array, which `Array.isArray` does not do for a union. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : []
}

export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** `['mcpServers', 'a/b']` → `/mcpServers/a~1b` */
export function toPointer(path: readonly (string | number)[]): string {
  let pointer = ''
  for (const part of path) pointer += `/${escapePart(String(part))}`
  return pointer
}

function escapePart(part: string): string {
  return /[~/]/.test(part) ? part.replaceAll('~', '~0').replaceAll('/', '~1') : part
}

export function fromPointer(pointer: string): readonly string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function valueAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let current = value
  for (const part of path) {
    if (isList(current)) current = current[indexOf(part)]
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part]
    else return undefined
  }
  return current
}

/** Deep equality; the order of keys does not matter. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return a === b || Object.is(a, b) // -0 equals 0, and NaN (from TOML) equals itself
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  )
}

/** RFC 6901: an index is digits without a leading zero. Any other text names no element (-1). */
function indexOf(part: string | number): number {
  return /^(?:0|[1-9]\d*)$/.test(String(part)) ? Number(part) : -1
}

/** Keys that are refused everywhere: assigning them would change an object's prototype instead of its data. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

/** The JSON of a value that is not worth walking again. */
const texts = new WeakMap<object, string>()

/** A message of more characters counts as large: walking all of its values may take seconds. */
export const largeJsonLength = 1024 * 1024

/** Keeps the text that contains a large value, so that it can be checked and stored without walking the value (FI-89). */
export function rememberJson(value: Json | undefined, text: string): void {
  if (typeof value === 'object' && value !== null) texts.set(value, text)
}

/** The text that contains a large value. */
export function jsonTextOf(value: Json | undefined): string | undefined {
  return typeof value === 'object' && value !== null ? texts.get(value) : undefined
}
