import { join } from 'node:path'
import { canonicalize, sha256Hex } from '../model/canonical.ts'
import { isPlainJson } from '../model/hidden.ts'
import { storageKeyOf } from '../model/server.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Era } from '../model/status.ts'
import type { ToolDefinition } from '../model/tool.ts'
import { version as ownVersion } from '../model/version.ts'
import type { FileText, Platform } from '../platform/platform.ts'
import type { Snapshot } from './catalog.ts'

/** What is stored on disk about a server between runs: one file per entry and account. */
export interface ServerCache {
  readonly era?: { readonly is: Era; readonly at: string }
  readonly catalog?: CachedCatalog
  readonly start?: UnfinishedStart
}

/** The last start of a server that did not get ready. */
export interface UnfinishedStart {
  readonly at: string
  /** `timed-out`: it had the whole time that its entry allows. `cut-off`: another limit, or the end of the host, came first. */
  readonly reason: 'timed-out' | 'cut-off'
  /** How long it had. */
  readonly waitedMs: number
  /** It got ready, and did not list its tools in that time. */
  readonly isUnlisted?: boolean
}

/** Parts to replace; a part that is present but undefined is removed, the others stay. */
export type CacheChange = { readonly [Part in keyof ServerCache]?: ServerCache[Part] | undefined }

export interface CachedCatalog {
  readonly snapshot: Snapshot
  /** How long the lists stay fresh after `snapshot.at`, as the server says; 0 if it does not. */
  readonly ttlMs: number
  /** The server says 0 for one of the lists: clients may not keep them. */
  readonly isUnkept?: true | undefined
}

export interface CacheLocation {
  readonly directory: string
  readonly platform: Pick<Platform, 'files' | 'clock' | 'uid'>
  /** The account of the connection, because lists may depend on the login. Default: the empty account. */
  readonly account?: string
  /**
   * Our client capabilities, because many servers offer other tools to clients that support elicitation or sampling.
   */
  readonly capabilities?: JsonObject
  /** Returns false for text that must not be stored because it contains a secret. */
  readonly isStorable?: (text: string) => boolean
}

/** A larger catalog is not stored; its server is asked again in every run. */
const maxBytes = 16 * 1024 * 1024

/** Returns `{}` for a file that is missing, damaged, or writable by another user. */
export async function readCache(server: Server, place: CacheLocation): Promise<ServerCache> {
  return readOwnFile(await readFile(server, place), server, place)
}

/**
 * Replaces parts of a server's file. It takes no lock: a part that another process writes at the same time may be lost, and
 * is written again by the next run that learns it. Errors are ignored: without a cache the next run is only slower.
 */
export async function updateCache(server: Server, change: CacheChange, place: CacheLocation): Promise<void> {
  try {
    const cache = { ...readOwnFile(await readFile(server, place), server, place), ...change }
    const options = { mode: 0o600, isDurable: false }
    await place.platform.files.replace(pathOf(server, place), toText(cache, server, place), options)
  } catch {
    // The next run asks the server again.
  }
}

/** Removes the given servers, or all, and returns how many had a file. */
export async function clearCache(
  { directory, platform }: Pick<CacheLocation, 'directory' | 'platform'>,
  servers?: readonly Server[],
): Promise<number> {
  const known = await platform.files.list(directory)
  const wanted = servers && new Set(servers.map((server) => storageKeyOf(server)))
  const files = known.filter((name) => name.endsWith('.json') && (wanted?.has(serverKeyOf(name)) ?? true))
  for (const name of files) await platform.files.remove(join(directory, name))
  return new Set(files.map(serverKeyOf)).size
}

function readFile(server: Server, place: CacheLocation): Promise<FileText> {
  return place.platform.files.readText(pathOf(server, place), { maxBytes })
}

function readOwnFile(
  found: FileText,
  server: Server,
  { platform, account = '' }: CacheLocation,
): ServerCache {
  if (found.kind !== 'text') return {}
  const { mode, uid } = found.stat
  const isForeign = (platform.uid !== undefined && uid !== platform.uid) || (mode & 0o022) !== 0
  if (isForeign) return {}
  return readRecord(found.text, { entry: server.entryHash, account, now: platform.clock.now() })
}

function toText({ era, catalog, start }: CacheChange, { entryHash }: Server, place: CacheLocation): string {
  const { account = '', isStorable = () => true } = place
  const owner = { version: 3, by: ownVersion, entry: entryHash, account }
  const head = { ...owner, ...(era && { era }), ...(start && { start }) }
  const text = withSum(JSON.stringify({ ...head, ...(catalog && { catalog }) }))
  // UTF-8 needs at most three bytes per UTF-16 unit.
  const isShort = text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
  return isShort && isStorable(text) ? text : withSum(JSON.stringify(head))
}

/** Adds the SHA-256 of all that follows it as the first key of an object. */
function withSum(json: string): string {
  const rest = `${json.slice(1)}\n`
  return `{"sum":"${sha256Hex(rest)}",${rest}`
}

