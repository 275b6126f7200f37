import { dirname, join, relative, resolve } from 'node:path'
import type { Files } from '../platform/platform.ts'
import { isBelow } from './path-containment.ts'

/** The folders for our own files: the variable that moves each of them, and its usual place under the home directory. */
export const ownFolders = {
  XDG_CONFIG_HOME: '.config',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  XDG_DATA_HOME: '.local/share',
} as const

/** The folders whose content the project may supply (T55). Every path is real. */
export interface ProjectFolder {
  /**
   * Folders that belong to the project with everything in them: the outermost repository, else the working directory.
   * Two if the working directory is reached through a link that is part of another repository; none in the home directory
   * and above it.
   */
  readonly roots: readonly string[]
  /** Without a repository: the parents below the home directory or `/`. Only some of their content is the project's. */
  readonly parents: readonly string[]
  /** Our own folders under the home directory. They never belong to the project. Links in them are not followed yet. */
  readonly own: readonly string[]
}

interface ProjectFacts {
  readonly cwd: string
  readonly home: string
  readonly files: Pick<Files, 'realPath' | 'stat'>
}

/**
 * T55: finds the outermost repository around the working directory that is neither the home directory nor above it, so
 * that a submodule belongs to its superproject. `.git` may be a directory or a file.
 */
export async function findProject({ cwd, home, files }: ProjectFacts): Promise<ProjectFolder> {
  const given = resolve(cwd)
  const start = await files.realPath(given)
  const realHome = await files.realPath(resolve(home))
  const { repository, up } = await lookUpward(start, realHome, files)
  const roots = repository === undefined ? up.slice(0, 1) : [repository]
  if (given !== start) {
    // The link itself may be part of another repository, which then supplies files too.
    const around = (await lookUpward(given, realHome, files)).repository
    if (around !== undefined && !isBelow(around, roots)) roots.push(around)
  }
  return {
    roots,
    parents: repository === undefined ? up.slice(1) : [],
    own: Object.values(ownFolders).map((folder) => join(home, folder, 'plugboard')),
  }
}

/** The real paths of a folder and its parents below the home directory or `/`, and the outermost repository of them. */
async function lookUpward(
  start: string,
  home: string,
  files: ProjectFacts['files'],
): Promise<{ readonly repository: string | undefined; readonly up: readonly string[] }> {
  const up: string[] = []
  let repository: string | undefined
  const isReal = (await files.realPath(start)) === start
  for (let dir = start; dirname(dir) !== dir; dir = dirname(dir)) {
    // The parents of a real path are real: each call would read every link of the path again.
    const real = isReal ? dir : await files.realPath(dir)
    if (isBelow(home, [real])) break
    up.push(real)
    if (await files.stat(join(dir, '.git'))) repository = real
  }
  return { repository, up }
}

/** Whether the project may supply this file or folder. Links are followed. */
export function isInProject(
  path: string,
  project: ProjectFolder,
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  return isSupplied(path, project, files, isCode)
}

/**
 * Like `isInProject`, for a file that is read as configuration: without a repository, those of the parents are the
 * project's too, such as `.mcp.json`, `.npmrc` or `.vscode/mcp.json`.
 */
export function isProjectConfig(
  path: string,
  project: ProjectFolder,
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  return isSupplied(path, project, files, (real, parent) => isCode(real, parent) || isConfig(real, parent))
}

async function isSupplied(
  path: string,
  { roots, parents, own }: ProjectFolder,
  files: Pick<Files, 'realPath'>,
  isPartOf: (real: string, parent: string) => boolean,
): Promise<boolean> {
  if (roots.length === 0 && parents.length === 0) return false
  const real = await files.realPath(path)
  if (!isBelow(real, roots) && !parents.some((parent) => isPartOf(real, parent))) return false
  // Rarely reached, so the links of our own folders are followed only now.
  const ownReal = await Promise.all(own.map((folder) => files.realPath(folder)))
  return !isBelow(real, ownReal)
}

function isCode(real: string, parent: string): boolean {
  return isBelow(real, [join(parent, 'node_modules'), join(parent, '.venv')])
}

/** A file in the parent itself, or in a folder of it that begins with a dot. */
function isConfig(real: string, parent: string): boolean {
  if (dirname(real) === parent) return true
  return isBelow(real, [parent]) && relative(parent, real).startsWith('.')
}
