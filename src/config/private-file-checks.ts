import { dirname } from 'node:path'
import type { Platform } from '../platform/platform.ts'
import { isInside } from '../sources/path-containment.ts'
import { createWorld } from './world.ts'

/** T01: where a variable leads into the project, a file of ours is the project's word. The usual place is the person's. */
export async function liesInProject(file: string, usual: string, platform: Platform): Promise<boolean> {
  const { files } = platform
  if (file === usual || (await files.realPath(file)) === (await files.realPath(usual))) return false
  const { dirs } = await createWorld(platform)
  return isInside(file, dirs, files)
}

/** T47: a file that others can write is not a person's word. */
export async function whoElseMayWrite(file: string, platform: Platform): Promise<string | undefined> {
  if (platform.os === 'win32') return undefined
  for (const path of [file, dirname(file)]) {
    const stat = await platform.files.stat(path)
    if (stat && stat.mode & 0o022) return `${path} can be written by others (mode ${stat.mode.toString(8)})`
    if (stat && platform.uid !== undefined && stat.uid !== platform.uid)
      return `${path} belongs to another user`
  }
  return undefined
}
