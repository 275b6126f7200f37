// Part of the entry file, which is compiled at every start: it stays small and imports nothing.

/** The V8, system and architecture that made the caches in the package. */
declare const __BUILT_FOR__: string
/** V8's hashes in those caches, as `engine()` reads them. */
declare const __BUILT_ENGINE__: string
/** The SHA-256 of each preloaded chunk. Hashing at the start would take longer than compiling saves. */
declare const __CHUNK_HASHES__: Readonly<Record<Chunk, string>>

export type Chunk = 'start' | 'host' | 'connecting' | 'scanner' | 'shim'

export interface StoredCode {
  readonly data: Buffer
  /** Bits of the commands whose functions are in it. */
  readonly commands: number
}

/** Several times the size of the largest file. */
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

/**
 * T54: the home directory and the three directories below it that lead to the caches. It is the home directory that the
 * system has for the account: one that variables name may be in a project, and not every project can be recognized.
 * None where a variable names another one, or where owner and mode of a file cannot be checked.
 */
export function codeFolders(): readonly string[] {
  const { XDG_CACHE_HOME: moved, HOME: home } = process.env
  if (!process.geteuid || !home) return []
  const cache = `${home}/.cache`
  if ((moved && moved !== cache) || process.getBuiltinModule('node:os').userInfo().homedir !== home) return []
  // The dot follows a link: the system may have one for the home directory.
  return [`${home}/.`, cache, `${cache}/plugboard`, `${cache}/plugboard/code`]
}

/** Whether a directory is no link and belongs to this account. Only the account can enter the last one. */
export function isOurFolder(path: string): boolean {
  const found = process.getBuiltinModule('node:fs').lstatSync(path)
  return found.isDirectory() && isOurs(found, path.endsWith('/code') ? 0o077 : 0)
}

/** Reads the cache that an earlier run stored. Whatever is wrong with it, the chunk is compiled instead. */
export function readStoredCode(name: string): StoredCode | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs')
  try {
    const folders = codeFolders()
    const folder = folders.at(-1)
    if (folder === undefined || !folders.every(isOurFolder)) return undefined
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = openSync(`${folder}/${name}.cache`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const found = fstatSync(file)
      if (!found.isFile() || !isOurs(found, 0o077) || found.size > maxBytes) return undefined
      return parseStored(readFileSync(file), name)
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/**
 * The code is in the file twice: V8 crashes on a damaged cache, at every start. Comparing takes less time than loading
 * `node:crypto` or `node:zlib` for a checksum.
 */
function parseStored(bytes: Buffer, name: string): StoredCode | undefined {
  const size = (bytes.length - cacheEnd(name, 0).length) / 2
  const commands = Number(bytes.toString('latin1', bytes.length - 1))
  if (bytes.toString('latin1', size * 2) !== cacheEnd(name, commands)) return undefined
  const data = bytes.subarray(0, size)
  return data.equals(bytes.subarray(size, size * 2)) ? { data, commands } : undefined
}

function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }, forbidden: number): boolean {
  return uid === process.geteuid?.() && (mode & forbidden) === 0
}
