import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Path } from './doc.ts'

/** A table with its own keys first and then a table for each object in it, as TOML wants them. */
export function tomlTable(path: Path, value: JsonObject): readonly string[] {
  const members = Object.entries(value)
  const own = members.filter(([, item]) => !isObject(item))
  const nested = members.flatMap(([key, item]) => (isObject(item) ? [[key, item] as const] : []))
  return [
    `[${dottedKey(path)}]`,
    ...own.map(([key, item]) => `${dottedKey([key])} = ${inlineToml(item)}`),
    ...nested.flatMap(([key, item]) => ['', ...tomlTable([...path, key], item)]),
  ]
}

export function inlineToml(value: Json): string {
  if (value === null) throw new HostError('config.invalid', {}, 'TOML has no way to write null.')
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(inlineToml).join(', ')}]`
  if (!isObject(value)) return Object.is(value, -0) ? '-0.0' : JSON.stringify(value)
  const members = Object.entries(value).map(([key, item]) => `${dottedKey([key])} = ${inlineToml(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

export function dottedKey(path: Path): string {
  return path
    .map(String)
    .map((key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key)))
    .join('.')
}

/** JSON's escapes are TOML's too; DEL is the one character that only TOML wants escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}
