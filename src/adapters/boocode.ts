import type { Host } from '../index.ts'
import { matchGlob } from '../model/glob.ts'
import { initialize } from './boocode/initialize.ts'
import type { InitializeOptions, Log } from './boocode/initialize.ts'
import { appendMcpTools, createToolTables, refreshToolNames } from './boocode/tool-tables.ts'
import type { ToolTables } from './boocode/tool-tables.ts'
import { toToolDefs } from './boocode/tool-def.ts'
import type { McpToolDef, ToolAnswer, ToolDef, ToolRoute } from './boocode/tool-def.ts'

export { appendMcpTools, createToolTables, initialize, refreshToolNames, toToolDefs }
export type { InitializeOptions, Log, McpToolDef, ToolAnswer, ToolDef, ToolRoute, ToolTables }

/** BooCode's tables, and what its documents name beside them, as plain functions that need no `this`. */
export interface BoocodeTools extends ToolTables {
  readonly appendMcpTools: (tools: readonly ToolDef[]) => readonly ToolDef[]
  readonly refreshToolNames: () => void
  /** Starts the servers and registers their tools. */
  readonly initialize: (options?: InitializeOptions) => Promise<Host>
}

/**
 * Everything by its own name, so that the module of BooCode that holds its tools exports it with one line and no other
 * file of it changes. A module of ours could hold the tables, too; but two programs in one process would then share
 * them, and so would two tests.
 */
export function createBoocodeTools(native: readonly ToolDef[] = []): BoocodeTools {
  const tables = createToolTables(native)
  return {
    ...tables,
    appendMcpTools: (tools) => appendMcpTools(tables, tools),
    refreshToolNames: () => refreshToolNames(tables),
    initialize: (options) => initialize(tables, options),
  }
}

/** Whether a `tools:` list admits a tool: `*` is any characters, `!` denies, the last match wins, no match is a no (B12, B13, B15). */
export function matchToolGlob(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => matchGlob(pattern.replace(/^!/, ''), name))
  return last !== undefined && !last.startsWith('!')
}