function hasSum(text: string): boolean {
  const [head = ''] = /^\{"sum":"[\da-f]{64}",/.exec(text) ?? []
  return head !== '' && head.includes(sha256Hex(text.slice(head.length)))
}

function pathOf(server: Server, { directory, account = '', capabilities = {} }: CacheLocation): string {
  const isPlain = Object.keys(capabilities).length === 0
  const whose = isPlain ? account : `${account}\0${canonicalize(capabilities)}`
  const suffix = whose === '' ? '' : `.${sha256Hex(whose).slice(0, 16)}`
  return join(directory, `${storageKeyOf(server)}${suffix}.json`)
}

function serverKeyOf(file: string): string {
  return file.slice(0, file.indexOf('.'))
}

/** What a file must say to be used. */
interface ExpectedOwner {
  readonly entry: string
  readonly account: string
  readonly now: number
}

/** Tolerance for machines that share a home directory and whose clocks differ. */
const clockSkewMs = 24 * 60 * 60 * 1000

/** A file with another sum is damaged as a whole. Each part is checked too: one from the future is dropped. */
function readRecord(text: string, { entry, account, now }: ExpectedOwner): ServerCache {
  const value = hasSum(text) ? parse(text) : undefined
  if (!isObject(value) || value['version'] !== 3) return {}
  if (value['entry'] !== entry || value['account'] !== account) return {}
  const { era, catalog, start, by } = value
  const isBefore = (at: Json | undefined, limit: number): at is string =>
    typeof at === 'string' && Date.parse(at) <= limit
  const isPast = (at: Json | undefined): at is string => isBefore(at, now + clockSkewMs)
  return {
    ...(isEra(era) && isPast(era['at']) && { era: { is: era['is'], at: era['at'] } }),
    ...(isCatalog(catalog) && isPast(catalog.snapshot.at) && { catalog: toCachedCatalog(catalog, text, by) }),
    // Without tolerance: it is forgotten a day after its time.
    ...(isStart(start) && isBefore(start.at, now) && { start }),
  }
}

/**
 * Computes `isPlain` from the text instead of trusting the stored value. Lists that another version of Plugboard read have no
 * marks: it may have left out or masked something else.
 */
function toCachedCatalog(
  { snapshot, ttlMs, isUnkept }: CachedCatalog,
  text: string,
  by: Json | undefined,
): CachedCatalog {
  const { isPlain: _, hashes, marks, conflicts, since, addressTimes, ...rest } = snapshot
  const known = isObject(hashes) && Object.values(hashes).every((hash) => typeof hash === 'string')
  return {
    snapshot: {
      ...rest,
      ...(isPlainJson(text) && { isPlain: true }),
      ...(known && { hashes }),
      ...(typeof since === 'string' && { since }),
      ...(areTimes(addressTimes) && { addressTimes }),
      ...(isListOf(conflicts, isTool) && { conflicts }),
      ...(by === ownVersion && areMarks(marks) && { marks }),
    },
    ttlMs,
    ...(isUnkept === true && { isUnkept }),
  }
}

function areTimes(times: unknown): times is NonNullable<Snapshot['addressTimes']> {
  return (
    Array.isArray(times) &&
    times.every((each) => Array.isArray(each) && each.every((text) => typeof text === 'string'))
  )
}

function areMarks(marks: unknown): marks is NonNullable<Snapshot['marks']> {
  if (!isObject(marks)) return false
  return Object.values(marks).every(
    (each) => isObject(each) && typeof each['mark'] === 'string' && typeof each['ttlMs'] === 'number',
  )
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

function isStart(value: Json | undefined): value is JsonObject & UnfinishedStart {
  if (!isObject(value) || typeof value['waitedMs'] !== 'number') return false
  return value['reason'] === 'timed-out' || value['reason'] === 'cut-off'
}

function isCatalog(value: Json | undefined): value is JsonObject & CachedCatalog {
  if (!isObject(value) || typeof value['ttlMs'] !== 'number' || value['ttlMs'] < 0) return false
  return isSnapshot(value['snapshot'])
}

function isSnapshot(value: Json | undefined): value is JsonObject & Snapshot {
  if (!isObject(value)) return false
  const {
    tools,
    resources,
    resourceTemplates,
    prompts,
    skills = [],
    badSkills = [],
    instructions,
    at,
  } = value
  if (typeof at !== 'string' || (instructions !== undefined && typeof instructions !== 'string')) return false
  return (
    isListOf(tools, isTool) &&
    [resources, resourceTemplates, prompts, badSkills].every((list) => isListOf(list, isObject)) &&
    isListOf(skills, isSkill)
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

/** The file is ours, so only what another version could have written otherwise is checked. */
function isSkill(item: unknown): item is JsonObject {
  if (!isObject(item) || !isObject(item['frontmatter'])) return false
  const { uri, resources, frontmatter } = item
  const texts = [uri, frontmatter['name'], frontmatter['description']]
  return (
    texts.every((text) => typeof text === 'string') &&
    (resources === 'dynamic' || isListOf(resources, isObject))
  )
}
