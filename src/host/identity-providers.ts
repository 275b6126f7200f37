import { matchesServer } from '../config/identity/identity-provider-settings.ts'
import type { IdentityProviderSettings } from '../config/identity/identity-provider-settings.ts'
import { readSettings } from '../config/settings.ts'
import { resolveOwnValue } from '../config/values/own-value.ts'
import { AuthError } from '../login/auth-error.ts'
import type { IdentityProvider } from '../login/identity-provider.ts'
import { isHostError } from '../model/error.ts'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { Platform } from '../platform/platform.ts'

interface ProviderContext {
  readonly platform: Platform
  /** Receives the secrets that are looked up. */
  readonly redactor?: Redactor
}

/**
 * Finds the identity provider of a server in the person's settings, by the name in its entry or by its address, and
 * resolves its values. Read for each use: a program's identity token may have been replaced.
 */
export async function findIdentityProvider(
  server: URL,
  name: string | undefined,
  context: ProviderContext,
): Promise<IdentityProvider | undefined> {
  const { identityProviders = {} } = (await readSettings(context.platform)).settings
  const found = Object.entries(identityProviders).find(([each, { servers }]) =>
    name === undefined ? servers.some((pattern) => matchesServer(pattern, server)) : each === name,
  )
  if (found) return resolveProvider(...found, context)
  if (name === undefined) return undefined
  throw new AuthError('unusable', `There is no identity provider "${name}" in your settings.`)
}

async function resolveProvider(
  name: string,
  { servers: _servers, clientSecret, idToken, clients, ...rest }: IdentityProviderSettings,
  { platform, redactor }: ProviderContext,
): Promise<IdentityProvider> {
  const resolve = async (key: string, text: string) => {
    const at = { key: `identityProviders.${name}.${key}`, platform, ...(redactor && { redactor }) }
    const value = await resolveOwnValue(text, at).catch((error: unknown) => {
      if (!isHostError(error, 'config.invalid')) throw error
      throw new AuthError('unusable', `The identity provider "${name}": ${error.message}`, { cause: error })
    })
    redactor?.register(value.trim())
    return value.trim()
  }
  const resolved = await Promise.all(
    Object.entries(clients).map(async ([issuer, client]) => {
      const { clientId: id, clientSecret: secret } = client
      const key = `clients.${issuer}.clientSecret`
      return [issuer, { id, ...(secret !== undefined && { secret: await resolve(key, secret) }) }] as const
    }),
  )
  return {
    name,
    ...rest,
    ...(clientSecret !== undefined && { clientSecret: await resolve('clientSecret', clientSecret) }),
    ...(idToken !== undefined && { idToken: await resolve('idToken', idToken) }),
    clients: Object.fromEntries(resolved),
  }
}
