import type { ResolvedTransport } from '../model/resolved.ts'
import { Secret } from '../model/secret.ts'
import type { Redactor } from '../model/secret.ts'

/** The access token of a login that is stored under this id; nothing where there is none (O11). */
export type FindCredential = (credentialId: string) => Promise<string | undefined>

interface Finding {
  readonly find: FindCredential
  /** Somebody else puts it where it belongs. */
  readonly isLeft: boolean
  readonly redactor: Redactor
  readonly warn: (message: string) => void
}

/** The token of the stored login that an entry names, where its server looks for one; without it the server is tried as it is (O11). */
export async function withCredential(
  declared: ResolvedTransport,
  { find, isLeft, redactor, warn }: Finding,
): Promise<ResolvedTransport> {
  const { credentialId, ...auth } = declared.auth ?? {}
  if (auth['type'] !== 'oauth' || typeof credentialId !== 'string' || isLeft) return declared
  // It has been looked for: no login of ours by that name takes its place.
  const transport: ResolvedTransport = { ...declared, auth }
  const token = await find(credentialId).catch(() => undefined)
  if (!token) {
    warn(`There is no credential "${credentialId}"; it is tried without.`)
    return transport
  }
  redactor.register(token)
  if (transport.kind === 'stdio')
    return { ...transport, env: { ...transport.env, OAUTH_ACCESS_TOKEN: new Secret(token) } }
  const others = Object.entries(transport.headers).filter(([name]) => name.toLowerCase() !== 'authorization')
  const headers = { ...Object.fromEntries(others), Authorization: new Secret(`Bearer ${token}`) }
  return { ...transport, headers }
}
