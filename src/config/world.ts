import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Platform } from '../platform/platform.ts'
import { findProject, isInProject } from '../sources/project-folder.ts'
import type { ProjectFolder } from '../sources/project-folder.ts'
import type { World } from '../sources/source.ts'
import { pathFolders } from '../platform/child-env.ts'

/** What sources may read of the outside: facts of the platform and the project's directories (D-16). */
export async function createWorld(
  platform: Platform,
  options: { readonly config?: string | undefined; readonly strictType?: boolean | undefined } = {},
): Promise<World> {
  const { os, home, systemRoot } = platform
  const project = await findProject(platform)
  const env = await withoutProjectPrograms(platform, project)
  const cwd = resolve(platform.cwd)
  const dirs = await projectDirs(platform)
  return {
    os,
    home,
    cwd,
    env,
    systemRoot,
    dirs,
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

/** Lists of folders in which programs find other programs, or their settings. */
const folderLists = /^(?:PATH|XDG_CONFIG_DIRS|XDG_DATA_DIRS)$/i
/** Programs that others start. */
const programVariables = /^(?:SHELL|BROWSER)$/

/**
 * T04, T51, T54: a copy of the environment without what leads into the project, also through a link: folders of `PATH` and
 * of other lists, which are dropped if they are relative, and programs that others start.
 */
export async function withoutProjectPrograms(
  platform: Pick<Platform, 'os' | 'env' | 'files'>,
  project: ProjectFolder,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { os, files } = platform
  // Copy the environment once: every read of process.env leaves JavaScript. The prototype may note what is read.
  const env: Record<string, string | undefined> = Object.assign(
    Object.create(Object.getPrototypeOf(platform.env)),
    platform.env,
  )
  for (const name of Object.keys(env)) {
    const value = env[name] ?? ''
    if (folderLists.test(name)) {
      const kept: string[] = []
      for (const folder of pathFolders(value, os))
        if (!(await isInProject(folder, project, files))) kept.push(folder)
      env[name] = kept.join(os === 'win32' ? ';' : ':')
    } else if (programVariables.test(name) && isAbsolute(value)) {
      if (await isInProject(value, project, files)) delete env[name]
    }
  }
  return env
}
