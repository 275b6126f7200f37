import type { Resolved, ResolvedAuth, ResolvedTransport, ResolvedValues } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Server, Transport, Value, Values } from '../../model/server.ts'
import { shouldHideVariable, isSecretName } from '../../sources/entries/secret-names.ts'
import { socketAddress } from '../../sources/clients/socket-address.ts'
import { childEnv } from './child-env.ts'
import { commandEnv } from './value-lookup.ts'
import type { Context } from './resolve-context.ts'
import { variableIn } from './value-sites.ts'

type Texts = Readonly<Record<string, Resolved>>

interface Found {
  readonly values: ResolvedValues
  /** Whether the owner leaves this header or variable out. */
  readonly isOmitted: (field: 'env' | 'headers', key: string) => boolean
  readonly fromFile: Readonly<Record<string, string>>
}

/** The declaration with what was found for it in its places. */
export function toTransport({ transport }: Server, found: Found, context: Context): ResolvedTransport {
  const { values } = found
  const auth = transport.auth && { auth: authOf({ ...transport.auth, ...values.auth }) }
  if (transport.kind === 'stdio') {
    const cwd = values.cwd ?? transport.cwd
    return {
      kind: transport.kind,
      framing: transport.framing,
      command: values.command ?? transport.command,
      args: values.args ?? transport.args,
      env: childOf(transport, found, context),
      ...(cwd !== undefined && { cwd }),
      ...auth,
    }
  }
  const { headers, url, env, secretEnv: _names, auth: _declared, ...rest } = transport
  return {
    ...rest,
    ...addressOf(values.url ?? url),
    headers: mapOf('headers', headers, found, context),
    ...(rest.headersCommand !== undefined && { commandEnv: commandEnv(context) }),
    ...(env && { env: mapOf('env', env, found, context) }),
    ...auth,
  }
}

/** A socket in an address is known once its variables are. */
function addressOf(url: Resolved): { readonly url: Resolved; readonly socketPath?: string } {
  const isSecret = url instanceof Secret
  const address = socketAddress(isSecret ? url.reveal() : url)
  if (!address) return { url }
  return { ...address, url: isSecret ? new Secret(address.url) : address.url }
}

function mapOf(
  field: 'env' | 'headers',
  declared: Values,
  { values, isOmitted }: Found,
  context: Context,
): Texts {
  const entries = Object.entries(declared).flatMap(([name, raw]): [string, Resolved][] => {
    const value: Value | Resolved = foundIn(values[field], name) ?? raw
    if (isOmitted(field, name) || isReference(value)) return []
    return [[name, hideByName(name, value, context)]]
  })
  return Object.fromEntries(entries)
}

/** Only what was found under that name, never what every object has. */
function foundIn(texts: Texts | undefined, name: string): Resolved | undefined {
  return texts && Object.hasOwn(texts, name) ? texts[name] : undefined
}

function isReference(value: Value | Resolved): value is { readonly env: string } {
  return typeof value !== 'string' && !(value instanceof Secret)
}

/** T35: a secret stays one when its text stood in the file. */
function hideByName(name: string, value: Resolved, { redactor }: Context): Resolved {
  if (typeof value !== 'string' || value === '' || !isSecretName(name)) return value
  redactor.register(value)
  return new Secret(value)
}

/** The same for what comes from the environment, whose names say less. */
function hideInherited(name: string, value: string, context: Context): Resolved {
  if (value === '' || !shouldHideVariable(name, name, value)) return value
  context.redactor.register(value)
  return new Secret(value)
}

/** What was the name of a variable is now its value, and is called so. */
function authOf({ tokenEnv, clientSecretEnv, ...auth }: ResolvedAuth): ResolvedAuth {
  return {
    ...auth,
    ...(tokenEnv !== undefined && { token: tokenEnv }),
    ...(clientSecretEnv !== undefined && { clientSecret: clientSecretEnv }),
  }
}

/** T05: the minimal environment, what the entry passes on, its envFile, its own values; the later ones count. */
function childOf(transport: Transport & { kind: 'stdio' }, found: Found, context: Context): Texts {
  const { inheritEnv, passEnv = [], unsetEnv = [] } = transport
  const { world, grants, redactor } = context
  const passed = inheritEnv && grants ? [...grants, ...passEnv] : passEnv
  const inherited = childEnv(world, inheritEnv && !grants)
  const env: Record<string, Resolved> = Object.create(null)
  for (const name in inherited) env[name] = hideInherited(name, inherited[name] ?? '', context)
  for (const name of passed) {
    const value = (grants?.has(name) ?? true) ? variableIn(world.env, name) : undefined
    if (value !== undefined && name !== 'PATH') env[name] = hideInherited(name, value, context)
  }
  for (const [name, value] of Object.entries(found.fromFile)) {
    redactor.register(value)
    env[name] = new Secret(value)
  }
  Object.assign(env, mapOf('env', transport.env, found, context))
  for (const name of unsetEnv) delete env[name]
  return { ...env }
}
