import { dirname, join, resolve } from 'node:path'
import type { Platform } from '../platform/platform.ts'
import { isBelow } from '../sources/path-containment.ts'
import type { World } from '../sources/source.ts'
import { pathFolders } from './values/child-env.ts'

/** What sources may know: the platform plus the directories of the project (D-16). */
export async function createWorld(
  platform: Platform,
  options: { readonly config?: string | undefined; readonly strictType?: boolean | undefined } = {},
): Promise<World> {
  const { os, home, systemRoot } = platform
  // A copy: each look into a process's own environment asks the system.
  const env = { ...platform.env }
  const cwd = resolve(platform.cwd)
  const dirs = await projectDirs(platform)
  const linkedPath = await linksInto(dirs, platform)
  return {
    os,
    home,
    cwd,
    env,
    systemRoot,
    dirs,
    ...(linkedPath.length > 0 && { linkedPath }),
    ...(options.config !== undefined && { config: options.config }),
    ...(options.strictType !== undefined && { strictType: options.strictType }),
  }
}

/** Up to the repository's root; without a repository only the working directory; never the home directory or `/`. */
export async function projectDirs(platform: Platform): Promise<readonly string[]> {
  const { files } = platform
  const home = resolve(platform.home)
  const realHome = await files.realPath(home)
  const allowed = async (dir: string) =>
    dir !== home && dirname(dir) !== dir && (await files.realPath(dir)) !== realHome
  const up: string[] = []
  for (let dir = resolve(platform.cwd); await allowed(dir); dir = dirname(dir)) {
    up.push(dir)
    if (await files.stat(join(dir, '.git'))) return up
  }
  return up.slice(0, 1)
}

/** T04: a link must not bring the project's programs among ours. */
async function linksInto(dirs: readonly string[], { os, env, files }: Platform): Promise<readonly string[]> {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? ''
  const roots = await Promise.all(dirs.map((dir) => files.realPath(dir)))
  const found: string[] = []
  for (const folder of pathFolders(path, os))
    if (isBelow(await files.realPath(folder), roots)) found.push(folder)
  return found
}
