import { resolve } from 'node:path'
import { HostError } from '../../model/error.ts'
import type { ResolvedValue, ResolvedAuth, ResolvedTransport, ResolvedValues } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Server, Transport, Value, Values } from '../../model/server.ts'
import { looksSecret } from '../../sources/entries/literal-secrets.ts'
import { shouldHideVariable, isSecretName } from '../../sources/entries/secret-names.ts'
import { socketAddress } from '../../sources/clients/socket-address.ts'
import { childEnv } from '../../platform/child-env.ts'
import { secretsInAddress, secretsInArguments } from './literal-parts.ts'
import { commandEnv } from './value-lookup.ts'
import type { ResolveContext } from './resolve-context.ts'
import { variableIn } from './value-sites.ts'

type Texts = Readonly<Record<string, ResolvedValue>>

interface TransportValues {
  readonly values: ResolvedValues
  /** Whether this header or variable is left out because it could not be resolved. */
  readonly isOmitted: (field: 'env' | 'headers', key: string) => boolean
  /** Variables from the envFile. */
  readonly fromFile: Readonly<Record<string, string>>
}

/** The declared transport with its values replaced by the resolved ones. */
export function toTransport(
  server: Server,
  found: TransportValues,
  context: ResolveContext,
): ResolvedTransport {
  const { transport } = server
  const { values } = found
  const auth = transport.auth && { auth: toResolvedAuth({ ...transport.auth, ...values.auth }) }
  if (transport.kind === 'stdio') {
    const cwd = workingFolder(server, values.cwd ?? transport.cwd, context)
    for (const secret of secretsInArguments((values.args ?? transport.args).map(textOf)))
      context.redactor.register(secret)
    return {
      kind: transport.kind,
      framing: transport.framing,
      command: values.command ?? transport.command,
      args: values.args ?? transport.args,
      env: toChildEnv(transport, found, context),
      ...(cwd !== undefined && { cwd }),
      ...auth,
    }
  }
  const { kind, headers, url, env, secretEnv: _names, auth: _declared, ...rest } = transport
  if (kind === 'channel')
    throw new HostError(
      'config.invalid',
      { server: server.name },
      `"${server.name}" is part of the program; there is nothing to start or to reach.`,
    )
  for (const secret of secretsInAddress(textOf(values.url ?? url))) context.redactor.register(secret)
  return {
    ...rest,
    kind,
    ...addressOf(values.url ?? url),
    headers: resolveMap('headers', headers, found, context),
    ...(rest.headersCommand !== undefined && { commandEnv: commandEnv(context) }),
    ...(env && { env: resolveMap('env', env, found, context) }),
    ...auth,
  }
}

function textOf(value: ResolvedValue): string {
  return value instanceof Secret ? value.reveal() : value
}

/** T52: a project's entry runs in the project folder of its file, wherever the command was typed. Others keep the default. */
function workingFolder(
  { folder }: Server,
  cwd: ResolvedValue | undefined,
  { world }: ResolveContext,
): ResolvedValue | undefined {
  if (cwd === undefined) return folder
  const base = folder ?? world.cwd
  return typeof cwd === 'string' ? resolve(base, cwd) : new Secret(resolve(base, cwd.reveal()))
}

/** Splits a socket address into path and URL. This needs the resolved text: variables may be part of the path. */
function addressOf(url: ResolvedValue): { readonly url: ResolvedValue; readonly socketPath?: string } {
  const isSecret = url instanceof Secret
  const address = socketAddress(isSecret ? url.reveal() : url)
  if (!address) return { url }
  return { ...address, url: isSecret ? new Secret(address.url) : address.url }
}

function resolveMap(
  field: 'env' | 'headers',
  declared: Values,
  { values, isOmitted }: TransportValues,
  context: ResolveContext,
): Texts {
  const entries = Object.entries(declared).flatMap(([name, raw]): [string, ResolvedValue][] => {
    const value: Value | ResolvedValue = ownText(values[field], name) ?? raw
    if (isOmitted(field, name) || isReference(value)) return []
    return [[name, hideByName(name, value, context)]]
  })
  return Object.fromEntries(entries)
}

/** Reads an own property only: `toString` and the like are valid names of variables and headers. */
function ownText(texts: Texts | undefined, name: string): ResolvedValue | undefined {
  return texts && Object.hasOwn(texts, name) ? texts[name] : undefined
}

function isReference(value: Value | ResolvedValue): value is { readonly env: string } {
  return typeof value !== 'string' && !(value instanceof Secret)
}

/** T35: a literal under a secret name is a secret too, although its text is in the file. */
function hideByName(name: string, value: ResolvedValue, { redactor }: ResolveContext): ResolvedValue {
  if (typeof value !== 'string' || value === '') return value
  if (!isSecretName(name) && !looksSecret(name, value)) return value
  redactor.register(value)
  return new Secret(value)
}

/** The same for inherited variables. Their names are less telling, so the value is looked at as well. */
function hideInherited(name: string, value: string, context: ResolveContext): ResolvedValue {
  if (value === '' || !shouldHideVariable(name, name, value)) return value
  context.redactor.register(value)
  return new Secret(value)
}

/** `tokenEnv` and `clientSecretEnv` hold resolved values by now, so they become `token` and `clientSecret`. */
function toResolvedAuth({ tokenEnv, clientSecretEnv, ...auth }: ResolvedAuth): ResolvedAuth {
  return {
    ...auth,
    ...(tokenEnv !== undefined && { token: tokenEnv }),
    ...(clientSecretEnv !== undefined && { clientSecret: clientSecretEnv }),
  }
}

/** T05: layers the child's environment: the minimal set, passed variables, the envFile, the entry's own `env`. Later layers win. */
function toChildEnv(
  transport: Transport & { kind: 'stdio' },
  found: TransportValues,
  context: ResolveContext,
): Texts {
  const { inheritEnv, passEnv = [], unsetEnv = [] } = transport
  const { world, grants, redactor } = context
  const passed = inheritEnv && grants ? [...grants, ...passEnv] : passEnv
  const inherited = childEnv(world, inheritEnv && !grants)
  const env: Record<string, ResolvedValue> = Object.create(null)
  for (const name in inherited) env[name] = hideInherited(name, inherited[name] ?? '', context)
  for (const name of passed) {
    const value = (grants?.has(name) ?? true) ? variableIn(world.env, name) : undefined
    if (value !== undefined && name !== 'PATH') env[name] = hideInherited(name, value, context)
  }
  for (const [name, value] of Object.entries(found.fromFile)) {
    redactor.register(value)
    env[name] = new Secret(value)
  }
  Object.assign(env, resolveMap('env', transport.env, found, context))
  for (const name of unsetEnv) delete env[name]
  return { ...env }
}
