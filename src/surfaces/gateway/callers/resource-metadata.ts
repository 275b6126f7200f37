import type { JsonObject } from '../../../index.ts'
import type { TokenIssuer } from '../../../internal.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

/** What clients are told about the tokens that an address needs (RFC 9728). */
export interface ResourceMetadata {
  /** The document at a path; `undefined` if none is there. Nothing in it depends on which views exist. */
  at(path: string): JsonObject | undefined
  /** The names of the address that a request is for: tokens for one of them are for this request. */
  audiencesOf(path: string): readonly string[]
  /** The header `WWW-Authenticate` of a refused request. */
  challengeFor(path: string, isBad: boolean): string
}

/** @param url The address that callers use for `/mcp`. */
export function describeResource(url: string, issuers: readonly TokenIssuer[]): ResourceMetadata {
  const base = url.replace(/\/+$/, '')
  const { origin, pathname } = new URL(base)
  const scopes = [...new Set(issuers.flatMap((each) => each.scopes ?? []))]
  const resourceOf = (path: string) => `${base}${/^\/mcp(\/[^/]+)$/.exec(path)?.[1] ?? ''}`
  const describe = (resource: string): JsonObject => ({
    resource,
    authorization_servers: issuers.map(({ issuer }) => issuer),
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    resource_name: 'Plugboard',
  })
  return {
    at(path) {
      if (issuers.length === 0 || !path.startsWith(wellKnown)) return undefined
      const rest = path.slice(wellKnown.length)
      // A proxy may serve the gateway at another path than it has here.
      const [before] = [pathname, '/mcp'].filter((each) => rest === each || rest.startsWith(`${each}/`))
      if (rest === '' || rest === '/') return describe(base)
      if (before === undefined) return undefined
      const view = rest.slice(before.length)
      return /^(?:\/[^/]+)?$/.test(view) ? describe(`${base}${view}`) : undefined
    },
    audiencesOf: (path) => [...new Set([url, base, resourceOf(path)])],
    challengeFor(path, isBad) {
      const { pathname: own } = new URL(resourceOf(path))
      const parts = [
        ...(isBad ? ['error="invalid_token"'] : []),
        ...(issuers.length > 0 ? [`resource_metadata="${origin}${wellKnown}${own}"`] : []),
        ...(scopes.length > 0 ? [`scope="${scopes.join(' ')}"`] : []),
      ]
      return ['Bearer', parts.join(', ')].filter((part) => part !== '').join(' ')
    },
  }
}
