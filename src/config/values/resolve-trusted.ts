import { HostError } from '../../model/error.ts'
import type { ResolvedTransport, ResolvedValues } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Server, TrustState } from '../../model/server.ts'
import { nextCommand } from '../../model/next-command.ts'
import type { Part, ValueRules } from '../../sources/entries/template.ts'
import { keychainGrant } from './keychain-values.ts'
import type { Variables } from './env-file.ts'
import { childEnv } from '../../platform/child-env.ts'
import { createLookup, readEnvFile } from './value-lookup.ts'
import type { Failures } from './value-lookup.ts'
import { asShellCommand, leaveProjectOut } from './leave-project-out.ts'
import { redactWords } from '../redact-text.ts'
import { createResolveContext } from './resolve-context.ts'
import type { ResolveContext, ResolveOptions } from './resolve-context.ts'
import { nameOf, resolveValues } from './resolve-values.ts'
import type { MissingValue } from './resolve-values.ts'
import { toTransport } from './to-transport.ts'
import { partsOf, valueSites, variableIn } from './value-sites.ts'

export interface ResolvedServer {
  readonly transport: ResolvedTransport
  /** Variables and headers that are left out because they could not be resolved. */
  readonly omitted: readonly OmittedValue[]
  /** T03: the program is another file than when a person trusted the server. */
  readonly moved?: { readonly from: string; readonly to: string }
  /** T133: with `pinFiles`, scripts that run and that the trust of an earlier version does not cover. */
  readonly uncovered?: readonly string[]
  /** For a server in a box: the variables for the program that makes the box, none of them from the entry. */
  readonly outside?: Readonly<Record<string, string>>
}

export interface OmittedValue {
  /** `envFile`: a variable of that file which decides what programs load or run (T53). */
  readonly field: 'env' | 'headers' | 'envFile'
  readonly key: string
  /** The variable or command that could not be resolved, or the envFile. */
  readonly name: string
}

/** Resolves a server's values right before it is used (D-9). Refuses an untrusted server before looking anything up. */
export async function resolveTrusted(server: Server, options: ResolveOptions): Promise<ResolvedServer> {
  refuseUntrusted(server, options.trust)
  const rules = options.source.valuesOf(server, options.world)
  const context = createResolveContext(server, options)
  refuseUngranted(server, rules, context)
  const failures: Failures = new Map()
  const lookup = createLookup(server, rules, context, failures)
  const { values, missing } = await resolveValues(server, rules, lookup)
  registerSecrets(server, rules, values, context)
  const { omitted, required } = splitMissing(missing, rules)
  if (required.length > 0) throw unresolvedError(server, required, failures, context)
  const { variables: fromFile, ignored } = await envFileOf(server, values, context)
  const isOmitted = (field: string, key: string) =>
    omitted.some((item) => item.field === field && item.key === key)
  const transport = toTransport(server, { values, isOmitted, fromFile }, context)
  return {
    transport: await withoutProject(server, transport, context),
    omitted: [...omitted, ...ignored],
    ...(server.runner && { outside: childEnv(context.world) }),
  }
}

/** T51: neither the program nor the command for headers of a person's server is one of the project's. */
async function withoutProject(
  server: Server,
  transport: ResolvedTransport,
  context: ResolveContext,
): Promise<ResolvedTransport> {
  if (transport.kind === 'stdio') return leaveProjectOut(server, transport, context)
  const { headersCommand, commandEnv: env = {} } = transport
  if (headersCommand !== undefined)
    await leaveProjectOut(server, asShellCommand(headersCommand, env), context)
  return transport
}

/** T01: no value of a project's server is looked up before a person trusts the server. */
function refuseUntrusted({ name }: Server, trust: TrustState): void {
  if (trust === 'trusted') return
  const what = trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'
  throw new HostError('trust.refused', { server: name }, `"${name}" ${what}.`, {
    hint: `Look at it and decide: ${nextCommand('trust', name)}`,
  })
}

/** T06: a variable that is set but not granted is an error; treating it as unset would start the server half configured. */
function refuseUngranted(server: Server, rules: ValueRules, { grants, world }: ResolveContext): void {
  if (!grants) return
  const parts = valueSites(server, rules).flatMap((site) => partsOf(site, rules))
  const wanted = parts.flatMap((part) => {
    if (part.kind === 'keychain') return [keychainGrant(part.reference)]
    const isNeeded = part.kind === 'env' && part.fallback === undefined
    return isNeeded && variableIn(world.env, part.name) !== undefined ? [part.name] : []
  })
  const names = [...new Set(wanted)].filter((name) => !grants.has(name))
  if (names.length === 0) return
  const message = `"${server.name}" was not granted ${names.join(' and ')}.`
  throw new HostError('value.unresolved', { server: server.name, names }, message, {
    hint: `Trust it again to grant more: ${nextCommand('trust', server.name)}`,
  })
}

/** Splits missing values into those that the owner omits and those that prevent the start. Kept texts are in neither list. */
function splitMissing(missing: readonly MissingValue[], rules: ValueRules) {
  const omitted: OmittedValue[] = []
  const required: MissingValue[] = []
  for (const value of missing) {
    const { field, key } = value.site
    const handling = handlingOf(value, rules)
    if (handling === 'kept') continue
    const inMap = field === 'env' || field === 'headers'
    if (handling === 'omitted' && inMap) omitted.push({ field, key: String(key), name: nameOf(value.part) })
    else required.push(value)
  }
  return { omitted, required }
}

