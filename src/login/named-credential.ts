import type { ResolvedTransport } from '../model/resolved.ts'
import { Secret } from '../model/secret.ts'
import type { Redactor } from '../model/secrets/redactor.ts'

/** Returns the access token of the login stored under this id, if there is one (O11). */
export type FindCredential = (credentialId: string) => Promise<string | undefined>

interface CredentialLookup {
  readonly find: FindCredential
  /** Another part of the host adds the token to requests. */
  readonly isHandledElsewhere: boolean
  readonly redactor: Redactor
  readonly warn: (message: string) => void
}

/**
 * Adds the token of the stored login that an entry names, to the environment of a program or to the headers of a remote
 * server. Without a token the server is connected to as it is (O11).
 */
export async function withCredential(
  declared: ResolvedTransport,
  { find, isHandledElsewhere, redactor, warn }: CredentialLookup,
): Promise<ResolvedTransport> {
  const { credentialId, ...auth } = declared.auth ?? {}
  if (auth['type'] !== 'oauth' || typeof credentialId !== 'string' || isHandledElsewhere) return declared
  // Removes the id, so that our own logins are not searched for the same name.
  const transport: ResolvedTransport = { ...declared, auth }
  const token = await find(credentialId).catch(() => undefined)
  if (!token) {
    warn(`There is no credential "${credentialId}"; connecting without it.`)
    return transport
  }
  redactor.register(token)
  if (transport.kind === 'stdio')
    return { ...transport, env: { ...transport.env, OAUTH_ACCESS_TOKEN: new Secret(token) } }
  const others = Object.entries(transport.headers).filter(([name]) => name.toLowerCase() !== 'authorization')
  const headers = { ...Object.fromEntries(others), Authorization: new Secret(`Bearer ${token}`) }
  return { ...transport, headers }
}
