import { resolveOwnValue } from '../../config/values/own-value.ts'
import { readSettings } from '../../config/settings.ts'
import { openLogin, sealLogin } from '../../login/login-seal.ts'
import type { SharedLogins } from '../../login/login-store.ts'
import { HostError } from '../../model/error.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store-interface.ts'

const variable = 'PLUGBOARD_GATEWAY_SECRET'
const minCharacters = 32

/**
 * The logins of a team in its database, sealed with a secret that only its machines have. While the database is away, logins
 * that were read before go on being used; a token that has to be renewed then waits for it.
 */
export async function createTeamLogins(
  open: () => Promise<Store>,
  platform: Platform,
): Promise<SharedLogins> {
  const secret = await readSecret(platform)
  let accounts: readonly string[] = []
  const texts = new Map<string, string | undefined>()
  /** What was known before, if the database is away. */
  const orKnown = async <T>(read: (store: Store) => Promise<T>, known: () => T): Promise<T> => {
    try {
      return await read(await open())
    } catch (error) {
      if (error instanceof HostError && error.code === 'store.unavailable') return known()
      throw error
    }
  }
  return {
    all: () =>
      orKnown(
        async ({ logins }) => (accounts = (await logins.all()).map(({ account }) => account)),
        () => accounts,
      ),
    read: (id) =>
      orKnown(
        async ({ logins }) => {
          const row = await logins.read(id)
          texts.set(id, row && openLogin(row.sealed, id, secret))
          return texts.get(id)
        },
        () => texts.get(id),
      ),
    async write(id, account, text) {
      const { logins } = await open()
      await logins.write({ id, account, sealed: sealLogin(text, id, secret) })
    },
    async remove(id) {
      const { logins } = await open()
      await logins.remove(id)
    },
    async locked(id, work) {
      const { logins } = await open()
      return logins.locked(id, work)
    },
    async watch(onChange) {
      const store = await open()
      const watch = store.watch({ onChange: (parts) => parts.includes('logins') && onChange() })
      return { [Symbol.dispose]: () => void watch[Symbol.asyncDispose]() }
    },
  }
}

/** Of the environment, or a reference in the person's settings. A short one could be guessed from what it sealed. */
async function readSecret(platform: Platform): Promise<string> {
  const given = platform.env[variable]
  const { store } = given ? {} : (await readSettings(platform)).settings
  const secret = given || (await resolveOwnValue(store?.secret ?? '', { key: 'store.secret', platform }))
  if (secret.length >= minCharacters) return secret
  throw new HostError(
    'config.invalid',
    { key: variable },
    `The logins of a team are sealed with ${variable}, which must have at least ${minCharacters} characters.`,
    { hint: 'Make one for all machines of the team: openssl rand -hex 32' },
  )
}
