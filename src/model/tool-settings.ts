import type { Place } from './diagnostic.ts'
import type { JsonObject } from './json.ts'

/** The settings for tools of one settings file, as written: a person's or a project's. */
export interface ToolSettings {
  readonly kind: 'user' | 'project'
  readonly value: JsonObject
  placeOf(pointer: string): Place
}
