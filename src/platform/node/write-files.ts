import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PrivateDirectoryOptions } from '../platform.ts'
import { codeOf, toFileError } from './file-error.ts'

/** Writes a new file: never overwrites an existing one and follows no link. */
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

const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

/** Appends with a single write, so that lines of several processes do not mix. */
export async function appendPrivate(path: string, text: string): Promise<void> {
  try {
    const handle = await open(path, appendFlags, 0o600)
    try {
      await handle.appendFile(text)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    throw toFileError(error, from)
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw toFileError(error, path)
  }
}

export async function makePrivateDirectory(
  path: string,
  { shutsOut = false }: PrivateDirectoryOptions = {},
): Promise<void> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 })
    if (made !== undefined) await chmod(path, 0o700)
    else if (shutsOut) await removeWriteAccess(path)
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** T34: removes write access for group and others: with it, other users could replace our files. */
async function removeWriteAccess(path: string): Promise<void> {
  const { mode, uid } = await stat(path)
  if ((mode & 0o022) !== 0 && uid === process.getuid?.()) await chmod(path, mode & 0o755)
}

/** Error codes of a rename onto an existing folder or file, or onto an open folder on Windows. */
const existsCodes: readonly string[] = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM', 'EACCES']

export async function moveFolder(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    const exists = await lstat(to).then(
      () => true,
      () => false,
    )
    if (exists && existsCodes.includes(codeOf(error))) return false
    throw toFileError(error, to)
  }
}

export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    throw toFileError(error, path)
  }
}
