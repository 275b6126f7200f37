import { OfferedTool } from '../../catalog/offered-tool.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Tool, ToolDefinition } from '../../model/tool.ts'
import type { Callable } from '../../policy/call-rules.ts'
import type { CallOptions } from './view.ts'

/** A tool that the host itself brings. It is of no server, and its ref is one that no server's tool can have. */
export interface OwnTool {
  readonly tool: Tool
  /** Nothing is hidden from it or forbidden to it, because it only shows what its view shows. */
  readonly isFree: boolean
  /** What `tools/call` would answer. */
  run(args: JsonObject, options: CallOptions): Promise<Json>
}

const offering = {
  server: '',
  parallel: 'always',
  descriptions: 'as-sent',
  properties: 'as-sent',
  isPlain: true,
} as const

/** The embedder's own tools keep their names, whatever ours are called. */
export function toOwnTool(definition: ToolDefinition, native: ReadonlySet<string>): Tool {
  return new OfferedTool(definition, ownName(definition.name, native), offering)
}

export function ownName(name: string, native: ReadonlySet<string>): string {
  return native.has(name) ? `plugboard_${name}` : name
}

export function isOwn({ server }: Tool): boolean {
  return server === offering.server
}

/** To policy, what the host brings is like the embedder's own: of no server. */
export function toCallable(tool: Tool): Callable {
  if (!isOwn(tool)) return tool
  const { name, annotations } = tool
  return {
    name,
    annotations,
    get hash() {
      return tool.hash
    },
  }
}

/** Arguments have been checked, except where servers alone do that. */
export function fieldOf(args: JsonObject, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

export function textOf(text: string): JsonObject {
  return { content: [{ type: 'text', text }] }
}
