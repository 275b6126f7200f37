import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { Os } from '../platform.ts'

interface SearchContext {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly os: Os
}

type SearchResult =
  | { readonly kind: 'found'; readonly path: string }
  /** `blocked`: a file of that name without execute permission. */
  | { readonly kind: 'missing'; readonly searched: readonly string[]; readonly blocked?: string }

/** `closed`: its folder may not be searched, so it is unknown whether there is such a file. */
type FileCheck = (path: string) => 'program' | 'blocked' | 'closed' | 'absent'

/**
 * Finds the absolute path of a command (T04). A name is searched in the absolute folders of `PATH`, never in the working
 * directory; a relative path is resolved against the working directory, because the entry asks for it.
 */
export function findCommand(
  command: string,
  context: SearchContext,
  checkPath: FileCheck = checkFile,
): SearchResult {
  if (isPath(command, context.os) || checkPath !== checkFile) return search(command, context, checkPath)
  const key = [
    command,
    context.os,
    context.cwd,
    ...['PATH', 'PATHEXT'].map((name) => valueOf(name, context.env, context.os)),
  ].join('\0')
  const known = recentResults.get(key)
  if (known) return known
  const found = search(command, context, checkPath)
  if (found.kind === 'missing') return found
  if (recentResults.size === 0) setImmediate(() => recentResults.clear())
  recentResults.set(key, found)
  return found
}

/** Results of the current turn of the event loop: programs that start together are searched once. Cleared afterwards. */
const recentResults = new Map<string, SearchResult>()

function search(command: string, context: SearchContext, checkPath: FileCheck): SearchResult {
  const paths = context.os === 'win32' ? win32 : posix
  const folders = isPath(command, context.os) ? [context.cwd] : foldersOf(context)
  let blocked: string | undefined
  for (const folder of folders) {
    for (const name of namesOf(command, context)) {
      const path = paths.resolve(folder, name)
      const found = checkPath(path)
      if (found === 'program') return { kind: 'found', path }
      // A closed folder of `PATH` is passed over, as shells do.
      if (found === 'blocked' || (found === 'closed' && isPath(command, context.os))) blocked ??= path
    }
  }
  const searched = isPath(command, context.os) ? [paths.resolve(context.cwd, command)] : folders
  return { kind: 'missing', searched, ...(blocked !== undefined && { blocked }) }
}

export function isPath(command: string, os: Os): boolean {
  return os === 'win32' ? /[\\/:]/.test(command) : command.includes('/')
}

let lastPath: { readonly key: string; readonly folders: readonly string[] } | undefined

/** Caches the last split `PATH`: most servers of a host have the same. */
function foldersOf(context: SearchContext): readonly string[] {
  const path = valueOf('PATH', context.env, context.os) ?? ''
  const key = `${context.os}\0${context.cwd}\0${path}`
  if (lastPath?.key !== key) lastPath = { key, folders: splitPath(path, context) }
  return lastPath.folders
}

function splitPath(path: string, { cwd, os }: SearchContext): readonly string[] {
  const paths = os === 'win32' ? win32 : posix
  const workingFolder = paths.resolve(cwd)
  const folders = path
    .split(paths.delimiter)
    .map((folder) => (os === 'win32' ? folder.replace(/^"(.*)"$/, '$1') : folder))
    .filter((folder) => paths.isAbsolute(folder) && paths.relative(workingFolder, folder) !== '')
  return [...new Set(folders)]
}

/** Extensions that Windows can start; others in `PATHEXT` are scripts of other programs. */
const runnable: readonly string[] = ['.com', '.exe', '.bat', '.cmd']

/** On Windows a file without an extension cannot be started: `npx` there is a shell script beside `npx.cmd`. */
function namesOf(command: string, { env, os }: SearchContext): readonly string[] {
  if (os !== 'win32') return [command]
  const listed = (valueOf('PATHEXT', env, os) ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';')
  const names = listed
    .filter((extension) => runnable.includes(extension))
    .map((extension) => command + extension)
  return runnable.includes(win32.extname(command).toLowerCase()) ? [command, ...names] : names
}

/** Names of variables are case-insensitive on Windows: `Path` is `PATH`. */
function valueOf(name: string, env: SearchContext['env'], os: Os): string | undefined {
  if (os !== 'win32') return env[name]
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]
}

function checkFile(path: string): ReturnType<FileCheck> {
  let isThere = false
  try {
    isThere = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
    if (!isThere) return 'absent'
    accessSync(path, constants.X_OK)
    return 'program'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EPERM') return 'absent'
    return isThere ? 'blocked' : 'closed'
  }
}
