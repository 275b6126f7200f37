import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type * as codeCache from './code-cache.ts'
import type { UncachedChunk } from './preload.ts'

/** Functions of the entry file, which cannot be imported from a chunk. */
type CodeCache = Pick<
  typeof codeCache,
  'cacheEnd' | 'cacheName' | 'codeFolder' | 'findPrivateFolder' | 'isOutsideProjects'
>

/** Several times the size of the largest cache. */
const maxBytes = 4 * 1024 * 1024

/** Three chunks for each of four combinations of our version, Node and its flags. */
const maxFiles = 12

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

function openFolder({ codeFolder, findPrivateFolder, isOutsideProjects }: CodeCache): string | undefined {
  const place = codeFolder()
  if (place === undefined || !existsSync(place.base) || !isOutsideProjects(place.path)) return undefined
  mkdirSync(place.path, { recursive: true, mode: 0o700 })
  return findPrivateFolder(place.path)
}

function storeChunk(
  { chunk, script, name, commands }: UncachedChunk,
  command: number,
  folder: string,
  { cacheEnd, cacheName }: CodeCache,
): void {
  // After reading a lot, a command sets a flag of V8. A cache with that flag would be rejected at the next start.
  if (cacheName(chunk) !== name) return
  const bytes = Buffer.concat([script.createCachedData(), Buffer.from(cacheEnd(name, commands | command))])
  if (bytes.length > maxBytes) return
  const file = join(folder, `${name}.cache`)
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

/** Removes the oldest files, which are of older versions or were left by a process that was killed. */
function removeOld(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenMs: statSync(path).mtimeMs }))
    .sort((one, other) => other.writtenMs - one.writtenMs)
  for (const { path } of files.slice(maxFiles)) rmSync(path, { force: true })
}
