import { resolve } from 'node:path'
import type { Preview, ResolvedValues } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Server } from '../../model/server.ts'
import type { Env } from '../../platform/platform.ts'
import type { ValueSource, World } from '../../sources/source.ts'
import type { Part } from '../../sources/entries/template.ts'
import { redactWords } from '../redact-text.ts'
import { resolveValues } from './resolve-values.ts'
import type { MissingValue, Resolution } from './resolve-values.ts'
import { baseFolder, variableIn } from './value-sites.ts'
import type { ValueSite } from './value-sites.ts'

/**
 * A server's resolved values for display. Runs no command, reads no file and opens no keychain (D-9). A disabled server
 * has no preview.
 */
export async function previewValues(
  server: Server,
  source: ValueSource,
  world: World,
  granted?: readonly string[],
): Promise<Preview | undefined> {
  if (!server.enabled) return undefined
  const { values, missing } = await resolveForDisplay(server, source, world, granted)
  const { auth = {}, envFile: _path, ...shown } = values
  const login = loginOf(server, auth)
  const unresolved = reasonsFor(missing, world.env)
  const preview = {
    ...shown,
    ...(Object.keys(login).length > 0 && { login }),
    ...(Object.keys(unresolved).length > 0 && { unresolved }),
  }
  return Object.keys(preview).length > 0 ? preview : undefined
}

/** `tokenEnv` is sent as a bearer header, so it is shown as one. */
function loginOf({ transport }: Server, auth: NonNullable<Preview['login']>): NonNullable<Preview['login']> {
  const { tokenEnv, ...rest } = auth
  const name = transport.auth?.['tokenEnv']
  if (tokenEnv === undefined || typeof name !== 'string') return rest
  return { ...rest, Authorization: `Bearer ••• (from \${${name}})` }
}

function reasonsFor(missing: readonly MissingValue[], env: Env): Readonly<Record<string, string>> {
  const reasons: Record<string, string> = Object.create(null)
  for (const { site, part } of missing) {
    const place = placeOf(site)
    const before = reasons[place]
    reasons[place] = before === undefined ? reasonFor(part, env) : `${before}, ${reasonFor(part, env)}`
  }
  return { ...reasons }
}

function placeOf({ field, key }: ValueSite): string {
  if (field === 'auth' && key === 'tokenEnv') return 'Authorization'
  return field === key ? field : `${field}.${key}`
}

function reasonFor(part: Part, env: Env): string {
  const text = part.kind === 'env' ? `\${${part.name}}` : redactWords(part.text)
  switch (part.kind) {
    case 'env':
      return `${text} ${variableIn(env, part.name) === undefined ? 'is not set' : 'is not granted'}`
    case 'command':
      return `${text} is run only at start`
    case 'input':
      return `${text} needs an answer from a person`
    case 'text':
    case 'name':
    case 'file':
    case 'secret':
    case 'keychain':
    case 'scheme':
    case 'literal':
      return `${text} is looked up only at start`
    default:
      return part satisfies never
  }
}

/** The path of a server's envFile, or `undefined` while any of its values cannot be resolved. */
export async function resolveEnvFile(
  server: Server,
  source: ValueSource,
  world: World,
  granted?: readonly string[],
): Promise<string | undefined> {
  const { values, missing } = await resolveForDisplay(server, source, world, granted)
  if (!server.enabled || missing.length > 0 || values.envFile instanceof Secret) return undefined
  return pathIn(values, server, world)
}

/** The same for reading it: also of a disabled server, and only the path itself has to be known. Not for display. */
export async function envFilePath(
  server: Server,
  source: ValueSource,
  world: World,
  granted?: readonly string[],
): Promise<string | undefined> {
  const { values, missing } = await resolveForDisplay(server, source, world, granted)
  const isKnown = missing.every(({ site }) => site.field !== 'envFile')
  return isKnown ? pathIn(values, server, world) : undefined
}

function pathIn(values: ResolvedValues, server: Server, world: World): string | undefined {
  const { transport } = server
  if (transport.kind !== 'stdio') return undefined
  const path = values.envFile ?? transport.envFile
  if (path === undefined) return undefined
  return resolve(baseFolder(server, world), typeof path === 'string' ? path : path.reveal())
}

function resolveForDisplay(
  server: Server,
  source: ValueSource,
  world: World,
  granted?: readonly string[],
): Promise<Resolution> {
  const lookup = {
    env: world.env,
    home: world.home,
    project: baseFolder(server, world),
    wholeOnly: true as const,
    ...(granted && { granted: new Set(granted) }),
  }
  return resolveValues(server, source.valuesOf(server, world), lookup)
}
