import { toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Place } from '../../model/diagnostic.ts'
import type { Server, Value } from '../../model/server.ts'
import type { Env } from '../../platform/platform.ts'
import { parseTemplate } from '../../sources/entries/template.ts'
import type { World } from '../../sources/source.ts'
import type { Part, ValueField, ValueRules } from '../../sources/entries/template.ts'

/** One text of a server that may contain placeholders, with its field and key. */
export interface ValueSite {
  readonly field: ValueField
  readonly key: string | number
  readonly value: Value
}

/** Reads an own property of the environment, never an inherited one such as `constructor` (T44). */
export function variableIn(env: Env, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}

/** T52: the folder of relative paths and of `${workspaceFolder}`: the project folder of its file, else the working directory's. */
export function baseFolder({ folder }: Server, { dirs, cwd }: Pick<World, 'dirs' | 'cwd'>): string {
  return folder ?? dirs[0] ?? cwd
}

/** Keys of a login that contain the name of a variable instead of a value. */
const namesVariable = new Set(['tokenEnv', 'clientSecretEnv'])

/** Every text of a server that its owner expands. */
export function valueSites(server: Server, rules: ValueRules): readonly ValueSite[] {
  const { fields } = rules
  return fields ? allSites(server).filter(({ field }) => fields.includes(field)) : allSites(server)
}

/** Whether any text of a server could contain a placeholder. Runs for every server, so it allocates no list of sites. */
export function mayHoldPlaceholders({ transport }: Server): boolean {
  if (transport.kind === 'stdio') {
    if (mayHoldPlaceholder(transport.command) || transport.args.some(mayHoldPlaceholder)) return true
    if (transport.cwd !== undefined && mayHoldPlaceholder(transport.cwd)) return true
    if (transport.envFile !== undefined && mayHoldPlaceholder(transport.envFile)) return true
  } else if (mayHoldPlaceholder(transport.url) || Object.values(transport.headers).some(mayHoldPlaceholder))
    return true
  if (transport.env && Object.values(transport.env).some(mayHoldPlaceholder)) return true
  return transport.auth !== undefined
}

export function mayHoldPlaceholder(value: Value): boolean {
  return typeof value !== 'string' || /^!|[$%{]/.test(value)
}

export function allSites({ transport }: Server): readonly ValueSite[] {
  const sites: ValueSite[] = []
  if (transport.kind === 'stdio') {
    const { command, args, cwd, envFile } = transport
    sites.push({ field: 'command', key: 'command', value: command })
    for (let index = 0; index < args.length; index++) {
      sites.push({ field: 'args', key: index, value: args[index] ?? '' })
    }
    if (cwd !== undefined) sites.push({ field: 'cwd', key: 'cwd', value: cwd })
    if (envFile !== undefined) sites.push({ field: 'envFile', key: 'envFile', value: envFile })
  } else {
    sites.push({ field: 'url', key: 'url', value: transport.url })
    for (const [key, value] of Object.entries(transport.headers)) sites.push({ field: 'headers', key, value })
  }
  for (const [key, value] of Object.entries(transport.env ?? {})) sites.push({ field: 'env', key, value })
  for (const [key, value] of Object.entries(transport.auth ?? {})) {
    if (key === 'type' || typeof value !== 'string') continue
    sites.push({ field: 'auth', key, value: namesVariable.has(key) ? { env: value } : value })
  }
  return sites
}

/** A `!command` or the bare name of a variable is recognized only in the values of `env` and `headers`, as owners do. */
export function partsOf(site: ValueSite, rules: ValueRules): readonly Part[] {
  if (typeof site.value !== 'string') return [{ kind: 'env', name: site.value.env, text: '' }]
  if (site.field !== 'env' && site.field !== 'headers') {
    const syntaxes = rules.syntaxes.filter((syntax) => syntax !== 'bang')
    return parseTemplate(site.value, { ...rules, syntaxes })
  }
  // O12: the variable of that name if it is set, otherwise the text itself.
  if (rules.syntaxes.includes('env-name') && /^[A-Za-z_]\w*$/.test(site.value)) {
    return [{ kind: 'env', name: site.value, fallback: site.value, text: site.value }]
  }
  return parseTemplate(site.value, rules)
}

/**
 * Finds the place of a site's text in its file. Owners use different keys, so the entry is searched for the text. Each
 * entry is indexed once, on the first lookup.
 */
export function locatorOf(server: Server): (site: ValueSite) => Place {
  const indexes = new Map<Json, TextIndex>()
  return ({ value, key }) => {
    const text = typeof value === 'string' ? value : value.env
    for (const declared of server.declared) {
      const index = indexes.get(declared.entry) ?? indexTexts(declared.entry)
      indexes.set(declared.entry, index)
      const paths = index.get(text)
      const path = paths?.get(key) ?? paths?.values().next().value
      if (path) return declared.placeOf(declared.origin.pointer + toPointer(path))
    }
    return server.origin
  }
}

type Path = readonly (string | number)[]

/** Paths by text and last key; the first of several equal ones is kept. */
type TextIndex = Map<string, Map<string | number | undefined, Path>>

function indexTexts(entry: Json): TextIndex {
  const index: TextIndex = new Map()
  const walk = (value: Json, path: Path): void => {
    if (typeof value === 'string') {
      const paths = index.get(value) ?? new Map<string | number | undefined, Path>()
      index.set(value, paths)
      if (!paths.has(path.at(-1))) paths.set(path.at(-1), path)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        walk(item, [...path, Array.isArray(value) ? Number(key) : key])
      }
    }
  }
  walk(entry, [])
  return index
}
