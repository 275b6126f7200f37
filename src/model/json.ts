/** JSON as data, and the pointers (RFC 6901) that name a place in it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** `['mcpServers', 'a/b']` → `/mcpServers/a~1b` */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
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
    if (Array.isArray(current)) current = (current as readonly Json[])[Number(part)]
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part]
    else return undefined
  }
  return current
}

/** A key of these is refused everywhere: assigning it would change an object's prototype, not its data. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}
