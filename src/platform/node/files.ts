import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  watch as fsWatch,
  writeSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { FileError } from '../platform.ts'
import type { FileProblem, FileStat, FileText, Files, ReplaceOptions } from '../platform.ts'
import { codeOf, problemOf, toFileError } from './file-error.ts'

const defaultMaxBytes = 16 * 1024 * 1024
/** Writing a text of this length takes less time than handing it to another thread. */
const smallLength = 64 * 1024
/** The limit of Linux before it reports a loop. */
const maxLinks = 40

/**
 * Reads are synchronous inside: a few small files are read faster than the thread pool would answer, and no read can
 * block on a pipe. Writes wait for the disk; their code is loaded with the first write.
 */
export const nodeFiles: Files = {
  readText,
  readBytes,
  stat,
  list,
  realPath: async (path) => followLinks(path, 0),
  replace,
  async writeBytes(path, bytes, options) {
    const { writeNewFile } = await import('./write-files.ts')
    return writeNewFile(path, bytes, options)
  },
  async append(path, text, options = {}) {
    if (options.isUrgent) return appendNow(path, text)
    const { appendPrivate } = await import('./write-files.ts')
    return appendPrivate(path, text)
  },
  async move(from, to) {
    const { moveFile } = await import('./write-files.ts')
    return moveFile(from, to)
  },
  async remove(path) {
    const { removeFile } = await import('./write-files.ts')
    return removeFile(path)
  },
  async makePrivateDirectory(path, options) {
    const { makePrivateDirectory } = await import('./write-files.ts')
    return makePrivateDirectory(path, options)
  },
  async moveFolder(from, to) {
    const { moveFolder } = await import('./write-files.ts')
    return moveFolder(from, to)
  },
  async removeFolder(path) {
    const { removeFolder } = await import('./write-files.ts')
    return removeFolder(path)
  },
  watch,
}

async function readText(path: string, options: { readonly maxBytes?: number } = {}): Promise<FileText> {
  try {
    // Most of the paths do not exist: a stat is far cheaper than an exception.
    if (!statSync(path, { throwIfNoEntry: false })) return { kind: 'absent' }
    const { bytes, stat: found } = readFile(path, options.maxBytes ?? defaultMaxBytes)
    if (!isUtf8(bytes)) return problem('not-utf8', `${path} is not UTF-8 text`)
    const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    const { buffer, byteOffset, byteLength } = bytes
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8', bom ? 3 : 0)
    return { kind: 'text', text, bom, stat: found }
  } catch (error) {
    if (error instanceof FileError) return problem(error.problem, error.message)
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return problem(problemOf(code), `${path} cannot be read: ${code}`)
  }
}

/** Written when this returns: no other thread and no module is waited for. Creates the folder, which is private. */
function appendNow(path: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  try {
    const file = openIn(dirname(path), () => openSync(path, flags, 0o600))
    try {
      writeSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

function openIn(folder: string, open: () => number): number {
  try {
    return open()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return open()
  }
}

function problem(kind: FileProblem, message: string): FileText {
  return { kind: 'problem', problem: kind, message }
}

async function readBytes(
  path: string,
  { maxBytes, from = 0 }: { readonly maxBytes: number; readonly from?: number },
): Promise<Uint8Array> {
  try {
    return readFile(path, maxBytes, from).bytes
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** Opens without blocking, so that a FIFO at the path of a config file does not hang. */
function readFile(path: string, maxBytes: number, from = 0): { bytes: Uint8Array; stat: FileStat } {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = toStat(fstatSync(file))
    if (found.kind !== 'file') throw new FileError('not-a-file', `${path} is not a regular file`)
    if (found.size - from > maxBytes) {
      throw new FileError('too-large', `${path} is ${found.size} bytes, more than the limit of ${maxBytes}`)
    }
    return {
      bytes: readUpTo(file, path, { from, size: Math.max(found.size - from, 0), maxBytes }),
      stat: found,
    }
  } finally {
    closeSync(file)
  }
}

/** Reads to the end, whatever the reported size: a file may grow meanwhile, and files of `/proc` report 0. */
function readUpTo(
  file: number,
  path: string,
  { from, size, maxBytes }: { readonly from: number; readonly size: number; readonly maxBytes: number },
): Uint8Array {
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const target = new Uint8Array(Math.max(size + 1 - total, 4096))
    const bytesRead = readSync(file, target, 0, target.length, from + total)
    total += bytesRead
    if (total > maxBytes) throw new FileError('too-large', `${path} is more than ${maxBytes} bytes`)
    chunks.push(target.subarray(0, bytesRead))
    // A file with a size fills less than the buffer only at its end.
    if (bytesRead > 0 && (size === 0 || bytesRead === target.length)) continue
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, total)
  }
}

async function stat(path: string): Promise<FileStat | undefined> {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && toStat(found)
  } catch {
    return undefined
  }
}

function toStat(found: Stats): FileStat {
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
  const { mode, uid, size, mtimeMs, ino } = found
  return { kind, mode: mode & 0o7777, uid, size, mtimeMs, ino }
}

async function list(path: string): Promise<readonly string[]> {
  try {
    return readdirSync(path).sort()
  } catch {
    return []
  }
}

/** The real path, also of a file that does not exist yet: links to it and in its parent folders are followed. */
function followLinks(path: string, followed: number): string {
  const real = realPathOf(path)
  if (real !== undefined) return real
  const parent = dirname(path)
  if (parent === path || followed > maxLinks) return path
  const target = linkTarget(path)
  if (target !== undefined) return followLinks(resolve(parent, target), followed + 1)
  return join(followLinks(parent, followed), basename(path))
}

/** `undefined` if the path does not exist or is not accessible. */
function realPathOf(path: string): string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) && realpathSync.native(path)
  } catch {
    return undefined
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

async function replace(path: string, text: string, options: ReplaceOptions = {}): Promise<void> {
  const { over, isDurable = true } = options
  const mode = options.mode ?? (await stat(path))?.mode ?? 0o644
  const { replaceFile, replaceNow } = await import('./replace.ts')
  try {
    if (!isDurable && !over && text.length <= smallLength) return replaceNow(path, text, mode)
    await replaceFile(path, text, { mode, isDurable }, async () => {
      if (over && !isSame(over, await readText(path))) throw new FileError('changed', `${path} has changed`)
    })
  } catch (error) {
    throw toFileError(error, path)
  }
}

function isSame(before: FileText, now: FileText): boolean {
  if (before.kind !== 'text' || now.kind !== 'text') return before.kind === now.kind
  return before.text === now.text && before.bom === now.bom
}

function watch(directory: string, onChange: () => void): Disposable {
  try {
    const watcher = fsWatch(directory, { persistent: false }, onChange)
    watcher.on('error', onChange)
    return { [Symbol.dispose]: () => watcher.close() }
  } catch {
    // The directory does not exist yet: the caller polls for it.
    return { [Symbol.dispose]: () => undefined }
  }
}
