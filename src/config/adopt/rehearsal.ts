import type { Keychain } from '../../platform/login-ports.ts'
import type { Platform } from '../../platform/platform.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { recordWrites } from '../edit/dry-run.ts'

/**
 * A platform on which plans are applied in memory. A later plan reads what the earlier ones would have written, so a dry run
 * over several clients plans exactly what the real run does.
 */
export async function rehearsalOf(options: DiscoverOptions): Promise<Platform> {
  const real = await platformOf(options)
  return {
    ...real,
    files: recordWrites(real.files),
    lock: (_path, work) => work(),
    ...(real.keychain && { keychain: recordSecrets(real.keychain) }),
  }
}

function recordSecrets(keychain: Keychain): Keychain {
  const stored = new Map<string, string | undefined>()
  const keyOf = (service: string, account: string) => `${service}\0${account}`
  return {
    read: (name) => keychain.read(name),
    write: async () => undefined,
    remove: async () => undefined,
    ...(keychain.find && {
      find: async (service, account) => {
        const key = keyOf(service, account)
        return stored.has(key) ? stored.get(key) : keychain.find?.(service, account)
      },
    }),
    ...(keychain.store && {
      store: async (service, account, secret) => void stored.set(keyOf(service, account), secret),
    }),
  }
}
