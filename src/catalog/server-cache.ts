import { join } from 'node:path'
import { canonicalize, sha256Hex } from '../model/canonical.ts'
import { isPlainJson } from '../model/hidden.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Era } from '../model/status.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { FileText, Platform } from '../platform/platform.ts'
import type { Snapshot } from './catalog.ts'

/** What is kept on disk about one server between runs: one file, named by its entry and by who uses it. */
export interface ServerCache {
  readonly era?: { readonly is: Era; readonly at: string }
  readonly catalog?: KnownCatalog
}

export interface KnownCatalog {
  readonly snapshot: Snapshot
  /** How long the server said its lists may be used, from when they were seen; 0 when it said nothing. */
  readonly ttlMs: number
}

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
  const suffix = whose === '' ? '' : `.${sha256Hex(whose).slice(0, 16)}`
  return join(directory, `${keyOf(server)}${suffix}.json`)
}

/** The same words in two projects run two programs. */
function keyOf({ entryHash, origin }: Server): string {
  if (origin.authority === 'project') return sha256Hex(`${entryHash}\0${origin.file}`)
  return entryHash.slice(entryHash.indexOf(':') + 1)
}

function serverKeyOf(file: string): string {
  return file.slice(0, file.indexOf('.'))
}

/** Whose file it has to be. */
interface Owner {
  readonly entry: string
  readonly account: string
  readonly now: number
}

/** Clocks of two machines with one home are never quite the same. */
const clockSkewMs = 24 * 60 * 60 * 1000

/** Each part by itself: what is damaged, of another server or from the future is as good as nothing. */
function readRecord(text: string, { entry, account, now }: Owner): ServerCache {
  const value = parse(text)
  if (!isObject(value) || value['version'] !== 2) return {}
  if (value['entry'] !== entry || value['account'] !== account) return {}
  const { era, catalog } = value
  const isPast = (at: Json | undefined): at is string =>
    typeof at === 'string' && Date.parse(at) <= now + clockSkewMs
  return {
    ...(isEra(era) && isPast(era['at']) && { era: { is: era['is'], at: era['at'] } }),
    ...(isCatalog(catalog) && isPast(catalog.snapshot.at) && { catalog: toKnown(catalog, text) }),
  }
}

/** What a text may hide is seen by looking at it once, whatever it says of itself. */
function toKnown({ snapshot, ttlMs }: KnownCatalog, text: string): KnownCatalog {
  const { isPlain: _, hashes, ...rest } = snapshot
  const known = isObject(hashes) && Object.values(hashes).every((hash) => typeof hash === 'string')
  return {
    snapshot: { ...rest, ...(isPlainJson(text) && { isPlain: true }), ...(known && { hashes }) },
    ttlMs,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEra(era: Json | undefined): era is JsonObject & { readonly is: Era } {
  return isObject(era) && (era['is'] === 'legacy' || era['is'] === 'modern')
}

function isCatalog(value: Json | undefined): value is JsonObject & KnownCatalog {
  if (!isObject(value) || typeof value['ttlMs'] !== 'number' || value['ttlMs'] < 0) return false
  return isSnapshot(value['snapshot'])
}

function isSnapshot(value: Json | undefined): value is JsonObject & Snapshot {
  if (!isObject(value)) return false
  const { tools, resources, resourceTemplates, prompts, instructions, at } = value
  if (typeof at !== 'string' || (instructions !== undefined && typeof instructions !== 'string')) return false
  return (
    isListOf(tools, isTool) &&
    [resources, resourceTemplates, prompts].every((list) => isListOf(list, isObject))
  )
}

function isListOf<T>(
  value: Json | undefined,
  isItem: (item: unknown) => item is T,
): value is readonly (T & Json)[] {
  return Array.isArray(value) && value.every(isItem)
}

function isTool(item: unknown): item is ToolDefinition {
  return (
    isObject(item) && typeof item['name'] === 'string' && item['name'] !== '' && isObject(item['inputSchema'])
  )
}
