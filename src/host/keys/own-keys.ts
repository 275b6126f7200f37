import { createKeyFile } from '../../config/callers/key-file.ts'
import { believedPlatformOf } from '../../config/discover-options.ts'
import type { GatewayKeys } from '../../model/gateway/gateway-key.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store-interface.ts'
import { openOwnStore, ownStoreFile } from '../own-store.ts'

/** The person's own keys of the gateway: those of their store and those of a private file beside it. */
export interface OwnKeys extends GatewayKeys {
  close(): Promise<void>
}

/** For how long a store that is away is tried again before the keys of it count as unknown. */
const retryMs = 2000

/**
 * Opens the person's keys. New ones are written into the store where there is one, otherwise into the file; keys of both are
 * valid, so that a store that comes later takes nothing away. The store is opened when it is there: it may be made while this
 * runs.
 */
export async function openOwnKeys(
  options: { readonly platform?: Partial<Platform>; readonly cwd?: string } = {},
): Promise<OwnKeys> {
  const { platform } = await believedPlatformOf(options)
  const file = createKeyFile(platform)
  let opened: Promise<Store | undefined> | undefined
  const open = async () => {
    const path = await ownStoreFile(platform)
    if (path !== undefined && !(await platform.files.stat(path))) return undefined
    return (await openOwnStore({ platform, mayCreate: false, retryMs })).store
  }
  const findStore = async () => {
    const found = await (opened ??= open()).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    if (!found) opened = undefined
    return found
  }
  const places = async (): Promise<readonly GatewayKeys[]> => {
    const store = await findStore()
    return store ? [store.keys, file] : [file]
  }
  const first = async (change: (keys: GatewayKeys) => Promise<boolean>) => {
    for (const each of await places()) if (await change(each)) return true
    return false
  }
  return {
    async list() {
      const lists = await Promise.all((await places()).map((each) => each.list()))
      return lists.flat().sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async add(key) {
      const [place, ...others] = await places()
      for (const each of others) if ((await each.list()).some(({ name }) => name === key.name)) return false
      return (await place?.add(key)) ?? false
    },
    replace: (key) => first((keys) => keys.replace(key)),
    remove: (name) => first((keys) => keys.remove(name)),
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
