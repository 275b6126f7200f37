import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { Os } from '../platform.ts'

interface Around {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly os: Os
}

type Found =
  | { readonly kind: 'found'; readonly path: string }
  /** `blocked` is a file of that name which may not be run. */
  | { readonly kind: 'missing'; readonly searched: readonly string[]; readonly blocked?: string }

type Look = (path: string) => 'program' | 'blocked' | 'absent'

/**
 * The absolute path of a command (T04). A name is looked for in the absolute folders of `PATH` and never in the working
 * directory; a path that is relative belongs to the working directory, because whoever wrote it said so.
 */
export function findCommand(command: string, around: Around, look: Look = lookAtFile): Found {
  if (isPath(command, around.os) || look !== lookAtFile) return search(command, around, look)
  const key = [
    command,
    around.os,
    around.cwd,
    ...['PATH', 'PATHEXT'].map((name) => valueOf(name, around.env, around.os)),
  ].join('\0')
  const known = justFound.get(key)
  if (known) return known
  const found = search(command, around, look)
  if (found.kind === 'missing') return found
  if (justFound.size === 0) setImmediate(() => justFound.clear())
  justFound.set(key, found)
  return found
}

/** Programs that are started together are looked for once; what may have changed since is looked at again. */
const justFound = new Map<string, Found>()

function search(command: string, around: Around, look: Look): Found {
  const paths = around.os === 'win32' ? win32 : posix
  const folders = isPath(command, around.os) ? [around.cwd] : foldersOf(around)
  let blocked: string | undefined
  for (const folder of folders) {
    for (const name of namesOf(command, around)) {
      const path = paths.resolve(folder, name)
      const found = look(path)
      if (found === 'program') return { kind: 'found', path }
      if (found === 'blocked') blocked ??= path
    }
  }
  const searched = isPath(command, around.os) ? [paths.resolve(around.cwd, command)] : folders
  return { kind: 'missing', searched, ...(blocked !== undefined && { blocked }) }
}

export function isPath(command: string, os: Os): boolean {
  return os === 'win32' ? /[\\/:]/.test(command) : command.includes('/')
}

let last: { readonly key: string; readonly folders: readonly string[] } | undefined

/** Most servers of a host have the same. */
function foldersOf(around: Around): readonly string[] {
  const path = valueOf('PATH', around.env, around.os) ?? ''
  const key = `${around.os}\0${around.cwd}\0${path}`
  if (last?.key !== key) last = { key, folders: splitPath(path, around) }
  return last.folders
}

function splitPath(path: string, { cwd, os }: Around): readonly string[] {
  const paths = os === 'win32' ? win32 : posix
  const here = paths.resolve(cwd)
  const folders = path
    .split(paths.delimiter)
    .map((folder) => (os === 'win32' ? folder.replace(/^"(.*)"$/, '$1') : folder))
    .filter((folder) => paths.isAbsolute(folder) && paths.relative(here, folder) !== '')
  return [...new Set(folders)]
}

/** What Windows can start; other endings of `PATHEXT` are scripts of other programs. */
const runnable: readonly string[] = ['.com', '.exe', '.bat', '.cmd']

/** On Windows a file without an ending is no program: `npx` there is a shell script beside `npx.cmd`. */
function namesOf(command: string, { env, os }: Around): readonly string[] {
  if (os !== 'win32') return [command]
  const listed = (valueOf('PATHEXT', env, os) ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';')
  const named = listed.filter((ending) => runnable.includes(ending)).map((ending) => command + ending)
  return runnable.includes(win32.extname(command).toLowerCase()) ? [command, ...named] : named
}

/** Windows does not tell `Path` from `PATH`. */
function valueOf(name: string, env: Around['env'], os: Os): string | undefined {
  if (os !== 'win32') return env[name]
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]
}

function lookAtFile(path: string): ReturnType<Look> {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 'absent'
    accessSync(path, constants.X_OK)
    return 'program'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'EACCES' || code === 'EPERM' ? 'blocked' : 'absent'
  }
}
