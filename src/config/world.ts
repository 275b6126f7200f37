import { dirname, join, resolve } from 'node:path'
import type { Platform } from '../platform/platform.ts'
import { findProject, isInProject } from '../sources/project-folder.ts'
import type { World } from '../sources/source.ts'
import { pathFolders } from './values/child-env.ts'

/** What sources may read of the outside: facts of the platform and the project's directories (D-16). */
export async function createWorld(
  platform: Platform,
  options: { readonly config?: string | undefined; readonly strictType?: boolean | undefined } = {},
): Promise<World> {
  const { os, home, systemRoot } = platform
  // Copy the environment once: every read of process.env leaves JavaScript.
  const env = { ...platform.env }
  const cwd = resolve(platform.cwd)
  const dirs = await projectDirs(platform)
  const linkedPath = await findProjectPrograms(platform)
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

/**
 * The project's directories, nearest first: from the working directory up to the repository's root, or only the working
 * directory without a repository. Never the home directory or `/`.
 */
export async function projectDirs(platform: Platform): Promise<readonly string[]> {
  const { files } = platform
  const home = resolve(platform.home)
  const realHome = await files.realPath(home)
  const isAllowed = async (dir: string) =>
    dir !== home && dirname(dir) !== dir && (await files.realPath(dir)) !== realHome
  const up: string[] = []
  for (let dir = resolve(platform.cwd); await isAllowed(dir); dir = dirname(dir)) {
    up.push(dir)
    if (await files.stat(join(dir, '.git'))) return up
  }
  return up.slice(0, 1)
}

/** T04, T51: folders of `PATH` in the project, also through a link; programs in them must not be found by name. */
async function findProjectPrograms(platform: Platform): Promise<readonly string[]> {
  const { os, env, files } = platform
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? ''
  const project = await findProject(platform)
  const found: string[] = []
  for (const folder of pathFolders(path, os))
    if (await isInProject(folder, project, files)) found.push(folder)
  return found
}
