import { join, sep } from 'node:path'
import { HostError } from '../model/error.ts'
import type { Files } from '../platform/platform.ts'
import { unsafePath } from './archive-path.ts'
import type { Archive } from './archive.ts'

/**
 * Writes a bundle into a private folder that does not exist yet, so that nothing in it can be a trap (T46, T47). The
 * manifest is written last: a folder that has one is complete.
 */
export async function unpackArchive(
  archive: Pick<Archive, 'files' | 'executables'>,
  folder: string,
  { files }: { readonly files: Files },
): Promise<void> {
  if (await files.stat(folder)) {
    throw new HostError('config.conflict', { file: folder }, `${folder} exists already.`, {
      hint: 'Remove it, or unpack into another folder.',
    })
  }
  const targets = [...archive.files].map(([name, content]) => ({ name, content, path: pathIn(folder, name) }))
  await files.makePrivateDirectory(folder)
  const manifestLast = targets.sort(
    (a, b) => Number(a.name === 'manifest.json') - Number(b.name === 'manifest.json'),
  )
  for (const { name, path, content } of manifestLast) {
    await files.writeBytes(path, content, { mode: archive.executables.has(name) ? 0o700 : 0o600 })
  }
}

function pathIn(folder: string, name: string): string {
  const path = join(folder, name)
  const unsafe = unsafePath(name)
  if (unsafe === undefined && path.startsWith(join(folder, sep))) return path
  throw new HostError(
    'config.invalid',
    { file: folder },
    `${JSON.stringify(name)} ${unsafe ?? 'leads out of its folder'}.`,
  )
}
