import type { Server } from '../../model/server.ts'
import type { Files } from '../../platform/platform.ts'
import type { ValueSource, World } from '../../sources/source.ts'
import { isSealed, readVariables, sealOf } from '../values/env-file.ts'
import type { EnvFileSeal } from '../values/env-file.ts'
import { envFilePath } from '../values/preview-values.ts'
import type { Judgment } from './trust-store.ts'

interface EnvFileContext {
  readonly source: ValueSource
  readonly world: World
  readonly files: Files
}

/** T53: a trusted server is changed if its envFile sets something else than when it was trusted. */
export async function judgeEnvFile(
  server: Server,
  judgment: Judgment,
  { source, world, files }: EnvFileContext,
): Promise<Judgment> {
  const path = await envFilePath(server, source, world, judgment.granted)
  const variables = path === undefined ? undefined : await readVariables(path, files)
  // A file that is absent sets nothing, and its server does not start: that has a diagnostic of its own.
  if (!variables || isSealed(variables, judgment.envFile)) return judgment
  return { state: 'changed', granted: [] }
}

/** What the envFile of a server sets now. A file that cannot be read sets nothing. */
export async function sealEnvFile(
  server: Server,
  granted: readonly string[],
  { source, world, files }: EnvFileContext,
): Promise<EnvFileSeal | undefined> {
  if (server.transport.kind !== 'stdio' || server.transport.envFile === undefined) return undefined
  const path = await envFilePath(server, source, world, granted)
  return sealOf((path === undefined ? undefined : await readVariables(path, files)) ?? {})
}
