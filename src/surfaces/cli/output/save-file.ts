import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { HostError } from '../../../index.ts'
import type { Block } from '../../../index.ts'
import { usage } from '../errors.ts'
import { blobOf } from './tool-result.ts'
import type { SavedFiles } from './tool-result.ts'

/** File extensions by MIME type. We choose file names ourselves: names from a server are not used as paths. */
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

/** How many names are tried for one file. */
const maxNames = 100_000

/** How the bytes of images begin that nothing runs in, whatever opens them. */
const imageSignatures: readonly (readonly [extension: string, begins: RegExp])[] = [
  ['png', /^\u0089PNG\r\n.\n/],
  ['jpg', /^\u00ff\u00d8\u00ff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
]

/** By the bytes: a page or an SVG would run the server's scripts when a person opens the file (T19). */
export function imageExtension({ bytes }: Pick<Blob, 'bytes'>): string {
  const begin = bytes.toString('latin1', 0, 16)
  return imageSignatures.find(([, begins]) => begins.test(begin))?.[0] ?? 'bin'
}

function typeExtension({ mimeType }: Blob): string {
  return (Object.hasOwn(extensions, mimeType) ? extensions[mimeType] : undefined) ?? 'bin'
}

type Blob = NonNullable<ReturnType<typeof blobOf>>

interface SaveOptions {
  readonly extensionOf?: (blob: Blob) => string
  /** Where a relative folder starts. */
  readonly start?: string
}

/** Saves images, audio and other binary blocks to a folder without overwriting; returns the path of each. */
export function saveBlobs(
  blocks: readonly Block[],
  folder: string,
  stem: string,
  { extensionOf = typeExtension, start = '.' }: SaveOptions = {},
): SavedFiles {
  const saved = new Map<number, string>()
  const plain = stem.replace(/[^\w-]+/g, '-').slice(0, 60)
  let number = 1
  for (const [at, block] of blocks.entries()) {
    const blob = blobOf(block)
    if (!blob) continue
    const extension = extensionOf(blob)
    const last = number + maxNames
    for (; !saved.has(at); number++) {
      const file = join(folder, `${plain}-${number}.${extension}`)
      if (number === last) throw unwritable(file, 'All lower numbers are taken.')
      if (writeNew(file, blob.bytes, start)) saved.set(at, file)
    }
  }
  return saved
}

/** Creates a file; returns `false` if it already exists. */
function writeNew(file: string, bytes: Uint8Array, start: string): boolean {
  makeFolder(dirname(file), start)
  try {
    writeFileSync(resolve(start, file), bytes, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw unwritable(file, error)
  }
}

/** Creates a folder if needed, and checks that it is writable. Like all paths here, a relative one starts at `start`. */
export function makeFolder(folder: string, start = '.'): void {
  try {
    makeMissing(resolve(start, folder))
  } catch (error) {
    throw usage(unwritableMessage(folder, error), 'Choose a folder that you can write to.')
  }
}

/** Creates parents one by one: `mkdir` with `recursive` never returns where nothing can be created, as in `/proc`. */
function makeMissing(folder: string): void {
  const found = statIfPresent(folder)
  if (found?.isDirectory()) return accessSync(folder, constants.W_OK)
  if (found) throw new Error(`${folder} is not a folder.`)
  if (dirname(folder) !== folder) makeMissing(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another program may have created it in the meantime.
    if (!statIfPresent(folder)?.isDirectory()) throw error
  }
}

/** Throws if the file already exists. */
export function checkNotTaken(file: string, start = '.'): void {
  const found = statIfPresent(resolve(start, file))
  if (found && !isStream(found)) throw alreadyExists(file)
}

/** Writes a new file, or to a stream such as `/dev/null`; throws if the file already exists. */
export function writeTo(file: string, bytes: Uint8Array, start = '.'): void {
  const path = resolve(start, file)
  const found = statIfPresent(path)
  if (found && isStream(found)) return writeFileSync(path, bytes)
  if (!writeNew(file, bytes, start)) throw alreadyExists(file)
}

/** Devices, pipes and sockets may be written to: nothing is overwritten. */
function isStream(found: Stats): boolean {
  return found.isCharacterDevice() || found.isFIFO() || found.isSocket()
}

/** `undefined` if there is no such file, also if a parent is not a folder. */
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

/** Not a usage error: the content was already fetched when writing failed. */
function unwritable(file: string, why: unknown): HostError {
  return new HostError('config.unwritable', { file }, unwritableMessage(file, why), {
    hint: 'Choose another place.',
  })
}

function unwritableMessage(place: string, why: unknown): string {
  return `${place} cannot be written: ${why instanceof Error ? why.message : String(why)}`
}
