import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Authority } from '../model/server.ts'
import type { Format } from './formats/doc.ts'
import { formatByName } from './formats/parse-text.ts'
import type { FilePlace, World } from './source.ts'

export interface PlaceOptions {
  readonly scope: string
  readonly authority: Authority
  readonly root: string
  readonly role?: string
  readonly format?: Format
  readonly names?: FilePlace['names'] & object
}

export function place(path: string, options: PlaceOptions): FilePlace {
  return { path, role: 'servers', format: formatByName(path), ...options }
}

/** Concatenates instead of calling `join`: the table's relative paths are normalized already, and there are hundreds. */
function under(folder: string, path: string): string {
  if (sep !== '/') return join(folder, path)
  return folder.endsWith('/') ? folder + path : `${folder}/${path}`
}

export const explicit = { scope: 'explicit', authority: 'explicit' } as const

/** In the working directory only. */
export function here(w: World, path: string, options: Partial<PlaceOptions> = {}): FilePlace {
  return place(join(w.cwd, path), { scope: 'project', authority: 'project', root: w.cwd, ...options })
}

/** The file of `--config` in this source's dialect; without `--config`, the usual file name in the working directory. */
export function configFileOr(w: World, usual: string, options: Partial<PlaceOptions>): FilePlace {
  const authority = w.config === undefined ? 'project' : 'explicit'
  return here(w, relative(w.cwd, resolve(w.cwd, w.config ?? usual)), { authority, ...options })
}

/** In every directory from the working directory to the repository's root: the nearest directory first. */
export function upward(
  w: World,
  paths: readonly string[],
  options: Partial<PlaceOptions> = {},
): readonly FilePlace[] {
  return w.dirs.flatMap((dir) =>
    paths.map((path) =>
      place(under(dir, path), { scope: 'project', authority: 'project', root: dir, ...options }),
    ),
  )
}

export function userOf(w: World, options: Partial<PlaceOptions> = {}): PlaceOptions {
  return { scope: 'user', authority: 'user', root: w.home, ...options }
}

export function home(w: World, path: string, options: Partial<PlaceOptions> = {}): FilePlace {
  return place(under(w.home, path), userOf(w, options))
}

export function configHome(w: World, path: string): FilePlace {
  return movable(w, 'XDG_CONFIG_HOME', '.config', path)
}

/** Marks a file that a variable names or moves. Its authority is decided when it is opened (`assignAuthority`). */
export function markMoved(w: World, found: FilePlace, from?: string): FilePlace {
  return { ...found, moved: { around: { cwd: w.cwd, home: w.home }, ...(from !== undefined && { from }) } }
}

/** A user's file in a folder under the home directory, or in the folder that a variable names instead. */
export function movable(
  w: World,
  variable: string,
  usual: string,
  file: string,
  options: Partial<PlaceOptions> = {},
): FilePlace {
  const usualPath = under(usual === '' ? w.home : under(w.home, usual), file)
  const folder = folderIn(w, variable)
  if (folder === undefined) return place(usualPath, userOf(w, options))
  return markMoved(w, place(join(folder, file), userOf(w, options)), usualPath)
}

/** The XDG rule, applied to every such variable: an empty or relative value counts as unset. */
function folderIn(w: World, variable: string): string | undefined {
  const folder = w.env[variable]
  const isFullPath = folder !== undefined && (isAbsolute(folder) || /^[A-Za-z]:[\\/]/.test(folder))
  return isFullPath ? folder : undefined
}

/** A user's files in a folder that exists only if a variable names it. */
export function inFolderFromVariable(
  w: World,
  variable: string,
  files: readonly string[],
): readonly FilePlace[] {
  const folder = folderIn(w, variable)
  return folder === undefined ? [] : files.map((file) => markMoved(w, place(join(folder, file), userOf(w))))
}

export function appData(w: World, path: string): FilePlace {
  return movable(w, 'APPDATA', 'AppData/Roaming', path)
}

/** A file in the folder where desktop programs keep their settings on this operating system. */
export function appFile(w: World, path: string): FilePlace {
  if (w.os === 'darwin') return home(w, join('Library/Application Support', path))
  return w.os === 'win32' ? appData(w, path) : configHome(w, path)
}

export function codeUser(w: World, path: string, product = 'Code'): FilePlace {
  return appFile(w, join(product, 'User', path))
}

export function system(
  w: World,
  path: string,
  options: { scope: string; authority: Authority; role?: string },
): FilePlace {
  return place(under(w.systemRoot, path), { root: w.systemRoot, ...options })
}

/** D-8: a file named by an environment variable is explicit, unless it is inside the project. */
export function fileFromVariable(w: World, variable: string): readonly FilePlace[] {
  const path = w.env[variable]
  return path ? [markMoved(w, place(resolve(w.cwd, path), { ...explicit, root: w.cwd }))] : []
}
