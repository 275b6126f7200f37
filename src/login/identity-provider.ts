import { toLoginServer } from './credential.ts'
import type { Client, LoginKey } from './credential.ts'

/** A company's identity provider of the person's settings, with its values resolved (SEP-990). */
export interface IdentityProvider {
  readonly name: string
  readonly issuer: string
  /** Instead of the one in the metadata of the issuer. */
  readonly tokenEndpoint?: string
  /** Our client at the identity provider. */
  readonly clientId: string
  readonly clientSecret?: string
  /** The scopes of the sign-in. */
  readonly scopes?: readonly string[]
  readonly callbackPort?: number
  readonly redirectUri?: string
  /** The identity token of a program: no person signs in. Read again for each use. */
  readonly idToken?: string
  /** Our clients at the authorization servers of MCP servers, by issuer. */
  readonly clients: Readonly<Record<string, Pick<Client, 'id' | 'secret'>>>
}

/**
 * The provider that grants access to a server: the one that its entry names, else the one whose settings list its
 * address. Rejects with an `AuthError` when the entry names one that the settings do not have.
 */
export type FindProvider = (server: URL, name: string | undefined) => Promise<IdentityProvider | undefined>

const signInMark = '#identity-provider'

/** Where the sign-in at a provider is stored. No server has this address: that of a server has no fragment. */
export function providerKey({ issuer, name }: Pick<IdentityProvider, 'issuer' | 'name'>): LoginKey {
  return { server: `${toLoginServer(new URL(issuer))}${signInMark}`, issuer, account: name }
}

/** Whether a stored login is a sign-in at a provider, whose tokens no server gets. */
export function isProviderSignIn({ server }: Pick<LoginKey, 'server'>): boolean {
  return server.endsWith(signInMark)
}
