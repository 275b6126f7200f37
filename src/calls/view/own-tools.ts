import { OfferedTool } from '../../catalog/offered-tool.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Tool, ToolDefinition } from '../../model/tool.ts'
import type { Callable } from '../../policy/call-rules.ts'
import type { CallOptions } from './view.ts'

/** A tool of the host itself. It has no server, and its ref cannot be that of a server's tool. */
export interface OwnTool {
  readonly tool: Tool
  /** No rule applies to it, because it only shows what is visible in its view. */
  readonly isAlwaysAllowed: boolean
  /** Returns a result as `tools/call` would. */
  run(args: JsonObject, options: CallOptions): Promise<Json>
}

const ownToolOptions = {
  server: '',
  parallel: 'always',
  descriptions: 'as-sent',
  properties: 'as-sent',
  isPlain: true,
} as const

/** Native tools keep their names; on a clash the host's own tool gets a prefix. */
export function toOwnTool(definition: ToolDefinition, native: ReadonlySet<string>): Tool {
  return new OfferedTool(definition, ownName(definition.name, native), ownToolOptions)
}

export function ownName(name: string, native: ReadonlySet<string>): string {
  return native.has(name) ? `plugboard_${name}` : name
}

export function isOwnTool({ server }: Tool): boolean {
  return server === ownToolOptions.server
}

/** For policy, a tool of the host itself is like a native tool: without a server. */
export function toCallable(tool: Tool): Callable {
  if (!isOwnTool(tool)) return tool
  const { name, annotations } = tool
  return {
    name,
    annotations,
    get hash() {
      return tool.hash
    },
  }
}

/** Arguments are not validated if only servers check them. */
export function stringField(args: JsonObject, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

export function toTextResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] }
}
