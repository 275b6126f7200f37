import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Server } from '../../model/server.ts'
import type { Files } from '../../platform/platform.ts'
import type { Source, World } from '../../sources/source.ts'
import { resolveEnvFile } from './preview-values.ts'
import { locateSite } from './value-sites.ts'

/** An envFile is looked for once everything else of its server is in place. */
export async function checkEnvFile(
  server: Server,
  source: Source,
  world: World,
  files: Files,
  granted?: readonly string[],
): Promise<readonly Diagnostic[]> {
  if (server.transport.kind !== 'stdio' || server.transport.envFile === undefined) return []
  const path = await resolveEnvFile(server, source, world, granted)
  if (path === undefined || (await files.stat(path))) return []
  const origin = locateSite(server, { field: 'envFile', key: 'envFile', value: server.transport.envFile })
  const message = `The envFile ${path} does not exist.`
  return [{ code: 'env-file-missing', severity: 'warn', message, server: server.name, origin }]
}
