import type { ToolDef, ToolRoute } from './tool-def.ts'

/**
 * BooCode's tables of tools. Each stays the same object and is changed in place, so that a module that imported it early
 * sees tools registered later (B17). They are mutable, because BooCode's own code writes to them.
 */
export interface ToolTables {
  /** Sorted by name. */
  readonly ALL_TOOLS: ToolDef[]
  readonly TOOLS_BY_NAME: Map<string, ToolDef>
  /** All tools except those that declare they write. */
  readonly READ_ONLY_TOOL_NAMES: string[]
  /** The tools of an agent without `tools:`, as of the last `refreshToolNames`. */
  readonly DEFAULT_TOOLS: string[]
  /** The server and tool behind each name. Calls are routed by this map, never by splitting a name (B10). */
  readonly toolToServer: Map<string, ToolRoute>
}

export function createToolTables(native: readonly ToolDef[] = []): ToolTables {
  const tables: ToolTables = {
    ALL_TOOLS: [],
    TOOLS_BY_NAME: new Map(),
    READ_ONLY_TOOL_NAMES: [],
    DEFAULT_TOOLS: [],
    toolToServer: new Map(),
  }
  rebuild(tables, native)
  refreshToolNames(tables)
  return tables
}

/**
 * Adds tools and sorts again (P8); a tool of the same name is replaced. BooCode's own tools keep their names (B11, C11).
 * Returns the tools that were not added for that reason.
 */
export function appendMcpTools(tables: ToolTables, tools: readonly ToolDef[]): readonly ToolDef[] {
  return replaceMcpTools(tables, [], tools)
}

/** As `appendMcpTools`, and removes the tools that are gone. */
export function replaceMcpTools(
  tables: ToolTables,
  gone: readonly ToolDef[],
  tools: readonly ToolDef[],
): readonly ToolDef[] {
  const left = new Set(tables.ALL_TOOLS)
  for (const tool of gone) left.delete(tool)
  const native = new Set([...left].flatMap(({ name, route }) => (route ? [] : name)))
  rebuild(tables, [...left, ...tools.filter(({ name }) => !native.has(name))])
  return tools.filter(({ name }) => native.has(name))
}

/** Sets the tools of agents without `tools:` to everything registered so far (B17). */
export function refreshToolNames(tables: ToolTables): void {
  refill(
    tables.DEFAULT_TOOLS,
    tables.ALL_TOOLS.map(({ name }) => name),
  )
}

function rebuild(tables: ToolTables, tools: readonly ToolDef[]): void {
  const { ALL_TOOLS, TOOLS_BY_NAME, READ_ONLY_TOOL_NAMES, toolToServer } = tables
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  refill(ALL_TOOLS, [...byName.values()].sort(compare))
  TOOLS_BY_NAME.clear()
  toolToServer.clear()
  for (const tool of ALL_TOOLS) {
    TOOLS_BY_NAME.set(tool.name, tool)
    if (tool.route) toolToServer.set(tool.name, tool.route)
  }
  refill(
    READ_ONLY_TOOL_NAMES,
    ALL_TOOLS.filter((tool) => !declaresToWrite(tool)).map(({ name }) => name),
  )
}

function refill<T>(list: T[], items: readonly T[]): void {
  list.length = 0
  for (const item of items) list.push(item)
}

/** P5: only an explicit `false` counts; a missing hint does not. */
function declaresToWrite({ annotations = {} }: ToolDef): boolean {
  return annotations.readOnlyHint === false || annotations.readOnly === false
}

/** Compares by code units, which does not depend on the locale. */
function compare(a: ToolDef, b: ToolDef): number {
  return a.name < b.name ? -1 : 1
}
