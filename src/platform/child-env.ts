import { isAbsolute, join } from 'node:path'
import type { Env, Os } from './platform.ts'

/** T05: variables that every child inherits: those that locate programs, the home and temporary folders, and the locale. */
const minimal: Readonly<Record<'posix' | 'win32', RegExp>> = {
  posix: /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+)$/,
  win32:
    /^(?:APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATH|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|TEMP|TMP|USERNAME|USERPROFILE|WINDIR)$/i,
}

interface ChildEnvOptions {
  readonly os: Os
  readonly env: Env
  /** The project's folders, removed from `PATH`: a program in them runs only when its path is written out (T04). */
  readonly dirs: readonly string[]
}

/** The variables of our environment that a child inherits: the minimal set, or all of them with `whole`. */
export function childEnv(options: ChildEnvOptions, whole = false): Readonly<Record<string, string>> {
  const { os, env } = options
  const wanted = minimal[os === 'win32' ? 'win32' : 'posix']
  const found: Record<string, string> = Object.create(null)
  // Test the name before reading the value: every read of process.env leaves JavaScript.
  for (const name of Object.keys(env)) {
    const value = whole || wanted.test(name) ? env[name] : undefined
    // Drop values that begin with "()": older shells import them as functions and run them.
    if (value === undefined || value.startsWith('()')) continue
    found[name] = name.toUpperCase() === 'PATH' ? withoutProjectFolders(value, options) : value
  }
  // Without this variable, Windows searches the working directory for programs first.
  return os === 'win32' ? { ...found, NoDefaultCurrentDirectoryInExePath: '1' } : found
}

/** The cleaned `PATH` per options object: all servers of a host pass the same one, and `PATH` may have many folders. */
const cleaned = new WeakMap<ChildEnvOptions, string>()

function withoutProjectFolders(path: string, options: ChildEnvOptions): string {
  const known = cleaned.get(options)
  if (known !== undefined) return known
  const found = cleanPath(path, options)
  cleaned.set(options, found)
  return found
}

function cleanPath(path: string, { os, dirs }: ChildEnvOptions): string {
  const roots = dirs.map((dir) => join(dir, '/'))
  const isInProject = (folder: string) => {
    const whole = join(folder, '/')
    return roots.some((root) => whole.startsWith(root))
  }
  return pathFolders(path, os)
    .filter((folder) => !isInProject(folder))
    .join(separatorOf(os))
}

/** The absolute folders of a `PATH`. Relative ones are dropped: they would resolve inside the project. */
export function pathFolders(path: string, os: Os): readonly string[] {
  return path.split(separatorOf(os)).filter((folder) => isAbsolute(folder) || /^[A-Za-z]:[\\/]/.test(folder))
}

function separatorOf(os: Os): string {
  return os === 'win32' ? ';' : ':'
}