type MissingHandling = 'kept' | 'omitted' | 'required'

function handlingOf({ site, part }: MissingValue, rules: ValueRules): MissingHandling {
  if (part.kind === 'command') return rules.failedCommand === 'omit' ? 'omitted' : 'required'
  if (part.kind !== 'env') return 'required'
  // Owners that write a variable's name instead of a placeholder omit the key when the variable is unset.
  if (typeof site.value !== 'string') return 'omitted'
  if (rules.needsVariables) return 'required'
  return rules.unset === 'omit' ? 'omitted' : 'kept'
}

/** T07: names what is missing and why, without the output of commands and with secrets in their text masked. */
function unresolvedError(
  { name }: Server,
  missing: readonly MissingValue[],
  failures: Failures,
  { redactor }: ResolveContext,
): HostError<'value.unresolved'> {
  const show = (text: string) => redactor.redact(redactWords(text))
  const names = [...new Set(missing.map(({ part }) => nameOf(part)))]
  const reasons = names.map((each) => {
    const why = failures.get(each)
    return why === undefined ? show(each) : `${show(each)} (${why})`
  })
  const message = `"${name}" cannot start without ${reasons.join(' and ')}.`
  return new HostError('value.unresolved', { server: name, names: names.map(show) }, message, {
    hint: remedyFor(name, missing, show),
  })
}

/** The next steps for a person, by the kind of the missing values. */
function remedyFor(server: string, missing: readonly MissingValue[], show: (text: string) => string): string {
  const namesOf = (kind: Part['kind']) => [
    ...new Set(missing.flatMap(({ part }) => (part.kind === kind ? [show(nameOf(part))] : []))),
  ]
  const inputs = namesOf('input').map((id) => `--input ${id.replace(/^-+/, '')}=…`)
  const variables = namesOf('env')
  const steps = [
    ...(inputs.length > 0 ? [`Answer it: ${inputs.join(' ')}`] : []),
    ...(variables.length > 0
      ? [`Set ${variables.join(' and ')} in your environment, or write a default into the entry.`]
      : []),
    ...(namesOf('keychain').length > 0
      ? ['Unlock your keychain, and store the value there under that service and account.']
      : []),
  ]
  return [...steps, `See its values: ${nextCommand('why', server)}`].join(' ')
}

/** T35: registers each secret both as the whole resolved text and as the bare variable, so that either is masked in output. */
function registerSecrets(
  server: Server,
  rules: ValueRules,
  values: ResolvedValues,
  context: ResolveContext,
): void {
  const { redactor, world } = context
  for (const site of valueSites(server, rules)) {
    const found = valueAt(values, site.field, site.key)
    if (!(found instanceof Secret)) continue
    redactor.register(found.reveal())
    for (const part of partsOf(site, rules)) {
      const value = part.kind === 'env' ? variableIn(world.env, part.name) : undefined
      if (value !== undefined) redactor.register(value)
    }
  }
}

function valueAt(values: ResolvedValues, field: keyof ResolvedValues, key: string | number): unknown {
  const value: unknown = values[field]
  if (typeof value !== 'object' || value === null || value instanceof Secret) return value
  return Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined // it has the key
}

async function envFileOf(
  server: Server,
  values: ResolvedValues,
  context: ResolveContext,
): Promise<{ readonly variables: Variables; readonly ignored: readonly OmittedValue[] }> {
  const { name, transport } = server
  if (transport.kind !== 'stdio' || transport.envFile === undefined) return { variables: {}, ignored: [] }
  const file = transport.envFile
  const path = values.envFile ?? file
  const found = await readEnvFile(server, typeof path === 'string' ? path : path.reveal(), context)
  if (found) {
    const { splitLoaders } = await refuseChangedEnvFile(name, found, context)
    const { variables, ignored } = splitLoaders(found, transport)
    return { variables, ignored: ignored.map((key) => ({ field: 'envFile', key, name: file })) }
  }
  throw new HostError(
    'value.unresolved',
    { server: name, names: [transport.envFile] },
    `"${name}" cannot start without its envFile ${transport.envFile}, which cannot be read.`,
    { hint: `Create the file, or change "envFile" in its entry: ${nextCommand('why', name)}` },
  )
}

/** T53: compares the variables that are about to be set, not an earlier reading of the file. */
async function refuseChangedEnvFile(name: string, variables: Variables, { envFile }: ResolveContext) {
  const module = await import('./env-file.ts')
  if (envFile === undefined) return module
  const seal = envFile === 'unsealed' ? undefined : envFile
  if (module.isSealed(variables, seal)) return module
  const names = module.changedNames(variables, seal).join(', ')
  const message = seal
    ? `The envFile of "${name}" has changed since it was trusted: ${names}.`
    : `"${name}" was trusted before the content of its envFile was part of the trust: ${names}.`
  throw new HostError('trust.refused', { server: name }, message, {
    hint: `Look at it and decide: ${nextCommand('trust', name)}`,
  })
}
