import type { JsonObject } from './json.ts'
import type { Declared } from './server.ts'

/** What an entry says, whether it is switched on or off: the switch is no part of what would run. */
export function withoutSwitch({ entry, switches = [] }: Pick<Declared, 'entry' | 'switches'>): JsonObject {
  if (!switches.some((key) => isSwitch(entry, key))) return entry
  return Object.fromEntries(
    Object.entries(entry).filter(([key]) => !(switches.includes(key) && isSwitch(entry, key))),
  )
}

/** What is neither on nor off is no switch, and may mean more to its owner. */
function isSwitch(entry: JsonObject, key: string): boolean {
  return Object.hasOwn(entry, key) && typeof entry[key] === 'boolean'
}
