import type { ServerResponse } from 'node:http'
import { serve } from './http-server.ts'
import type { ReceivedRequest, TestServer } from './http-server.ts'

/** One version of a server in our registry. */
export interface ListedVersion {
  readonly server: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string }
  readonly status?: 'active' | 'deprecated' | 'deleted'
  readonly statusMessage?: string
}

export function listed(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  state: Omit<ListedVersion, 'server'> = {},
): ListedVersion {
  const npm = { registryType: 'npm', identifier: `@x/${name.split('/')[1]}`, version: '1.0.0' }
  const packages = [{ ...npm, transport: { type: 'stdio' } }]
  return { server: { name, description: `About ${name}.`, version: '1.0.0', packages, ...fields }, ...state }
}

interface RegistryOptions {
  /** The most entries of a page. */
  readonly perPage?: number
  /** Answers a request in another way; returns whether it did. */
  readonly instead?: (request: ReceivedRequest, response: ServerResponse) => boolean
}

/** A registry on loopback with the API of the official one. Of several versions of a name, the last is the newest. */
export async function startRegistry(
  versions: readonly ListedVersion[],
  { perPage = 100, instead = () => false }: RegistryOptions = {},
): Promise<TestServer & { readonly address: string }> {
  const isLatest = ({ server }: ListedVersion) =>
    versions.findLast((each) => each.server.name === server.name)?.server === server
  const toResponse = (version: ListedVersion) => ({
    server: version.server,
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: version.status ?? 'active',
        ...(version.statusMessage !== undefined && { statusMessage: version.statusMessage }),
        publishedAt: '2026-01-01T00:00:00Z',
        isLatest: isLatest(version),
      },
    },
  })
  const list = (query: URLSearchParams) => {
    const word = query.get('search')?.toLowerCase() ?? ''
    const isMeant = (version: ListedVersion) => query.get('version') !== 'latest' || isLatest(version)
    const found = versions.filter((each) => each.server.name.toLowerCase().includes(word) && isMeant(each))
    const [start, size] = [
      Number(query.get('cursor') ?? 0),
      Math.min(perPage, Number(query.get('limit') ?? 30)),
    ]
    const end = start + size
    const next = end < found.length ? { nextCursor: String(end) } : {}
    const servers = found.slice(start, end).map(toResponse)
    return { servers, metadata: { count: servers.length, ...next } }
  }
  const versionsOf = (path: string) => {
    const [, name] = /^\/v0\.1\/servers\/([^/]+)\/versions$/.exec(path) ?? []
    if (name === undefined) return undefined
    const found = versions.filter((each) => each.server.name === decodeURIComponent(name))
    return found.length > 0
      ? { servers: found.map(toResponse), metadata: { count: found.length } }
      : undefined
  }
  const one = (path: string) => {
    const [, name = '', version = ''] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(path) ?? []
    const [wanted, of] = [decodeURIComponent(version), decodeURIComponent(name)]
    const found = versions.find(
      (each) =>
        each.server.name === of && (wanted === 'latest' ? isLatest(each) : each.server.version === wanted),
    )
    return found && toResponse(found)
  }
  const server = await serve((request, response) => {
    if (instead(request, response)) return
    const { pathname, searchParams } = new URL(request.path, 'http://registry.example')
    const body = pathname === '/v0.1/servers' ? list(searchParams) : (versionsOf(pathname) ?? one(pathname))
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'Server not found' }))
  })
  return { ...server, address: server.url.origin }
}
