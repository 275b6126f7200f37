import { toPointer } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import { importRole, importedTable } from '../imported-servers.ts'
import { commandKeys, isValidTable, urlKeys } from './mcporter-schema.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'

const kinds = ['cursor', 'claude-code', 'claude-desktop', 'codex', 'windsurf', 'opencode', 'vscode']
export const mcporterRoots = [['mcpServers']] as const

/** mcporter's own files, then the clients that they import, in mcporter's order. */
export function mcporterTables(files: readonly OpenFile[], world: World, report: Report): readonly Table[] {
  const layers = layersOf(files, world)
  const valid = layers.flatMap((file) => readLayer(file, report))
  // mcporter loads the lowest layer first, each with its imports.
  const imports = layers.length === 0 ? kinds : [...valid].reverse().flatMap((layer) => layer.imports)
  return [
    ...valid.flatMap((layer) => layer.tables),
    ...[...new Set(imports)].flatMap((kind) => importsOf(kind, files, world, report)),
  ]
}

/** Only the explicit file if there is one; else the project's files, then the first one in the home directory. */
function layersOf(files: readonly OpenFile[], world: World): readonly OpenFile[] {
  const own = files.filter(({ role }) => role === 'servers')
  const named = own.filter(({ scope }) => scope === 'explicit')
  if (named.length > 0 || world.env['MCPORTER_CONFIG']) return named.slice(0, 1)
  const [atHome] = own.filter(({ scope }) => scope === 'user')
  return [...own.filter(({ scope }) => scope === 'project'), ...(atHome ? [atHome] : [])]
}

interface Layer {
  readonly tables: readonly Table[]
  readonly imports: readonly string[]
}

function readLayer(file: OpenFile, report: Report): readonly Layer[] {
  const root = usableRoot(file, 'jsonc', report)
  if (!root) return []
  const tables = tablesOf(file, root, { roots: mcporterRoots }, report)
  const valid = tables.map((table) => isValidTable(table, report)).every(Boolean)
  const imports = readImports(file, root, report)
  return valid && imports ? [{ tables, imports }] : []
}

/** The imported kinds: all without the key, none for `[]`. Kinds that a list omits are appended to it. */
function readImports(file: OpenFile, root: JsonObject, report: Report): readonly string[] | undefined {
  const value = root['imports']
  if (value === undefined) return kinds
  if (!Array.isArray(value)) {
    report.add('wrong-type', 'error', '"imports" must be a list of clients.', { file, pointer: '/imports' })
    return undefined
  }
  const listed = value as readonly Json[] // Array.isArray does not narrow a readonly union
  const unknown = [...listed.entries()].filter(([, kind]) => !kinds.some((known) => known === kind))
  for (const [index, kind] of unknown) {
    const message = `imports has the unknown kind ${JSON.stringify(kind)}; use ${kinds.join(', ')}.`
    report.add('wrong-type', 'error', message, { file, pointer: toPointer(['imports', index]) })
  }
  if (unknown.length > 0) return undefined
  const missing = kinds.filter((kind) => !listed.includes(kind))
  if (listed.length === 0 || missing.length === 0) return listed.map(String)
  report.add(
    'imports-appended',
    'info',
    `${missing.join(', ')} are imported too; only [] turns imports off.`,
    {
      file,
      pointer: '/imports',
    },
  )
  return [...listed.map(String), ...missing]
}

function importsOf(kind: string, files: readonly OpenFile[], world: World, report: Report): readonly Table[] {
  return files
    .filter(({ role }) => role === importRole(kind))
    .flatMap((file) => {
      const root = usableRoot(file, 'jsonc', report)
      return root ? tablesIn(kind, file, root, world) : []
    })
}

function tablesIn(kind: string, file: OpenFile, root: JsonObject, world: World): readonly Table[] {
  const at = (...path: string[]) => importedTable(file, root, path, [...urlKeys, ...commandKeys])
  if (kind === 'opencode') return at('mcp')
  if (kind === 'codex') return at('mcp_servers')
  const nested = ['mcpServers', 'servers', 'mcp'].flatMap((key) => at(key))
  const ofProject = at('projects', world.cwd, 'mcpServers')
  return nested.length > 0 || ofProject.length > 0 ? [...nested, ...ofProject] : at()
}
