import type { Json, JsonObject, Server } from '../../index.ts'
import { isLoginSecret } from '../../internal.ts'
import type { ShownTexts } from '../../internal.ts'

/** One line per key of the entry, complete, including unknown keys. */
export function entryLines(
  entry: JsonObject,
  { transport }: Pick<Server, 'transport'>,
  shown: ShownTexts,
): readonly string[] {
  const login = Object.entries(transport.auth ?? {}).filter(([key]) => isLoginSecret(key))
  const maps: readonly ReadonlyMap<string, unknown>[] = [
    new Map(Object.entries(transport.env ?? {})),
    new Map(Object.entries(transport.kind === 'stdio' ? {} : transport.headers)),
    new Map(login),
  ]
  const isValue = (key: string, text: string) => maps.some((map) => map.get(key) === text)
  const show = (value: Json, key: string): Json => {
    if (typeof value === 'string')
      return isValue(key, value) ? shown.value(key, value) : shown.text(value, key)
    if (Array.isArray(value)) return showList(value as readonly Json[]) // Array.isArray does not narrow a readonly union
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, show(item, name)]))
  }
  const showList = (items: readonly Json[]): Json => {
    const texts = items.filter((item) => typeof item === 'string')
    return texts.length === items.length ? shown.args(texts) : items.map((item) => show(item, ''))
  }
  return Object.entries(entry).map(([key, value]) => `${key}: ${JSON.stringify(show(value, key))}`)
}
