import type { ToolDef, ToolRoute } from './tool-def.ts'

/**
 * BooCode's tables of tools. Each is one object for good, changed in place: whoever imported it early sees what was
 * registered late (B17). They are lists and maps that can be written to, because code that takes BooCode's does.
 */
export interface ToolTables {
  /** Sorted by name. */
  readonly ALL_TOOLS: ToolDef[]
  readonly TOOLS_BY_NAME: Map<string, ToolDef>
  /** All that do not declare to write. */
  readonly READ_ONLY_TOOL_NAMES: string[]
  /** What an agent without `tools:` sees, as of the last `refreshToolNames`. */
  readonly DEFAULT_TOOLS: string[]
  /** The servers' tools by their names here: a call is routed by this, never by taking a name apart (B10). */
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
 * Adds tools and sorts anew (P8); one that is there already is replaced. BooCode's own keep their names (B11, C11): what
 * could not be added for that is given back.
 */
export function appendMcpTools(tables: ToolTables, tools: readonly ToolDef[]): readonly ToolDef[] {
  return replaceMcpTools(tables, [], tools)
}

/** The same, with some that are gone taken out. */
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

/** What agents without `tools:` see is, from now on, everything that is registered by now (B17). */
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

/** P5: only an outspoken word counts. */
function declaresToWrite({ annotations = {} }: ToolDef): boolean {
  return annotations.readOnlyHint === false || annotations.readOnly === false
}

/** By code units: the same on every machine. */
function compare(a: ToolDef, b: ToolDef): number {
  return a.name < b.name ? -1 : 1
}
