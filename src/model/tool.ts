import { isObject } from './json.ts'
import type { JsonObject } from './json.ts'

/** A tool as its server defines it. Only the fields needed to call it have been checked. */
export interface ToolDefinition extends JsonObject {
  readonly name: string
  readonly inputSchema: JsonObject
}

/** Whether the tool can only be called as a task (protocol 2025-11-25). */
export function needsTask({ execution }: ToolDefinition): boolean {
  return isObject(execution) && execution['taskSupport'] === 'required'
}

/**
 * Whether the tool may reach a model. Tools of MCP Apps that leave out `model` are for the view of their own server. The
 * nested key wins over the flat ones, which older servers write. A value of another form allows nothing.
 */
export function isForModels({ _meta: meta }: ToolDefinition): boolean {
  if (!isObject(meta)) return true
  const { ui, 'ui/visibility': flat, 'openai/visibility': earliest } = meta
  const nested = isObject(ui) ? ui['visibility'] : undefined
  const visibility = nested ?? flat
  if (visibility === undefined) return earliest !== 'private'
  return Array.isArray(visibility) && visibility.includes('model')
}

/** A server's own description of a tool's behavior. Untrusted: it may restrict what is allowed, never extend it. */
export interface Annotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  /** The name that some servers used before the specification defined `readOnlyHint` (P4, C12). */
  readonly readOnly?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool of a server, as offered to an agent. */
export interface Tool {
  /** `server/tool`, with a `/` in the server's name written as `%2F`. */
  readonly ref: string
  /** The name that a model sees. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations: Annotations
  readonly server: string
  /** The server's own name for the tool. */
  readonly tool: string
  readonly concurrencySafe: boolean
  /** The address of the app that shows its results (MCP Apps): `readApp` reads it. */
  readonly app?: string
  /** Hash of the definition: it covers everything that a model is told about the tool. */
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
