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

/** BooCode's tables and the functions its documents name beside them; none of them needs `this`. */
export interface BoocodeTools extends ToolTables {
  readonly appendMcpTools: (tools: readonly ToolDef[]) => readonly ToolDef[]
  readonly refreshToolNames: () => void
  /** Starts the servers and registers their tools. */
  readonly initialize: (options?: InitializeOptions) => Promise<Host>
}

/**
 * Returns everything under the names BooCode uses: its tools module re-exports them in one statement, and no other file
 * of BooCode changes. The tables are created per call because module-level ones would be shared by two programs, or two
 * tests, in one process.
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

/** Whether a `tools:` list allows a tool: `*` matches any characters, `!` denies, the last match wins, no match denies (B12, B13, B15). */
export function matchToolGlob(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => matchGlob(pattern.replace(/^!/, ''), name))
  return last !== undefined && !last.startsWith('!')
}
