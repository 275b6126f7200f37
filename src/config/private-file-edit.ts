import { dirname } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import type { Platform } from '../platform/platform.ts'
import { editFile } from './edit/edit-file.ts'

interface Edit<Found> {
  readonly path: string
  readonly platform: Platform
  /** Looked at before anything is made. */
  readonly check: () => Promise<Diagnostic | undefined>
  readonly read: () => Promise<Found>
  readonly toText: (found: Found) => string
}

/** Changes a file of a person's decisions: what others wrote meanwhile stays, and nobody else may read it. */
export async function editStore<Found extends { readonly damage?: Diagnostic | undefined }>({
  path,
  platform,
  check,
  read,
  toText,
}: Edit<Found>): Promise<void> {
  refuseDamaged(await check(), path)
  await platform.files.makePrivateDirectory(dirname(path))
  await editFile({
    platform,
    path,
    mode: 0o600,
    edit: async () => {
      const found = await read()
      refuseDamaged(found.damage, path)
      return toText(found)
    },
  })
}

/** FI-74: a store that cannot be believed is neither asked nor written over. */
export function refuseDamaged(damage: Diagnostic | undefined, file: string): void {
  if (!damage) return
  const { message, hint } = damage
  throw new HostError('store.damaged', { file }, message, hint === undefined ? {} : { hint })
}
