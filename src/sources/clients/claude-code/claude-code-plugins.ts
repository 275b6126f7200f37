import { dirname, join } from 'node:path'
import { initialAnswer } from '../../../model/answers.ts'
import { isList, isObject } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Input, Server } from '../../../model/server.ts'
import { DocumentCheck } from '../document-check.ts'
import { bundleEntry, bundleInputs, bundleNames } from '../mcpb/mcpb.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import type { Draft } from '../../entries/server-draft.ts'
import { tableAt, tablesOf } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'

interface Plugin {
  readonly root: string
  readonly name: string
  readonly marketplace: string
  readonly version: string
}

/** A plugin's folder is `<marketplace>/<plugin>/<version>`; its servers are in `.mcp.json`, in its manifest, or in files of it. */
export function claudePluginOf(path: string): Plugin {
  const inCache = /^.*[\\/]plugins[\\/]cache(?:[\\/][^\\/]+){3}(?=[\\/])/.exec(path)?.[0]
  const root = inCache ?? (isManifest(path) ? dirname(dirname(path)) : dirname(path))
  const [version = '', name = '', marketplace = ''] = root.split(/[\\/]/).reverse()
  return { root, name, marketplace, version }
}

function isManifest(path: string): boolean {
  return /\.claude-plugin[\\/]plugin\.json$/.test(path)
}

/** The manifest of a bundle that the plugin names, unpacked or still in its archive. */
function isBundle(path: string): boolean {
  return /(?:\.mcpb-cache[\\/][0-9a-f]+|\.(?:mcpb|dxt))[\\/]manifest\.json$/i.test(path)
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

export function claudePluginTables(
  file: OpenFile,
  root: JsonObject,
  world: World,
  report: Report,
): readonly Table[] {
  if (isManifest(file.path)) return inlineTables(file, root, report)
  if (isBundle(file.path)) {
    const entry = bundleEntry(file, root, world, report)
    if (!entry) return []
    const { name, path, value } = entry
    return [{ file, path, value: { [name]: value }, entryAt: () => ({ name, path }) }]
  }
  const bare = { message: 'A map of servers without "mcpServers"; plugins may use this form.' }
  return tablesOf(file, root, { roots: [['mcpServers']], bare }, report)
}

/** The maps that a manifest holds itself. The files it names are opened like the plugin's own. */
function inlineTables(file: OpenFile, root: JsonObject, report: Report): readonly Table[] {
  const value = root['mcpServers']
  if (typeof value === 'string') return []
  if (!isList(value)) return [tableAt(file, root, ['mcpServers'], report) ?? []].flat()
  return value.flatMap((item, index) =>
    typeof item === 'string' ? [] : (tableAt(file, root, ['mcpServers', index], report) ?? []),
  )
}

/**
 * Gives the servers of bundles their inputs, and reports those without a default: only Claude Code knows the answers. A
 * bundle that it has not unpacked is switched off: there is nothing to start yet, so it needs no answers either.
 */
export function settleBundles({ drafts, report }: Pick<SettleContext, 'drafts' | 'report'>): void {
  for (const draft of drafts.filter(({ origin }) => isBundle(origin.file))) {
    const inputs = inputsOf(draft, report)
    if (inputs.length > 0) draft.inputs = inputs
    const archive = dirname(draft.origin.file)
    if (/\.(?:mcpb|dxt)$/i.test(archive)) {
      draft.enabled = false
      draft.disabledBy = archive
    } else reportInputs(draft, inputs, report)
  }
}

/** The inputs that the entry refers to. A number or a boolean as a default is written as text. */
function inputsOf({ file, declared }: Draft, report: Report): readonly Input[] {
  const { value } = file.doc
  const entries = JSON.stringify(declared.map(({ entry }) => entry))
  const all = isObject(value) ? bundleInputs(value, new DocumentCheck(file, report)) : []
  return all
    .filter(({ id }) => entries.includes(`\${user_config.${id}}`))
    .map((input) => {
      const { default: _given, ...rest } = input
      const initial = initialAnswer(input)
      return typeof initial === 'string' ? { ...rest, default: initial } : rest
    })
}

function reportInputs({ file, name }: Draft, inputs: readonly Input[], report: Report): void {
  const needed = inputs.filter((input) => input.default === undefined)
  if (needed.length === 0) return
  const names = needed.map(({ id, secret }) => (secret ? `${id} (secret)` : id))
  const message = `${names.join(' and ')} must be entered before the server starts.`
  report.add('needs-input', 'warn', message, { file, pointer: '/user_config', server: name })
}

export function claudePluginValues(server: Server, world: World, values: ValueRules): ValueRules {
  const { root, name, marketplace } = claudePluginOf(server.origin.file)
  const folder = `${name}@${marketplace}`.replaceAll(/[^\w-]/g, '-')
  return {
    ...values,
    syntaxes: ['plugin', 'user-config', ...values.syntaxes],
    names: {
      ...(isBundle(server.origin.file) && bundleNames(server.origin.file, world.home)),
      CLAUDE_PLUGIN_ROOT: root,
      CLAUDE_PLUGIN_DATA: join(world.home, '.claude/plugins/data', folder),
      CLAUDE_PROJECT_DIR: world.dirs.at(-1) ?? world.cwd,
    },
  }
}
