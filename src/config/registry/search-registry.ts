import { HostError } from '../../model/error.ts'
import { isList, isObject } from '../../model/json.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { isServerName, readEntry } from './registry-entry.ts'
import type { ListedServer, RegistryEntry } from './registry-entry.ts'
import { openRegistry } from './registry-http.ts'
import type { Registry, RegistryLimits } from './registry-http.ts'

/** Limits for one search: a registry may page without end. */
const limits = { pages: 10, perPage: 100, words: 5 } as const

export type RegistryOptions = Pick<DiscoverOptions, 'platform' | 'cwd'> & RegistryLimits

export interface RegistrySearch {
  readonly registry: string
  readonly servers: readonly ListedServer[]
  /** Whether there are more than these. */
  readonly hasMore: boolean
}

/**
 * Finds servers that have all words in their name, title or description; at least one of them is in the name, because
 * registries search names only. Matches in names come first. Deleted servers are left out.
 */
export async function searchRegistry(
  words: readonly string[],
  { limit, ...options }: RegistryOptions & { readonly limit: number },
): Promise<RegistrySearch> {
  return withRegistry(options, (registry) => search(registry, words, limit))
}

async function search(registry: Registry, words: readonly string[], limit: number): Promise<RegistrySearch> {
  const sought = [...new Set(words.map((word) => word.toLowerCase()))].slice(0, limits.words)
  // With one word, every server that the registry lists is a match, so that reading stops at the limit.
  const enough = sought.length === 1 ? limit : Number.POSITIVE_INFINITY
  const lists = await Promise.all(sought.map((word) => readList(registry, word, enough)))
  const found = new Map(lists.flatMap(({ servers }) => servers).map((each) => [each.name, each]))
  const matches = [...found.values()].filter((each) => hasAll(textOf(each), sought))
  const ordered = [true, false].flatMap((inName) =>
    matches.filter(({ name }) => hasAll(name, sought) === inName).sort(byName),
  )
  return {
    registry: registry.address,
    servers: ordered.slice(0, limit),
    hasMore: ordered.length > limit || lists.some(({ isCut }) => isCut),
  }
}

async function readList(
  registry: Registry,
  word: string,
  enough: number,
): Promise<{ readonly servers: readonly ListedServer[]; readonly isCut: boolean }> {
  const servers = new Map<string, ListedServer>()
  let cursor: string | undefined
  for (let page = 0; page < limits.pages; page++) {
    const query = { search: word, version: 'latest', limit: String(limits.perPage) }
    const { body } = await registry.get('/v0.1/servers', {
      ...query,
      ...(cursor !== undefined && { cursor }),
    })
    for (const item of isList(body['servers']) ? body['servers'] : []) {
      const entry = readEntry(item)
      // A registry that ignores `version` lists every version, the newest first.
      if (entry && entry.status !== 'deleted' && (entry.isLatest === true || !servers.has(entry.name)))
        servers.set(entry.name, withoutFile(entry))
    }
    const meta = isObject(body['metadata']) ? body['metadata'] : {}
    const next = meta['nextCursor'] ?? meta['next_cursor']
    if (typeof next !== 'string' || next === '' || next === cursor)
      return { servers: [...servers.values()], isCut: false }
    cursor = next
    if (servers.size > enough) break
  }
  return { servers: [...servers.values()], isCut: true }
}

function withoutFile({ serverJson: _whole, ...listed }: RegistryEntry): ListedServer {
  return listed
}

/** One version of a server, the newest if none is named. Throws `registry.unknown` if it does not exist or was deleted. */
export async function readRegistryServer(
  { name, version }: { readonly name: string; readonly version?: string | undefined },
  options: RegistryOptions = {},
): Promise<RegistryEntry> {
  if (!isServerName(name)) {
    throw new HostError('usage', {}, `"${name}" is not a name of the registry.`, {
      hint: `Names have a domain, such as io.github.owner/server. Search: plugboard find ${name.split('/').at(-1)}`,
    })
  }
  if (version !== undefined && !/^[a-zA-Z0-9][\w.+-]{0,254}$/.test(version))
    throw new HostError('usage', {}, `"${version}" is not a version.`)
  return withRegistry(options, async (registry) => {
    const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version ?? 'latest')}`
    const { status, body } = await registry.get(path)
    const asked = version === undefined ? `"${name}"` : `Version ${version} of "${name}"`
    if (status === 404) {
      const others = version === undefined ? undefined : await otherVersions(registry, name)
      throw await unknown(registry, name, `${asked} is not in the registry.`, others)
    }
    const entry = readEntry(body)
    if (!entry || entry.name !== name || (version !== undefined && entry.version !== version)) {
      const message = `The registry ${registry.address} answered with something else than ${asked}.`
      throw new HostError('registry.failed', { registry: registry.address, reason: 'malformed' }, message)
    }
    if (entry.status !== 'deleted') return entry
    const why = entry.statusMessage === undefined ? '' : ` Its publisher says: ${entry.statusMessage}`
    throw await unknown(registry, name, `"${name}" was deleted from the registry.${why}`)
  })
}

const nearNames = 3

const shownVersions = 5

/** What to write instead of a version that does not exist; `undefined` if the server itself is unknown. */
async function otherVersions(registry: Registry, name: string): Promise<string | undefined> {
  const path = `/v0.1/servers/${encodeURIComponent(name)}/versions`
  const answer = await registry.get(path).catch(() => undefined)
  const listed = isList(answer?.body['servers']) ? answer.body['servers'].map(readEntry) : []
  const newest = await registry.get(`${path}/latest`).catch(() => undefined)
  const usable = [readEntry(newest?.body), ...listed].filter(
    (entry) => entry?.name === name && entry.status !== 'deleted',
  )
  const versions = [...new Set(usable.flatMap((entry) => entry?.version ?? []))]
  if (versions.length === 0) return undefined
  const more = versions.length > shownVersions ? ', …' : ''
  return `It has ${versions.slice(0, shownVersions).join(', ')}${more}. The newest: plugboard add --from registry:${name}`
}

async function unknown(
  registry: Registry,
  name: string,
  message: string,
  others?: string,
): Promise<HostError> {
  if (others !== undefined)
    return new HostError('registry.unknown', { name, near: [name] }, message, { hint: others })
  const word = name.split('/').at(-1) ?? name
  const found = await search(registry, [word], nearNames + 1).catch(() => undefined)
  const near = (found?.servers ?? []).map((each) => each.name).filter((each) => each !== name)
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Search: plugboard find ${word}`
  return new HostError('registry.unknown', { name, near }, message, { hint })
}

async function withRegistry<T>(
  { platform, cwd, ...limited }: RegistryOptions,
  work: (registry: Registry) => Promise<T>,
): Promise<T> {
  const place = { ...(platform && { platform }), ...(cwd !== undefined && { cwd }) }
  const registry = await openRegistry(await platformOf(place), limited)
  try {
    return await work(registry)
  } finally {
    await registry.close()
  }
}

function textOf({ name, title = '', description }: ListedServer): string {
  return `${name}\n${title}\n${description}`
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}

function byName(a: ListedServer, b: ListedServer): number {
  return a.name < b.name ? -1 : 1
}
