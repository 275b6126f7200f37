import { basename, isAbsolute, join, sep } from 'node:path'
import type { ResolvedValue, ResolvedValues } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Server } from '../../model/server.ts'
import type { Env } from '../../platform/platform.ts'
import { shouldHideVariable, isSecretName } from '../../sources/entries/secret-names.ts'
import type { Part, ValueField, ValueRules } from '../../sources/entries/template.ts'
import { partsOf, valueSites, variableIn } from './value-sites.ts'
import type { ValueSite } from './value-sites.ts'

/** The sources of values. A lookup that is absent, or answers `undefined`, makes its part missing. */
export interface Lookup {
  readonly env: Env
  readonly home: string
  readonly project: string
  /** Leaves a value unexpanded when any part of it is missing. */
  readonly wholeOnly?: true
  /** The variables a person granted; all variables when absent. */
  readonly granted?: ReadonlySet<string>
  /** `text` is the whole placeholder; its form decides whether a shell runs the command. */
  readonly command?: (command: string, text: string) => Promise<string | undefined>
  readonly file?: (path: string) => Promise<string | undefined>
  readonly input?: (id: string) => Promise<string | undefined>
  readonly keychain?: (reference: string, text: string) => Promise<string | undefined>
}

export interface Resolution {
  readonly values: ResolvedValues
  /** Parts that could not be looked up, with the sites that need them. */
  readonly missing: readonly MissingValue[]
}

export interface MissingValue {
  readonly site: ValueSite
  readonly part: Part
}

/** Expands every placeholder in a single pass: the resolved text is never expanded again (T06). */
export async function resolveValues(server: Server, rules: ValueRules, lookup: Lookup): Promise<Resolution> {
  const missing: MissingValue[] = []
  const values: { [K in ValueField]?: ResolvedValue | ResolvedValue[] | Record<string, ResolvedValue> } = {}
  for (const site of valueSites(server, rules)) {
    const result = await resolveSite(site, rules, lookup, missing)
    if (result === undefined) continue
    if (site.field === 'args' && server.transport.kind === 'stdio') {
      const args = (values.args ??= [...server.transport.args]) as ResolvedValue[] // args is always a list here
      args[Number(site.key)] = result
    } else if (site.field === 'env' || site.field === 'headers' || site.field === 'auth') {
      const map = (values[site.field] ??= Object.create(null)) as Record<string, ResolvedValue> // these are always maps here
      map[String(site.key)] = result
    } else {
      values[site.field] = result
    }
  }
  return { values: values as ResolvedValues, missing }
}

/** The expanded text of a site, or `undefined` when the text does not change. */
async function resolveSite(
  site: ValueSite,
  rules: ValueRules,
  lookup: Lookup,
  missing: MissingValue[],
): Promise<ResolvedValue | undefined> {
  if (typeof site.value !== 'string') {
    const value = grantedVariable(site.value.env, rules, lookup)
    if (value === undefined) missing.push({ site, part: { kind: 'env', name: site.value.env, text: '' } })
    if (value === undefined) return undefined
    return shouldHideVariable(site.value.env, String(site.key), value) ? new Secret(value) : value
  }
  const parts = partsOf(site, rules)
  let text = ''
  let secret = false
  for (const part of parts) {
    const found = part.kind === 'text' ? part.text : await resolvePart(part, rules, lookup)
    if (found === undefined) {
      missing.push({ site, part })
      if (rules.unset === 'keep') text += part.text
      continue
    }
    text += found
    secret ||= isHidden(part, String(site.key), found, lookup.env)
  }
  if (lookup.wholeOnly && missing.at(-1)?.site === site) return undefined
  const path = toPath(site, text, rules, lookup)
  if (path === site.value) return undefined
  return secret ? new Secret(path) : path
}

/** T35: a text from outside the file is treated as a secret unless its name and form show that it is not one. */
function isHidden(part: Part, key: string, found: string, env: Env): boolean {
  if (part.kind === 'text' || part.kind === 'name' || part.kind === 'literal') return false
  if (part.kind !== 'env') return true
  // A default is written in the file in plain text; only a secret name makes it a secret.
  const isDefault = found !== variableIn(env, part.name)
  return isDefault ? isSecretName(part.name) || isSecretName(key) : shouldHideVariable(part.name, key, found)
}

async function resolvePart(part: Part, rules: ValueRules, lookup: Lookup): Promise<string | undefined> {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'literal':
      return part.value
    case 'env':
      return resolveVariable(part, rules, lookup)
    case 'name':
      return resolveOwnerName(part.name, rules, lookup)
    case 'command':
      return lookup.command?.(part.command, part.text)
    case 'file':
      return lookup.file?.(part.path)
    case 'input':
      return lookup.input?.(part.id)
    case 'keychain':
      return lookup.keychain?.(part.reference, part.text)
    case 'secret':
    case 'scheme':
      break
  }
  return undefined
}

function resolveVariable(
  part: Part & { kind: 'env' },
  rules: ValueRules,
  lookup: Lookup,
): string | undefined {
  const value = grantedVariable(part.name, rules, lookup)
  const takesFallback = value === '' && part.fallback !== undefined && !rules.emptyCounts
  if (value !== undefined && !takesFallback) return value
  return part.fallback ?? (rules.unset === 'empty' ? '' : undefined)
}

/** T06: every reference to a variable, in any syntax, is limited to what the owner can see and a person granted. */
function grantedVariable(name: string, rules: ValueRules, lookup: Lookup): string | undefined {
  const visible = rules.only === undefined || rules.only.test(name)
  const granted = lookup.granted === undefined || lookup.granted.has(name)
  return visible && granted ? variableIn(lookup.env, name) : undefined
}

/** The value of a name that clients define themselves, such as `workspaceFolder`. */
function resolveOwnerName(name: string, rules: ValueRules, lookup: Lookup): string | undefined {
  const workspace = rules.workspace ?? lookup.project
  const known: Readonly<Record<string, string>> = {
    workspaceFolder: workspace,
    workspaceRoot: workspace,
    workspaceFolderBasename: basename(workspace),
    userHome: lookup.home,
    pathSeparator: sep,
    '/': sep,
  }
  return rules.names && Object.hasOwn(rules.names, name) ? rules.names[name] : known[name]
}

const paths: readonly ValueField[] = ['command', 'cwd', 'envFile']

function toPath(site: ValueSite, text: string, rules: ValueRules, lookup: Lookup): string {
  const fields = rules.tilde === true ? paths : (rules.tilde ?? [])
  if (fields.includes(site.field) && (text === '~' || text.startsWith('~/')))
    return join(lookup.home, text.slice(1))
  if (site.field === 'cwd' && rules.relativeTo !== undefined && !isAbsolute(text))
    return join(rules.relativeTo, text)
  return text
}

export function nameOf(part: Part): string {
  if (part.kind === 'env' || part.kind === 'name' || part.kind === 'secret') return part.name
  return part.kind === 'input' ? part.id : part.text
}
