import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from '../platform/ip-address.ts'
import { AuthError } from './auth-error.ts'
import type { Declared } from './declared-login.ts'

export interface Guard {
  /** Throws where the address itself says that it may not be asked. */
  check(url: URL): void
  /** Whether a name may stand for this address. */
  allows(url: URL): (address: string) => boolean
}

/**
 * T29: what an address of somebody else's choice may be: public https; this machine only where the server itself is on
 * it. The hosts that the person named in the entry may be anywhere.
 */
function createGuard(server: URL, named: readonly URL[]): Guard {
  const isLocal = isLoopbackHost(server.hostname)
  const hosts = new Set([server, ...named].map(({ hostname }) => hostname))
  return {
    check(url) {
      const isOurs = isLocal && isLoopbackHost(url.hostname)
      if (url.username !== '' || url.password !== '') throw blocked(url, 'has a password in it')
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isOurs)) return
      throw blocked(url, 'is not https')
    },
    allows: (url) => (address) =>
      hosts.has(url.hostname) || isPublicAddress(address) || (isLocal && isLoopbackAddress(address)),
  }
}

/** The same for one entry: the issuer that it names may be in the person's own network. */
export function guardFor(server: URL, { issuer }: Pick<Declared, 'issuer'>): Guard {
  return createGuard(server, issuer !== undefined && URL.canParse(issuer) ? [new URL(issuer)] : [])
}

/** Only what is shown of it is safe to show: neither a password nor a query. */
function blocked(url: URL, why: string): AuthError {
  const shown = /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : url.protocol
  return new AuthError('blocked', `The login leads to ${shown}, which ${why}; it was not contacted.`)
}
