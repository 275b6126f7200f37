// Part of the entry file, which is compiled at every start: it stays small and imports nothing.

/** The V8, system and architecture that made the caches in the package. */
declare const __BUILT_FOR__: string
/** V8's hashes in those caches, as `engine()` reads them. */
declare const __BUILT_ENGINE__: string
/** The SHA-256 of each preloaded chunk. Hashing at the start would take longer than compiling saves. */
declare const __CHUNK_HASHES__: Readonly<Record<Chunk, string>>

export type Chunk = 'start' | 'host' | 'connecting'

export interface StoredCode {
  readonly data: Buffer
  /** Bits of the commands whose functions are in it. */
  readonly commands: number
}

/** Several times the size of the largest cache. */
const maxBytes = 4 * 1024 * 1024

/** Whether this V8 accepts the caches in the package. Only with options of Node it can have other flags. */
export function acceptsShipped(): boolean {
  if (builtFor() !== __BUILT_FOR__) return false
  return (process.execArgv.length === 0 && !process.env['NODE_OPTIONS']) || engine() === __BUILT_ENGINE__
}

function builtFor(): string {
  return `${process.versions.v8}-${process.platform}-${process.arch}`
}

/**
 * V8's hashes of its version and flags, which are in the first bytes of every cache: here of a short script, because
 * loading `node:v8`, which has them too, takes 2 ms.
 */
function engine(): string {
  const { Script } = process.getBuiltinModule('node:vm')
  return new Script('0').createCachedData().toString('hex', 0, 24)
}

/** T57: a cache is code, so its name says what it was compiled from and for. */
export function cacheName(chunk: Chunk): string {
  return `${chunk}-${__CHUNK_HASHES__[chunk]}-${builtFor()}-${engine()}`
}

/** The end of a cache file: its name again, which also shows that the file is complete, and the commands as a digit. */
export function cacheEnd(name: string, commands: number): string {
  return `\n${name} ${commands}`
}

interface CodeFolder {
  /** The directory that must exist: nothing is created outside it. */
  readonly base: string
  readonly path: string
}

/** The directory for caches of this account; none where owner and mode of a file cannot be checked. */
export function codeFolder(): CodeFolder | undefined {
  const { XDG_CACHE_HOME: moved = '', HOME: home = '' } = process.env
  if (!process.geteuid) return undefined
  if (moved.startsWith('/')) return { base: moved, path: `${moved}/plugboard/code` }
  return home.startsWith('/') ? { base: home, path: `${home}/.cache/plugboard/code` } : undefined
}

/** Reads the cache that an earlier run stored. Whatever is wrong with it, the chunk is compiled instead. */
export function readStoredCode(name: string): StoredCode | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs')
  try {
    const folder = findPrivateFolder(codeFolder()?.path)
    if (folder === undefined) return undefined
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = openSync(`${folder}/${name}.cache`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const found = fstatSync(file)
      if (!found.isFile() || !isPrivate(found) || found.size > maxBytes) return undefined
      const bytes = readFileSync(file)
      const size = bytes.length - cacheEnd(name, 0).length
      const commands = Number(bytes.toString('latin1', bytes.length - 1))
      if (bytes.toString('latin1', size) !== cacheEnd(name, commands)) return undefined
      return { data: bytes.subarray(0, size), commands }
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** The real path of a directory that only this account can enter and that no variable leads into a project. */
export function findPrivateFolder(path: string | undefined): string | undefined {
  if (path === undefined || !isOutsideProjects(path)) return undefined
  const { realpathSync, statSync } = process.getBuiltinModule('node:fs')
  const folder = realpathSync.native(path)
  return isPrivate(statSync(folder)) ? folder : undefined
}

function isPrivate({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return uid === process.geteuid?.() && (mode & 0o077) === 0
}

/**
 * T54: whether no project can contain this directory, by the same signs as in `believePlatform`: a repository there or
 * above, a working directory above, or a folder of installed code. With such a sign it has to be the directory of the
 * account itself, whatever the variables say. The system is asked for the account only then.
 */
export function isOutsideProjects(path: string): boolean {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const real = realPathOf(path)
  const hasSign =
    /\/(?:node_modules|\.venv)\//.test(real) ||
    `${real}/`.startsWith(`${realPathOf(process.cwd())}/`) ||
    process.argv.some((word) => word.startsWith('--cwd')) ||
    withParents(real).some((folder) => existsSync(`${folder}/.git`))
  if (!hasSign) return true
  const { homedir } = process.getBuiltinModule('node:os').userInfo()
  return realPathOf(`${homedir}/.cache/plugboard/code`) === real
}

/** The real path that a directory has or, if it is missing, would have. */
function realPathOf(path: string): string {
  const { existsSync, realpathSync } = process.getBuiltinModule('node:fs')
  const existing = withParents(path).findLast((folder) => existsSync(folder || '/')) ?? ''
  return realpathSync.native(existing || '/') + path.slice(existing.length)
}

function withParents(path: string): readonly string[] {
  const steps = path.split('/')
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
}
