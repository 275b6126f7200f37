import { resolve } from 'node:path'
import type { ResolvedValues } from '../model/resolved.ts'
import type { Server } from '../model/server.ts'
import type { Source, World } from '../sources/source.ts'
import { resolveValues } from './resolve-values.ts'
import type { Resolution } from './resolve-values.ts'

/**
 * How a server's values would come out, for showing: nothing is run, read or opened for it (D-9). A server of which any
 * value is out of reach, or that is off, has no preview.
 */
export async function previewValues(
  server: Server,
  source: Source,
  world: World,
  granted?: readonly string[],
): Promise<ResolvedValues | undefined> {
  const { values, missing } = await resolveForShow(server, source, world, granted)
  const { auth: _login, envFile: _path, ...shown } = values
  return server.enabled && missing.length === 0 && Object.keys(shown).length > 0 ? shown : undefined
}

/** Where a server's envFile is, if all of its other values are known. */
export async function resolveEnvFile(
  server: Server,
  source: Source,
  world: World,
  granted?: readonly string[],
): Promise<string | undefined> {
  const { values, missing } = await resolveForShow(server, source, world, granted)
  if (!server.enabled || missing.length > 0 || server.transport.kind !== 'stdio') return undefined
  const path = values.envFile ?? server.transport.envFile
  return typeof path === 'string' ? resolve(world.dirs[0] ?? world.cwd, path) : undefined
}

function resolveForShow(
  server: Server,
  source: Source,
  world: World,
  granted?: readonly string[],
): Promise<Resolution> {
  const lookup = {
    env: world.env,
    home: world.home,
    project: world.dirs[0] ?? world.cwd,
    ...(granted && { granted: new Set(granted) }),
  }
  return resolveValues(server, source.valuesOf(server, world), lookup)
}
