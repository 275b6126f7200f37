import { randomBytes } from 'node:crypto'
import { join, sep } from 'node:path'
import { HostError } from '../../../model/error.ts'
import { FileError } from '../../../platform/platform.ts'
import type { Files } from '../../../platform/platform.ts'
import { unsafePath } from './archive-path.ts'
import type { Archive } from './archive.ts'

/**
 * Writes a bundle into a new private folder, so that no existing link in it can redirect a write (T46, T47). The folder is
 * written under a temporary name and renamed at the end, so a folder with the final name is always complete.
 */
export async function unpackArchive(
  archive: Pick<Archive, 'files' | 'executables'>,
  folder: string,
  { files }: { readonly files: Files },
): Promise<void> {
  if (await files.stat(folder)) throw alreadyExists(folder)
  const draft = `${folder}.${randomBytes(8).toString('hex')}.tmp`
  const targets = [...archive.files].map(([name, content]) => ({ name, content, path: pathIn(draft, name) }))
  try {
    await files.makePrivateDirectory(draft)
    for (const { name, path, content } of targets) {
      await files.writeBytes(path, content, { mode: archive.executables.has(name) ? 0o700 : 0o600 })
    }
    if (!(await files.moveFolder(draft, folder))) throw alreadyExists(folder)
  } catch (error) {
    await files.removeFolder(draft)
    throw error instanceof FileError ? unwritable(folder, error) : error
  }
}

/** Whether a folder's name is a temporary one: a bundle that is being written, or whose writing was interrupted. */
export function isDraft(name: string): boolean {
  return /\.[0-9a-f]{16}\.tmp$/.test(name)
}

function unwritable(folder: string, error: FileError): HostError {
  const message = `The bundle cannot be unpacked: ${error.message}.`
  return new HostError('config.unwritable', { file: folder }, message, { cause: error })
}

function alreadyExists(folder: string): HostError {
  return new HostError('config.conflict', { file: folder }, `${folder} already exists.`, {
    hint: 'Remove it, or unpack into another folder.',
  })
}

function pathIn(folder: string, name: string): string {
  const path = join(folder, name)
  const unsafe = unsafePath(name)
  if (unsafe === undefined && path.startsWith(join(folder, sep))) return path
  throw new HostError(
    'config.invalid',
    { file: folder },
    `${JSON.stringify(name)} ${unsafe ?? 'points outside its folder'}.`,
  )
}
