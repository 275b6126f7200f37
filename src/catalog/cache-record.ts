import { isPlainJson } from '../model/hidden.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Era } from '../model/status.ts'
import type { ToolDefinition } from '../model/tool.ts'
import type { Snapshot } from './snapshot.ts'

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

/** Whose file it has to be. */
export interface Owner {
  readonly entry: string
  readonly account: string
  readonly now: number
}

/** Clocks of two machines with one home are never quite the same. */
const clockSkewMs = 24 * 60 * 60 * 1000

/** Each part by itself: what is damaged, of another server or from the future is as good as nothing. */
export function readRecord(text: string, { entry, account, now }: Owner): ServerCache {
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
