import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { HostError } from '../../model/error.ts'
import { nextCommand } from '../../model/next-command.ts'
import { isClosedFolder } from '../../model/runner/runner.ts'
import type { BoxGrants } from '../../model/runner/runner.ts'
import type { Files } from '../../platform/platform.ts'

/** A folder of this machine inside of a box. */
export interface BoxFolder {
  /** Its place in the box, which is its place outside. */
  readonly path: string
  /** The same without links. */
  readonly source: string
  readonly isWritable: boolean
}

export interface FolderContext {
  readonly server: string
  /** The project folder of a project's entry: its relative folders must not lead out of it. */
  readonly folder?: string | undefined
  readonly cwd: string
  readonly home: string
  readonly files: Pick<Files, 'realPath' | 'stat'>
  /** Our own folders, with decisions, logins and settings: never opened. */
  readonly own: readonly string[]
}

/** The opened folders, parents before what is in them, so that the narrower grant is mounted last. */
export async function boxFolders(
  { read, write }: Pick<BoxGrants, 'read' | 'write'>,
  context: FolderContext,
): Promise<readonly BoxFolder[]> {
  const found = new Map<string, BoxFolder>()
  for (const [list, isWritable] of [
    [read, false],
    [write, true],
  ] as const) {
    for (const written of list) {
      const folder = await openFolder(written, isWritable, context)
      found.set(folder.path, folder)
    }
  }
  return byPath([...found.values()])
}

async function openFolder(written: string, isWritable: boolean, context: FolderContext): Promise<BoxFolder> {
  const { folder, files, own, server } = context
  const path = resolveFolder(written, context)
  if (!(await files.stat(path))) throw refusal(server, `opens ${written}, which does not exist`)
  const source = await files.realPath(path)
  if (source === '/') throw refusal(server, `opens the whole file system (${written})`)
  if (isClosedFolder(source)) throw refusal(server, `opens ${written}, which leads to ${source}`)
  // A link that the project has made must not open what the person was not shown, however the entry writes its path.
  if (folder !== undefined && (isRelative(written) || isWithin(path, folder))) {
    const root = await files.realPath(folder)
    if (!isWithin(source, root)) throw refusal(server, `opens ${written}, which leads to ${source}`)
  }
  const inside = own.find((each) => isWithin(source, each) || isWithin(path, each))
  if (inside !== undefined) throw refusal(server, `opens ${written}, which belongs to Plugboard`)
  return { path, source, isWritable }
}

function isRelative(written: string): boolean {
  return !isAbsolute(written) && written !== '~' && !written.startsWith('~/')
}

/** `~` is the home folder; others are relative to the project's folder, or to the one it runs in. */
export function resolveFolder(
  written: string,
  { folder, cwd, home }: Pick<FolderContext, 'folder' | 'cwd' | 'home'>,
): string {
  if (written === '~' || written.startsWith('~/')) return join(home, written.slice(1))
  return resolve(folder ?? cwd, written)
}

/** Our own folders as a box would see them: those inside of an opened folder, below the place where that is mounted. */
export function ownWithin(folders: readonly BoxFolder[], own: readonly string[]): readonly string[] {
  const seen = folders.flatMap(({ path, source }) =>
    own.filter((each) => isWithin(each, source)).map((each) => join(path, relative(source, each))),
  )
  return [...new Set(seen)]
}

/**
 * Mounts every folder between a writable one and a hidden one on itself. A mount point cannot be renamed, but its parents can:
 * a server that may write the home folder could move `~/.config` away and make another one with settings of its own.
 */
export function withPinned(folders: readonly BoxFolder[], hidden: readonly string[]): readonly BoxFolder[] {
  const found = new Map(folders.map((folder) => [folder.path, folder]))
  for (const { path, source, isWritable } of folders) {
    if (!isWritable) continue
    for (const own of hidden.filter((each) => isWithin(each, path))) {
      for (let at = dirname(own); at !== path && isWithin(at, path); at = dirname(at))
        if (!found.has(at)) found.set(at, { path: at, source: join(source, relative(path, at)), isWritable })
    }
  }
  return byPath([...found.values()])
}

/** Parents before what is in them. */
export function byPath(folders: readonly BoxFolder[]): readonly BoxFolder[] {
  return [...folders].sort((a, b) => (a.path < b.path ? -1 : 1))
}

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way))
}

/** The folder to open for a program: that of its installation, if it is in a `bin`. */
export function installationOf(program: string): string {
  const folder = dirname(program)
  return folder.endsWith(`${sep}bin`) && dirname(folder) !== '/' ? dirname(folder) : folder
}

export function refusal(server: string, what: string, hint?: string): HostError<'config.invalid'> {
  return new HostError('config.invalid', { server, key: 'runner' }, `The box of "${server}" ${what}.`, {
    hint: hint ?? `Change "runner" in its entry: ${nextCommand('why', server)}`,
  })
}
