import { isObject, isStringArray, toPointer } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import { importRole, importedTable } from '../imported-servers.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'

export const piRoots = [['mcpServers'], ['mcp-servers']] as const

/** The root key of the servers in each client's file that the adapter imports. */
const importRoots: Readonly<Record<string, string>> = {
  cursor: 'mcpServers',
  'claude-code': 'mcpServers',
  'claude-desktop': 'mcpServers',
  codex: 'mcp_servers',
  opencode: 'mcp',
  windsurf: 'mcpServers',
  vscode: 'mcpServers',
}

/** The adapter's own files, then those of the clients that they import. */
export function piTables(files: readonly OpenFile[], _world: World, report: Report): readonly Table[] {
  const own = files
    .filter(({ role }) => role === 'servers')
    .flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      return root ? [{ file, root }] : []
    })
  const kinds = own.flatMap(({ file, root }) => importsOf(file, root, report))
  return [
    ...own.flatMap(({ file, root }) => tablesOf(file, root, { roots: piRoots }, report)),
    ...[...new Set(kinds)].flatMap((kind) => importedFrom(kind, files, report)),
  ]
}

function importsOf(file: OpenFile, root: JsonObject, report: Report): readonly string[] {
  const imports = root['imports']
  if (imports === undefined) return []
  if (!isStringArray(imports)) {
    report.add('wrong-type', 'warn', '"imports" must be a list of clients. It is ignored.', {
      file,
      pointer: '/imports',
    })
    return []
  }
  for (const [index, kind] of imports.entries()) {
    if (Object.hasOwn(importRoots, kind)) continue
    const known = Object.keys(importRoots).join(', ')
    report.add('wrong-type', 'warn', `imports has the unknown kind "${kind}"; use ${known}.`, {
      file,
      pointer: toPointer(['imports', index]),
    })
  }
  return imports.filter((kind) => Object.hasOwn(importRoots, kind))
}

/** If a client has several files, the adapter uses the first; for opencode it uses all. */
function importedFrom(kind: string, files: readonly OpenFile[], report: Report): readonly Table[] {
  const found = files.filter(({ role }) => role === importRole(kind))
  return (kind === 'opencode' ? found : found.slice(0, 1)).flatMap((file) => {
    const root = usableRoot(file, 'jsonc', report)
    if (!root) return []
    const nested = kind === 'opencode' && isObject(root['mcp']) && isObject(root['mcp']['servers'])
    const path = [importRoots[kind] ?? 'mcpServers', ...(nested ? ['servers'] : [])]
    return importedTable(file, root, path, ['command', 'url'])
  })
}

/** Reports once, at the adapter's user file if there is one. */
export function reportPiFiles({ files, report }: SettleContext): void {
  const own = files.filter(({ role }) => role === 'servers')
  const file = own.find(({ scope }) => scope === 'user') ?? own[0]
  if (file) {
    const message = 'pi itself does not support MCP; the extension pi-mcp-adapter reads these files.'
    report.add('no-builtin-mcp', 'info', message, { file })
  }
  for (const each of own.filter(mixesUnits)) {
    report.add('unit', 'info', 'idleTimeout is in minutes, requestTimeoutMs in milliseconds.', { file: each })
  }
}

function mixesUnits({ doc }: OpenFile): boolean {
  const root = isObject(doc.value) ? doc.value : {}
  const servers = isObject(root['mcpServers']) ? Object.values(root['mcpServers']) : []
  const holders = [root['settings'], ...servers].filter(isObject)
  const uses = (key: string) => holders.some((holder) => Object.hasOwn(holder, key))
  return uses('idleTimeout') && uses('requestTimeoutMs')
}
