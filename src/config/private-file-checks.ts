import { dirname } from 'node:path'
import type { Platform } from '../platform/platform.ts'

/** T47: why a file of decisions cannot be relied on: other users can write it or its folder, or own one of them. */
export async function findForeignAccess(
  file: string,
  platform: Pick<Platform, 'os' | 'files' | 'uid'>,
): Promise<string | undefined> {
  if (platform.os === 'win32') return undefined
  for (const path of [file, dirname(file)]) {
    const stat = await platform.files.stat(path)
    if (stat && stat.mode & 0o022) return `${path} can be written by others (mode ${stat.mode.toString(8)})`
    if (stat && platform.uid !== undefined && stat.uid !== platform.uid)
      return `${path} belongs to another user`
  }
  return undefined
}
