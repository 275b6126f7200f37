import type { JsonObject } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'

/** Everything one server offers at one moment. Never changed, only replaced. */
export interface Snapshot {
  readonly tools: readonly ToolDefinition[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly instructions?: string
  /** Nothing is hidden in any text of its tools; where that is not known, each is looked at. */
  readonly isPlain?: true
  /** Of tools whose texts were masked, by name: the hash of the definition as it came. */
  readonly hashes?: Readonly<Record<string, string>>
  /** When it was seen, as ISO 8601. */
  readonly at: string
}
