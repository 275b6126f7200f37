import { registerSecretsAtHand } from '../../config/values/secrets-at-hand.ts'
import { registerLogins } from '../../login/server-accounts.ts'
import type { Discovery, Server } from '../../model/server.ts'
import type { HostContext } from '../host-context.ts'

/**
 * Registers the secrets that are known without running a command or opening the keychain: of every server that may run here
 * and of those that are trusted and switched off, of stored logins, and of the environment (T35, decision 073).
 */
export async function knowSecrets(
  { servers, trust }: Discovery,
  usable: readonly Server[],
  { platform, options, redactor, directories }: HostContext,
): Promise<void> {
  const known = new Set([...usable, ...servers.filter((server) => trust.get(server) === 'trusted')])
  await registerSecretsAtHand([...known], { platform, options, redactor, trust })
  await registerLogins({ platform, directory: directories.logins }, redactor)
}
