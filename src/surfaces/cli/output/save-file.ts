import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { HostError } from '../../../index.ts'
import type { Block } from '../../../index.ts'
import { usage } from '../errors.ts'
import { blobOf } from './tool-result.ts'
import type { SavedFiles } from './tool-result.ts'

/** Names of our own: what a server calls its files is no path of ours. */
const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
  'text/markdown': 'md',
}

/** As many names are tried for one file. */
const maxNames = 100_000

/** Puts images, sounds and other bytes into a folder, beside what is there, and says where each one went. */
export function saveBlobs(blocks: readonly Block[], folder: string, stem: string): SavedFiles {
  const saved = new Map<number, string>()
  const plain = stem.replace(/[^\w-]+/g, '-').slice(0, 60)
  let number = 1
  for (const [at, block] of blocks.entries()) {
    const blob = blobOf(block)
    if (!blob) continue
    const extension = Object.hasOwn(extensions, blob.mimeType) ? extensions[blob.mimeType] : 'bin'
    const last = number + maxNames
    for (; !saved.has(at); number++) {
      const file = join(folder, `${plain}-${number}.${extension}`)
      if (number === last) throw unwritable(file, 'All lower numbers are taken.')
      if (writeNew(file, blob.bytes)) saved.set(at, file)
    }
  }
  return saved
}

/** Whether it could be; a file that is there stays as it is. */
function writeNew(file: string, bytes: Uint8Array): boolean {
  makeFolder(dirname(file))
  try {
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw unwritable(file, error)
  }
}

/** A folder that can be written to is there afterwards. */
export function makeFolder(folder: string): void {
  try {
    makeMissing(resolve(folder))
  } catch (error) {
    throw usage(unwritableMessage(folder, error), 'Choose a folder that you can write to.')
  }
}

/** One after the other: told to make all at once, Node tries for ever where nothing can be made, as in `/proc`. */
function makeMissing(folder: string): void {
  const found = statIfPresent(folder)
  if (found?.isDirectory()) return accessSync(folder, constants.W_OK)
  if (found) throw new Error(`${folder} is not a folder.`)
  if (dirname(folder) !== folder) makeMissing(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another program may have made it meanwhile.
    if (!statIfPresent(folder)?.isDirectory()) throw error
  }
}

/** What is there already is named, and not replaced. */
export function checkNotTaken(file: string): void {
  const found = statIfPresent(file)
  if (found && !isStream(found)) throw alreadyExists(file)
}

/** The same for what is there by now. */
export function writeTo(file: string, bytes: Uint8Array): void {
  const found = statIfPresent(file)
  if (found && isStream(found)) return writeFileSync(file, bytes)
  if (!writeNew(file, bytes)) throw alreadyExists(file)
}

/** Nothing is lost by writing to `/dev/null`, a terminal or a pipe. */
function isStream(found: Stats): boolean {
  return found.isCharacterDevice() || found.isFIFO() || found.isSocket()
}

/** Nothing, too, where a part of the path is no folder. */
function statIfPresent(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function alreadyExists(file: string): HostError {
  return usage(`${file} already exists; it was not changed.`, 'Choose another file.')
}

/** What should be in it has been fetched by then: the command line is not what is wrong. */
function unwritable(file: string, why: unknown): HostError {
  return new HostError('config.unwritable', { file }, unwritableMessage(file, why), {
    hint: 'Choose another place.',
  })
}

function unwritableMessage(place: string, why: unknown): string {
  return `${place} cannot be written: ${why instanceof Error ? why.message : String(why)}`
}
