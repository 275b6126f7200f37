import { join } from 'node:path'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Era } from '../model/status.ts'
import type { Platform } from '../platform/platform.ts'

/** What is kept on disk about one server between runs: one file, named by its entry and the account it is used with. */
export interface ServerCache {
  readonly era?: { readonly is: Era; readonly at: string }
}

interface Place {
  readonly directory: string
  readonly platform: Pick<Platform, 'files'>
}

/** Written by us, readable by us; anything else counts as nothing. */
export async function readCache(server: Server, { directory, platform }: Place): Promise<ServerCache> {
  const found = await platform.files.readText(fileOf(server, directory))
  if (found.kind !== 'text') return {}
  return parseCache(found.text)
}

/** A cache that cannot be written costs time, nothing else. */
export async function writeCache(
  server: Server,
  cache: ServerCache,
  { directory, platform }: Place,
): Promise<void> {
  const text = `${JSON.stringify({ version: 1, ...cache })}\n`
  try {
    await platform.files.makePrivateDirectory(directory)
    await platform.files.replace(fileOf(server, directory), text, { mode: 0o600 })
  } catch {
    // The next run finds out again.
  }
}

/** Forgets one server, or all of them, and says how many were known. */
export async function clearCache(
  { directory, platform }: Place,
  servers?: readonly Server[],
): Promise<number> {
  const known = await platform.files.list(directory)
  const wanted = servers?.map((server) => nameOf(server))
  const files = known.filter((name) => name.endsWith('.json') && (wanted?.includes(name) ?? true))
  for (const name of files) await platform.files.remove(join(directory, name))
  return files.length
}

function fileOf(server: Server, directory: string): string {
  return join(directory, nameOf(server))
}

/** Lists may be private to an account; until there are logins there is one account. */
function nameOf({ entryHash }: Server): string {
  return `${entryHash.replace(/^sha256:/, '')}.json`
}

function parseCache(text: string): ServerCache {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return {}
  }
  if (!isObject(value) || value['version'] !== 1) return {}
  const { era } = value
  return isEra(era) ? { era: { is: era['is'], at: era['at'] } } : {}
}

function isEra(era: unknown): era is JsonObject & { readonly is: Era; readonly at: string } {
  if (!isObject(era) || typeof era['at'] !== 'string') return false
  return era['is'] === 'legacy' || era['is'] === 'modern'
}
