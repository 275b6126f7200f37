import { HostError } from '../../model/error.ts'
import type { SharedLogins } from '../../login/login-store.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store-interface.ts'

/** The database of a team, opened with the first use. */
export interface TeamStore {
  /** Throws while it is away. */
  get(): Promise<Store>
  /** Its logins. They are sealed with the secret of the team. */
  logins(): Promise<SharedLogins>
  close(): Promise<void>
}

/** How long one use waits for a database that is away. */
const retryMs = 2000

export function createTeamStore(platform: Platform): TeamStore {
  let opening: Promise<Store> | undefined
  const open = async () => {
    const { openOwnStore } = await import('../own-store.ts')
    const { store } = await openOwnStore({ platform, retryMs, mayCreate: false })
    if (store) return store
    throw new HostError(
      'store.unavailable',
      { place: 'PostgreSQL' },
      'The database of the team is not there.',
    )
  }
  const get = () => {
    opening ??= open()
    opening.catch(() => (opening = undefined))
    return opening
  }
  let logins: Promise<SharedLogins> | undefined
  const openLogins = async () => (await import('./team-logins.ts')).createTeamLogins(get, platform)
  return {
    get,
    logins: () => (logins ??= openLogins()),
    async close() {
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}
