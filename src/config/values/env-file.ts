import { hashOf } from '../../model/canonical.ts'
import { changesBetween } from '../../model/text/change.ts'
import { isLoader } from './loader-variables.ts'
import type { Server } from '../../model/server.ts'
import type { Files } from '../../platform/platform.ts'
import { parseDotenv } from './dotenv.ts'

export type Variables = Readonly<Record<string, string>>

/**
 * T53: what an envFile sets, without its values: a hash of all of it decides whether it changed, and one for each value
 * names the variables that did.
 */
export interface EnvFileSeal {
  readonly hash: string
  readonly variables: Readonly<Record<string, string>>
}

/**
 * The variables of an envFile, or `undefined` if it cannot be read. Only a regular file is opened: a project could name a
 * pipe, whose other end would notice (T01).
 */
export async function readVariables(
  path: string,
  files: Pick<Files, 'readText' | 'stat'>,
): Promise<Variables | undefined> {
  if ((await files.stat(path))?.kind !== 'file') return undefined
  const found = await files.readText(path)
  return found.kind === 'text' ? parseDotenv(found.text) : undefined
}

/** Comments and the order of lines are not part of it. Every value counts as a secret. */
export function sealOf(variables: Variables): EnvFileSeal {
  const hidden = Object.entries(variables).map(([name, value]): [string, string] => [
    name,
    `••• (${hashOf(value).slice(0, 19)})`,
  ])
  return { hash: hashOf(variables), variables: Object.fromEntries(hidden) }
}

/** A record without a seal was made before seals existed: it covers only an envFile that sets nothing. */
export function isSealed(variables: Variables, seal: EnvFileSeal | undefined): boolean {
  return hashOf(variables) === (seal?.hash ?? hashOf({}))
}

/** The names that were added, removed or changed since the seal. */
export function changedNames(variables: Variables, seal: EnvFileSeal | undefined): readonly string[] {
  const changes = changesBetween(seal?.variables ?? {}, sealOf(variables).variables)
  return changes.map(({ pointer }) => pointer.slice(1))
}

/**
 * T53: splits off the variables that decide what programs load or run. An envFile sets them only if the entry names them
 * under `env` or `passEnv`: the entry is what a person reads before trusting it.
 */
export function splitLoaders(
  variables: Variables,
  transport: Pick<Server['transport'] & { kind: 'stdio' }, 'env' | 'passEnv'>,
): { readonly variables: Variables; readonly ignored: readonly string[] } {
  const isIgnored = (name: string) =>
    isLoader(name) && !Object.hasOwn(transport.env, name) && !transport.passEnv?.includes(name)
  const ignored = Object.keys(variables).filter(isIgnored)
  if (ignored.length === 0) return { variables, ignored }
  const kept = Object.entries(variables).filter(([name]) => !ignored.includes(name))
  return { variables: Object.fromEntries(kept), ignored }
}
