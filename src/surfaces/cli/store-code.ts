import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type * as codeCache from './code-cache.ts'
import type { UncachedChunk } from './preload.ts'

/** Functions of the entry file, which cannot be imported from a chunk. */
type CodeCache = Pick<typeof codeCache, 'cacheEnd' | 'cacheName' | 'codeFolders' | 'isOurFolder'>

/** Several times the size of the largest file. */
const maxBytes = 4 * 1024 * 1024

/** Four chunks for each of four combinations of our version, Node and its flags. */
const maxFiles = 16

/**
 * T57: stores the compiled code of chunks in the account's cache directory, for the next start with the same V8. A failure
 * is not reported: the next start compiles again.
 */
export function storeCode(chunks: readonly UncachedChunk[], command: number, cache: CodeCache): void {
  try {
    const folder = openFolder(cache)
    if (folder === undefined) return
    for (const chunk of chunks) storeChunk(chunk, command, folder, cache)
    removeOld(folder)
  } catch {
    // Such as a full disk or a read-only home.
  }
}

/** Creates what is missing below the home directory, each directory after the one above it was checked. */
function openFolder({ codeFolders, isOurFolder }: CodeCache): string | undefined {
  const [home, ...below] = codeFolders()
  if (home === undefined || !isOurFolder(home)) return undefined
  for (const folder of below) {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    if (!isOurFolder(folder)) return undefined
  }
  return below.at(-1)
}

function storeChunk(
  { chunk, script, name, commands }: UncachedChunk,
  command: number,
  folder: string,
  { cacheEnd, cacheName }: CodeCache,
): void {
  // After reading a lot, a command sets a flag of V8. A cache with that flag would be rejected at the next start.
  if (cacheName(chunk) !== name) return
  const file = join(folder, `${name}.cache`)
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) return
  const data = script.createCachedData()
  const bytes = Buffer.concat([data, data, Buffer.from(cacheEnd(name, commands | command))])
  if (bytes.length > maxBytes) return
  const temporary = join(folder, `${name}.${process.pid}.tmp`)
  try {
    writeNew(temporary, bytes)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Waits for the disk: after a power failure, V8 would run what is left of a file that was not. */
function writeNew(path: string, bytes: Buffer): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Removes our oldest files, which are of older versions or were left by a process that was killed, and nothing else. */
function removeOld(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /^(?:start|host|connecting|scanner)-[\da-f]{64}-\S+\.(?:cache|\d+\.tmp)$/.test(name))
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false })
      return found?.isFile() ? [{ path, writtenMs: found.mtimeMs }] : []
    })
    .sort((one, other) => other.writtenMs - one.writtenMs)
  for (const { path } of files.slice(maxFiles)) rmSync(path, { force: true })
}
