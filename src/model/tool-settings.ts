import type { Place } from './diagnostic.ts'
import type { JsonObject } from './json.ts'

/** What one file of settings says about tools, as it stands there: a person's, or a project's. */
export interface ToolSettings {
  readonly kind: 'user' | 'project'
  readonly value: JsonObject
  placeOf(pointer: string): Place
}
