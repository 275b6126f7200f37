import { isObject } from './json.ts'
import type { JsonObject } from './json.ts'

/** A tool as its server defines it; only what is needed to call it has been checked. */
export interface ToolDefinition extends JsonObject {
  readonly name: string
  readonly inputSchema: JsonObject
}

/** Whether it can be called in no other way than as a task (2025-11-25). */
export function needsTask({ execution }: ToolDefinition): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required'
}

/** What a server says about how a tool behaves. Untrusted: it may tighten what is allowed, never widen it. */
export interface Annotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  /** The name some servers gave `readOnlyHint` before the specification had one (P4, C12). */
  readonly readOnly?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool of a server, as an agent is offered it. */
export interface Tool {
  /** `server/tool`, with a `/` in the server's name written as `%2F`. */
  readonly ref: string
  /** What a model sees. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations: Annotations
  readonly server: string
  /** The server's own name for it. */
  readonly tool: string
  readonly concurrencySafe: boolean
  /** Of everything the model is told about it. */
  readonly hash: string
}

export function toRef(server: string, tool: string): string {
  return `${server.replaceAll('%', '%25').replaceAll('/', '%2F')}/${tool}`
}

export function fromRef(ref: string): { readonly server: string; readonly tool: string } | undefined {
  const at = ref.indexOf('/')
  if (at <= 0 || at === ref.length - 1) return undefined
  const server = ref.slice(0, at).replace(/%(2f|25)/gi, (code) => (code === '%25' ? '%' : '/'))
  return { server, tool: ref.slice(at + 1) }
}
