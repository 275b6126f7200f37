import { isAbsolute, join } from 'node:path'
import type { Env, Os } from '../../platform/platform.ts'

/** T05: what a child gets of our environment: enough to find programs, to be at home and to speak the person's language. */
const minimal: Readonly<Record<'posix' | 'win32', RegExp>> = {
  posix: /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+)$/,
  win32:
    /^(?:APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATH|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|TEMP|TMP|USERNAME|USERPROFILE|WINDIR)$/i,
}

interface Around {
  readonly os: Os
  readonly env: Env
  /** The project's folders: nothing in them is a program unless somebody names its path (T04). */
  readonly dirs: readonly string[]
  /** Folders of `PATH` that lead there by a link. */
  readonly linkedPath?: readonly string[]
}

/** Our environment as a child may see it: the minimal part of it, or with `whole` all of it. */
export function childEnv(around: Around, whole = false): Readonly<Record<string, string>> {
  const { os, env } = around
  const wanted = minimal[os === 'win32' ? 'win32' : 'posix']
  const found: Record<string, string> = Object.create(null)
  // Each value of our own environment has to be fetched from the system.
  for (const name of Object.keys(env)) {
    const value = whole || wanted.test(name) ? env[name] : undefined
    // A value that begins so is a function that some shells would run.
    if (value === undefined || value.startsWith('()')) continue
    found[name] = name.toUpperCase() === 'PATH' ? withoutProject(value, around) : value
  }
  // Without it Windows looks for programs in the working directory first.
  return os === 'win32' ? { ...found, NoDefaultCurrentDirectoryInExePath: '1' } : found
}

/** All servers of a host share their surroundings, and the folders of `PATH` are many. */
const cleaned = new WeakMap<Around, string>()

function withoutProject(path: string, around: Around): string {
  const known = cleaned.get(around)
  if (known !== undefined) return known
  const found = cleanPath(path, around)
  cleaned.set(around, found)
  return found
}

function cleanPath(path: string, { os, dirs, linkedPath = [] }: Around): string {
  const roots = dirs.map((dir) => join(dir, '/'))
  const isProjects = (folder: string) => {
    const whole = join(folder, '/')
    return linkedPath.includes(folder) || roots.some((root) => whole.startsWith(root))
  }
  return pathFolders(path, os)
    .filter((folder) => !isProjects(folder))
    .join(separatorOf(os))
}

/** The folders of a `PATH`. One that is relative would be looked for in the project. */
export function pathFolders(path: string, os: Os): readonly string[] {
  return path.split(separatorOf(os)).filter((folder) => isAbsolute(folder) || /^[A-Za-z]:[\\/]/.test(folder))
}

function separatorOf(os: Os): string {
  return os === 'win32' ? ';' : ':'
}
