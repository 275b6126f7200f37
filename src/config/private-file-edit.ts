import { dirname } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import type { Platform } from '../platform/platform.ts'
import { editFile } from './edit/edit-file.ts'

interface StoreEdit<Store> {
  readonly path: string
  readonly platform: Platform
  readonly read: () => Promise<Store>
  readonly toText: (store: Store) => string
}

/**
 * Changes a file of decisions under its lock: it is read again first, so concurrent writes are kept. Folder and file are
 * readable by their owner only.
 */
export async function editStore<Store extends { readonly damage?: Diagnostic | undefined }>({
  path,
  platform,
  read,
  toText,
}: StoreEdit<Store>): Promise<void> {
  // Before anything is created or locked.
  refuseDamaged((await read()).damage, path)
  await platform.files.makePrivateDirectory(dirname(path))
  await editFile({
    platform,
    path,
    mode: 0o600,
    edit: async () => {
      const store = await read()
      refuseDamaged(store.damage, path)
      return toText(store)
    },
  })
}

/** FI-74: a damaged store is neither used nor overwritten. */
export function refuseDamaged(damage: Diagnostic | undefined, file: string): void {
  if (!damage) return
  const { message, hint } = damage
  throw new HostError('store.damaged', { file }, message, hint === undefined ? {} : { hint })
}
