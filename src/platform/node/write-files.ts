import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toFileError } from './file-error.ts'

/** A file that does not exist yet: nothing is written over, and no link is followed. */
export async function writeNewFile(
  path: string,
  bytes: Uint8Array,
  options: { readonly mode: number },
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const handle = await open(path, 'wx', options.mode)
    try {
      await handle.writeFile(bytes)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

export async function makePrivateDirectory(path: string): Promise<void> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 })
    if (made !== undefined) await chmod(path, 0o700)
  } catch (error) {
    throw toFileError(error, path)
  }
}
