import { dirname, join } from 'node:path'
import { isStringArray } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { Server } from '../../../model/server.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import { tableAt, tablesOf } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'

interface Plugin {
  readonly root: string
  readonly name: string
  readonly marketplace: string
  readonly version: string
}

/** A plugin's folder is `<marketplace>/<plugin>/<version>`; its servers are in `.mcp.json` or in its manifest. */
export function claudePluginOf(path: string): Plugin {
  const root = path.endsWith('plugin.json') ? dirname(dirname(path)) : dirname(path)
  const [version = '', name = '', marketplace = ''] = root.split(/[\\/]/).reverse()
  return { root, name, marketplace, version }
}

/** Sorts versions of the same plugin, newest first; all other files keep their order. */
export function byPluginVersion(files: readonly OpenFile[]): readonly OpenFile[] {
  return files.toSorted((a, b) => {
    if (a.role !== 'plugin' || b.role !== 'plugin') return 0
    const [left, right] = [claudePluginOf(a.path), claudePluginOf(b.path)]
    if (dirname(left.root) !== dirname(right.root)) return 0
    return right.version.localeCompare(left.version, 'en', { numeric: true })
  })
}

export function claudePluginTables(file: OpenFile, root: JsonObject, report: Report): readonly Table[] {
  if (!file.path.endsWith('plugin.json')) {
    const bare = { message: 'A map of servers without "mcpServers"; plugins may use this form.' }
    return tablesOf(file, root, { roots: [['mcpServers']], bare }, report)
  }
  const others = namedFiles(root['mcpServers']).filter(
    (path) => path !== './.mcp.json' && path !== '.mcp.json',
  )
  if (others.length > 0) {
    report.add('reads-file', 'warn', `The servers in ${others.join(', ')} are not read.`, {
      file,
      pointer: '/mcpServers',
    })
  }
  if (namedFiles(root['mcpServers']).length > 0) return []
  return [tableAt(file, root, ['mcpServers'], report) ?? []].flat()
}

/** The files that a manifest names instead of declaring servers itself. */
function namedFiles(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  return isStringArray(value) ? value : []
}

export function claudePluginValues(server: Server, world: World, values: ValueRules): ValueRules {
  const { root, name, marketplace } = claudePluginOf(server.origin.file)
  const folder = `${name}@${marketplace}`.replaceAll(/[^\w-]/g, '-')
  return {
    ...values,
    syntaxes: ['plugin', 'user-config', ...values.syntaxes],
    names: {
      CLAUDE_PLUGIN_ROOT: root,
      CLAUDE_PLUGIN_DATA: join(world.home, '.claude/plugins/data', folder),
      CLAUDE_PROJECT_DIR: world.dirs.at(-1) ?? world.cwd,
    },
  }
}
