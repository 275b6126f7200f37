import { basename, isAbsolute, join, sep } from 'node:path'
import type { Resolved, ResolvedValues } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Server } from '../../model/server.ts'
import type { Env } from '../../platform/platform.ts'
import { shouldHideVariable, isSecretName } from '../../sources/entries/secret-names.ts'
import type { Part, ValueField, ValueRules } from '../../sources/entries/template.ts'
import { partsOf, valueSites, variableIn } from './value-sites.ts'
import type { ValueSite } from './value-sites.ts'

/** Where values come from. A part that cannot be looked up here, or only with consent, answers `undefined`. */
export interface Lookup {
  readonly env: Env
  readonly home: string
  readonly project: string
  /** A value of which a part is missing is left as it stands. */
  readonly wholeOnly?: true
  /** The variables a person granted; every one when absent. */
  readonly granted?: ReadonlySet<string>
  /** With the whole placeholder, whose form may say how the command is run. */
  readonly command?: (command: string, text: string) => Promise<string | undefined>
  readonly file?: (path: string) => Promise<string | undefined>
  readonly input?: (id: string) => Promise<string | undefined>
  readonly keychain?: (reference: string, text: string) => Promise<string | undefined>
}

export interface Resolution {
  readonly values: ResolvedValues
  /** What could not be looked up, and where it is needed; with any, the server cannot start as it is. */
  readonly missing: readonly Missing[]
}

export interface Missing {
  readonly site: ValueSite
  readonly part: Part
}

/** One pass over every placeholder. What a value resolves to is never expanded again (T06). */
export async function resolveValues(server: Server, rules: ValueRules, lookup: Lookup): Promise<Resolution> {
  const missing: Missing[] = []
  const values: { [K in ValueField]?: Resolved | Resolved[] | Record<string, Resolved> } = {}
  for (const site of valueSites(server, rules)) {
    const result = await resolveSite(site, rules, lookup, missing)
    if (result === undefined) continue
    if (site.field === 'args' && server.transport.kind === 'stdio') {
      const args = (values.args ??= [...server.transport.args]) as Resolved[] // args is always a list here
      args[Number(site.key)] = result
    } else if (site.field === 'env' || site.field === 'headers' || site.field === 'auth') {
      const map = (values[site.field] ??= Object.create(null)) as Record<string, Resolved> // these are always maps here
      map[String(site.key)] = result
    } else {
      values[site.field] = result
    }
  }
  return { values: values as ResolvedValues, missing }
}

/** The text a site becomes, or nothing if its owner leaves it as it stands. */
async function resolveSite(
  site: ValueSite,
  rules: ValueRules,
  lookup: Lookup,
  missing: Missing[],
): Promise<Resolved | undefined> {
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

/** T35: whatever comes from outside the file is hidden, unless it is plain that it is no secret. */
function isHidden(part: Part, key: string, found: string, env: Env): boolean {
  if (part.kind === 'text' || part.kind === 'name' || part.kind === 'literal') return false
  if (part.kind !== 'env') return true
  // A default stands in the file for everybody to see.
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
      return variable(part, rules, lookup)
    case 'name':
      return ownName(part.name, rules, lookup)
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

function variable(part: Part & { kind: 'env' }, rules: ValueRules, lookup: Lookup): string | undefined {
  const value = grantedVariable(part.name, rules, lookup)
  const unfilled = value === '' && part.fallback !== undefined && !rules.emptyCounts
  if (value !== undefined && !unfilled) return value
  return part.fallback ?? (rules.unset === 'empty' ? '' : undefined)
}

/** T06: whichever way a value names a variable, it gets only what its owner sees and a person granted. */
function grantedVariable(name: string, rules: ValueRules, lookup: Lookup): string | undefined {
  const visible = rules.only === undefined || rules.only.test(name)
  const granted = lookup.granted === undefined || lookup.granted.has(name)
  return visible && granted ? variableIn(lookup.env, name) : undefined
}

function ownName(name: string, rules: ValueRules, lookup: Lookup): string | undefined {
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
