import type { JsonObject } from '../model/json.ts'
import type { ToolDefinition } from '../model/tool.ts'

/** Everything one server offers at one moment. Never changed, only replaced. */
export interface Snapshot {
  readonly tools: readonly ToolDefinition[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly instructions?: string
  /** When it was seen, as ISO 8601. */
  readonly at: string
}
