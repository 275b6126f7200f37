import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Authority } from '../model/server.ts'
import type { Format } from './format/doc.ts'
import type { FilePlace, World } from './source.ts'

export interface PlaceOptions {
  readonly scope: string
  readonly authority: Authority
  readonly root: string
  readonly role?: string
  readonly format?: Format
}

export function place(path: string, options: PlaceOptions): FilePlace {
  return { path, role: 'servers', format: formatOf(path), ...options }
}

function formatOf(path: string): Format {
  if (path.endsWith('.toml')) return 'toml'
  if (/\.ya?ml$/.test(path)) return 'yaml'
  return path.endsWith('.md') ? 'markdown' : 'json'
}

/** The relative paths of this table are in order already; `join` would go through each of them again. */
function under(folder: string, path: string): string {
  if (sep !== '/') return join(folder, path)
  return folder.endsWith('/') ? folder + path : `${folder}/${path}`
}

export const explicit = { scope: 'explicit', authority: 'explicit' } as const

/** In the working directory only. */
export function here(w: World, path: string, options: Partial<PlaceOptions> = {}): FilePlace {
  return place(join(w.cwd, path), { scope: 'project', authority: 'project', root: w.cwd, ...options })
}

/** The file of `--config`, read as this source's; else its usual name in the working directory. */
export function pointedAt(w: World, usual: string, options: Partial<PlaceOptions>): FilePlace {
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
  return place(under(xdgFolder(w, 'XDG_CONFIG_HOME', '.config'), path), userOf(w))
}

/** The XDG rule: a variable that is empty or relative counts as unset. */
export function xdgFolder(w: World, variable: string, usual: string): string {
  const folder = w.env[variable]
  return folder !== undefined && isAbsolute(folder) ? folder : under(w.home, usual)
}

/** A path that a variable names. One that is empty names nothing, and must not become the working directory. */
export function pathIn(w: World, variable: string): string | undefined {
  const path = w.env[variable]
  if (!path) return undefined
  return isAbsolute(path) || /^[A-Za-z]:[\\/]/.test(path) ? path : resolve(w.cwd, path)
}

/** The person's files in a folder that a variable names. */
export function inFolder(w: World, variable: string, files: readonly string[]): readonly FilePlace[] {
  const folder = pathIn(w, variable)
  return folder === undefined ? [] : files.map((file) => place(join(folder, file), userOf(w)))
}

export function appData(w: World): string {
  return pathIn(w, 'APPDATA') ?? join(w.home, 'AppData/Roaming')
}

/** Where desktop programs of each system keep their settings. */
export function appFile(w: World, path: string): FilePlace {
  if (w.os === 'darwin') return home(w, join('Library/Application Support', path))
  return w.os === 'win32' ? place(join(appData(w), path), userOf(w)) : configHome(w, path)
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

/** A file named by an environment variable: the operator's word. */
export function named(w: World, variable: string): readonly FilePlace[] {
  const path = w.env[variable]
  return path ? [place(resolve(w.cwd, path), { ...explicit, root: w.cwd })] : []
}
