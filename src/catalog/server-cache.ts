import { join } from 'node:path'
import { canonicalize, digest } from '../model/canonical.ts'
import type { JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { FileText, Platform } from '../platform/platform.ts'
import { readRecord } from './cache-record.ts'
import type { KnownCatalog, ServerCache } from './cache-record.ts'

export type { KnownCatalog, ServerCache } from './cache-record.ts'

export interface CachePlace {
  readonly directory: string
  readonly platform: Pick<Platform, 'files' | 'clock' | 'lock' | 'uid'>
  /** Whom a server is used as: lists may be private to a login. Without logins there is one, nameless. */
  readonly account?: string
  /** What servers are told that we can do: many offer other tools to those who can be asked something. */
  readonly capabilities?: JsonObject
  /** Whether a text may be written down; one that holds a secret may not. */
  readonly isFit?: (text: string) => boolean
}

/** What is read and written at most; a server with more is asked again in every run. */
const maxBytes = 16 * 1024 * 1024

/** Written by us, readable by us; anything else counts as nothing. */
export async function readCache(server: Server, place: CachePlace): Promise<ServerCache> {
  return read(await find(server, place), server, place)
}

/** The verdict on a server's era, or none; what is known of its catalog stays. */
export function writeCache(
  server: Server,
  { era }: Pick<ServerCache, 'era'>,
  place: CachePlace,
): Promise<void> {
  return update(server, place, ({ catalog }) => ({ ...(era && { era }), ...(catalog && { catalog }) }))
}

/** What a server offers, or none; the verdict on its era stays. */
export function writeCatalog(
  server: Server,
  catalog: KnownCatalog | undefined,
  place: CachePlace,
): Promise<void> {
  return update(server, place, ({ era }) => ({ ...(era && { era }), ...(catalog && { catalog }) }))
}

/** Forgets one server, or all of them, and says how many were known. */
export async function clearCache(
  { directory, platform }: Pick<CachePlace, 'directory' | 'platform'>,
  servers?: readonly Server[],
): Promise<number> {
  const known = await platform.files.list(directory)
  const wanted = servers && new Set(servers.map((server) => keyOf(server)))
  const files = known.filter((name) => name.endsWith('.json') && (wanted?.has(serverKeyOf(name)) ?? true))
  for (const name of files) await platform.files.remove(join(directory, name))
  return new Set(files.map(serverKeyOf)).size
}

/** Others write here too, one after another. A cache that cannot be written costs time, nothing else. */
async function update(
  server: Server,
  place: CachePlace,
  change: (known: ServerCache) => ServerCache,
): Promise<void> {
  const { files, lock } = place.platform
  const path = pathOf(server, place)
  try {
    await files.makePrivateDirectory(place.directory)
    await lock(path, async () => {
      const known = read(await find(server, place), server, place)
      await files.replace(path, toText(change(known), server, place), { mode: 0o600, isDurable: false })
    })
  } catch {
    // The next run finds out again.
  }
}

function find(server: Server, place: CachePlace): Promise<FileText> {
  return place.platform.files.readText(pathOf(server, place), { maxBytes })
}

function read(found: FileText, server: Server, { platform, account = '' }: CachePlace): ServerCache {
  if (found.kind !== 'text') return {}
  const { mode, uid } = found.stat
  const isForeign = (platform.uid !== undefined && uid !== platform.uid) || (mode & 0o022) !== 0
  if (isForeign) return {}
  return readRecord(found.text, { entry: server.entryHash, account, now: platform.clock.now() })
}

function toText({ era, catalog }: ServerCache, { entryHash }: Server, place: CachePlace): string {
  const { account = '', isFit = () => true } = place
  const head = { version: 2, entry: entryHash, account, ...(era && { era }) }
  const text = `${JSON.stringify({ ...head, ...(catalog && { catalog }) })}\n`
  // No character takes more than three bytes for each of its UTF-16 units.
  const isShort = text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
  return isShort && isFit(text) ? text : `${JSON.stringify(head)}\n`
}

function pathOf(server: Server, { directory, account = '', capabilities = {} }: CachePlace): string {
  const isPlain = Object.keys(capabilities).length === 0
  const whose = isPlain ? account : `${account}\0${canonicalize(capabilities)}`
  const suffix = whose === '' ? '' : `.${digest(whose).slice(0, 16)}`
  return join(directory, `${keyOf(server)}${suffix}.json`)
}

/** The same words in two projects run two programs. */
function keyOf({ entryHash, origin }: Server): string {
  if (origin.authority === 'project') return digest(`${entryHash}\0${origin.file}`)
  return entryHash.slice(entryHash.indexOf(':') + 1)
}

function serverKeyOf(file: string): string {
  return file.slice(0, file.indexOf('.'))
}
