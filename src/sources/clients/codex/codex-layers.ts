import { isObject, toPointer, valueAt } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { OpenFile, World } from '../../source.ts'

/** The approval modes of one entry, or of its layers (highest first) merged key by key. */
export function approvalOf(entries: readonly JsonObject[]): Json | undefined {
  if (!entries.some((entry) => 'default_tools_approval_mode' in entry || 'tools' in entry)) return undefined
  const modes = entries.map((entry) => entry['default_tools_approval_mode'])
  const mode = modes.find((each) => each !== undefined)
  const tools = Object.fromEntries(entries.map(toolModes).reverse().flat())
  const hasTools = Object.keys(tools).length > 0
  if (mode === undefined && !hasTools) return undefined
  return { ...(mode !== undefined && { default: mode }), ...(hasTools && { tools }) }
}

function toolModes({ tools }: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(isObject(tools) ? tools : {}).flatMap(([tool, settings]) => {
    const mode = isObject(settings) ? settings['approval_mode'] : undefined
    return mode === undefined ? [] : [[tool, mode] as const]
  })
}

/** The name of a local variable to pass on; `undefined` for one of a remote machine. */
export function localName(item: Json | undefined): string | undefined {
  if (typeof item === 'string') return item
  if (!isObject(item) || item['source'] === 'remote') return undefined
  return typeof item['name'] === 'string' ? item['name'] : undefined
}

export function reportUntrusted({ files, world, report }: SettleContext): void {
  const declaring = files.filter((file) => file.authority === 'project' && declaresServers(file))
  for (const file of declaring.filter((candidate) => !isTrusted(candidate, files, world))) {
    report.add('untrusted-project', 'warn', 'Codex reads this file only in a trusted project.', {
      file,
    })
  }
}

function declaresServers({ doc }: OpenFile): boolean {
  const servers = doc.errors.length === 0 ? valueAt(doc.value, ['mcp_servers']) : undefined
  return isObject(servers) && Object.keys(servers).length > 0
}

/** Trust is declared in the user's own file, for this directory or one above it. */
function isTrusted(project: OpenFile, files: readonly OpenFile[], { dirs }: World): boolean {
  const above = dirs.slice(Math.max(dirs.indexOf(project.root), 0))
  return files.some(
    ({ authority, doc }) =>
      authority === 'user' &&
      above.some((dir) => valueAt(doc.value, ['projects', dir, 'trust_level']) === 'trusted'),
  )
}

/** Reports variables to be passed on that are not set. */
export function reportUnsetNames({ drafts, files, world, report }: SettleContext): void {
  for (const { name, enabled, disabledBy, passEnv, declared } of drafts) {
    if (enabled === false && disabledBy === undefined) continue
    const source = declared.find(({ entry }) => entry['env_vars'] !== undefined)
    const file = files.find(({ path }) => path === source?.origin.file)
    const list = source?.entry['env_vars']
    if (!passEnv || !source || !file || !Array.isArray(list)) continue
    for (const [index, item] of (list as readonly Json[]).entries()) {
      const variable = localName(item)
      if (variable === undefined || world.env[variable] !== undefined) continue
      report.add('missing-env', 'warn', `${variable} is not set, so it is not passed on.`, {
        file,
        pointer: source.origin.pointer + toPointer(['env_vars', index]),
        server: name,
      })
    }
  }
}
