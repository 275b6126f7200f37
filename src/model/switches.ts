import type { JsonObject } from './json.ts'
import type { DeclaredEntry } from './server.ts'

/** The entry without its switch (`enabled`, `disabled`), which does not change what would run. */
export function withoutSwitch({
  entry,
  switches = [],
}: Pick<DeclaredEntry, 'entry' | 'switches'>): JsonObject {
  if (!switches.some((key) => isSwitch(entry, key))) return entry
  return Object.fromEntries(
    Object.entries(entry).filter(([key]) => !(switches.includes(key) && isSwitch(entry, key))),
  )
}

/** Only a boolean is a switch: another value may mean more to its owner. */
function isSwitch(entry: JsonObject, key: string): boolean {
  return Object.hasOwn(entry, key) && typeof entry[key] === 'boolean'
}
