import { isObject, listOf } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'

/** One server of a registry. All texts are those of its publisher: a listing proves the namespace, it is no review. */
export interface RegistryEntry {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly version: string
  readonly status: 'active' | 'deprecated' | 'deleted'
  readonly statusMessage?: string
  /** Whether it is the newest version; `undefined` if the registry does not say. */
  readonly isLatest?: boolean
  /** The registries of its packages, and `remote`. */
  readonly ways: readonly string[]
  readonly repository?: string
  /** The keys of a server.json alone, whatever else the registry sent. */
  readonly serverJson: JsonObject
}

/** An entry of a list: what a search shows, without the file, which may be large. */
export type ListedServer = Omit<RegistryEntry, 'serverJson'>

const official = 'io.modelcontextprotocol.registry/official'

const serverJsonKeys = [
  ['$schema', 'name', 'title', 'description', 'version', 'websiteUrl', 'repository', 'icons'],
  ['packages', 'remotes'],
].flat()

const longest = { text: 300, message: 500 } as const

/** Reads one answer of a registry; `undefined` if it is not a server. */
export function readEntry(answer: Json | undefined): RegistryEntry | undefined {
  if (!isObject(answer) || !isObject(answer['server'])) return undefined
  const { server } = answer
  const { name, title, description, version, repository } = server
  if (typeof name !== 'string' || !isServerName(name) || typeof version !== 'string') return undefined
  const about = metaOf(answer)
  const { statusMessage, isLatest } = about
  const address = isObject(repository) ? repository['url'] : undefined
  return {
    name,
    ...(typeof title === 'string' && { title: cut(title, longest.text) }),
    description: typeof description === 'string' ? cut(description, longest.text) : '',
    version: cut(version, longest.text),
    status: statusOf(about),
    ...(typeof statusMessage === 'string' && { statusMessage: cut(statusMessage, longest.message) }),
    ...(typeof isLatest === 'boolean' && { isLatest }),
    ways: waysOf(server),
    ...(typeof address === 'string' && { repository: cut(address, longest.text) }),
    serverJson: Object.fromEntries(Object.entries(server).filter(([key]) => serverJsonKeys.includes(key))),
  }
}

/** A reversed domain, a slash and a name, as server.json requires. */
export function isServerName(name: string): boolean {
  return /^(?!\.)[a-zA-Z0-9.-]+\/(?!\.)[a-zA-Z0-9._-]+$/.test(name) && name.length <= 200
}

function metaOf({ _meta: meta }: JsonObject): JsonObject {
  const found = isObject(meta) ? meta[official] : undefined
  return isObject(found) ? found : {}
}

function statusOf({ status }: JsonObject): RegistryEntry['status'] {
  return status === 'deprecated' || status === 'deleted' ? status : 'active'
}

function waysOf({ packages, remotes }: JsonObject): readonly string[] {
  const types = listOf(packages).map((each) => (isObject(each) ? each['registryType'] : undefined))
  const known = types.filter((type) => typeof type === 'string').map((type) => cut(type, 20))
  return [...new Set([...known, ...(listOf(remotes).length > 0 ? ['remote'] : [])])]
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
